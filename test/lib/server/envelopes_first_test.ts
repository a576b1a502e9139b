import assert from "node:assert/strict";
import { envelopesFirst } from "@/lib/server/ingest_route.ts";
import { builtApp } from "../../support/built_app.ts";
import { errorEnvelope } from "../../support/envelopes.ts";
import { makeWorld } from "../../support/ingest_world.ts";
import { logLines } from "../../support/log_lines.ts";
import { testServices } from "../../support/services.ts";
import { authHeader } from "../../support/test_intake.ts";

const PEER: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 4711 },
  completed: Promise.resolve(),
};
const ID = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/g;

async function world() {
  const { log, lines } = logLines();
  const opened = await testServices({}, log);
  const { services } = opened;
  const { project, serverKey } = await makeWorld(services.kv);
  const app = builtApp(services);
  let routed = 0;
  const first = envelopesFirst((request, info) => {
    routed++;
    return app(request, info);
  }, services);

  /** What a client and the operator see, but for ids and times. */
  async function seen(handle: typeof first, path: string, init: RequestInit) {
    lines.length = 0;
    const response = await handle(new Request(`http://watchpost.example${path}`, init), PEER);
    const body = (await response.text()).replaceAll(ID, "…");
    const told = lines.filter(({ message }) => message === "request")
      .map(({ fields: { ms: _, id, ...fields } }) => ({
        ...fields,
        hasId: typeof id === "string",
      }));
    return { status: response.status, headers: [...response.headers].sort(), body, told };
  }

  return {
    ...opened,
    project,
    serverKey,
    first,
    app,
    seen,
    routed: () => routed,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

Deno.test("an envelope that passes the router is answered, counted and told of as one that goes through it", async () => {
  await using test = await world();
  const { project, serverKey, first, app, seen } = test;
  const path = `/api/${project.id}/envelope/`;
  const auth = authHeader(serverKey);
  const requests: [path: string, init: () => RequestInit][] = [
    [path, () => ({ body: errorEnvelope().body, headers: auth })],
    [path.slice(0, -1), () => ({ body: errorEnvelope().body, headers: auth })],
    [`${path}?sentry_key=${serverKey}`, () => ({ body: errorEnvelope().body })],
    [path, () => ({ body: "no envelope", headers: auth })],
    [path, () => ({ body: errorEnvelope().body })],
    [`/api/${project.id}9/envelope/`, () => ({ body: errorEnvelope().body, headers: auth })],
  ];
  for (const [path, init] of requests) {
    const routed = await seen(app, path, { method: "POST", ...init() });
    assert.equal(routed.told.length, 1);
    assert.deepEqual(await seen(first, path, { method: "POST", ...init() }), routed, path);
  }
  assert.equal(test.routed(), 0);
});

Deno.test("whatever is not an envelope in the plain form of its address goes through the router", async () => {
  await using test = await world();
  const { project: { id }, serverKey, first, seen } = test;
  const headers = authHeader(serverKey);
  const requests: [path: string, init: RequestInit, status: number][] = [
    [`/api/${id}/envelope/`, { method: "GET", headers }, 405],
    [`/api/${id}/envelope/`, { method: "OPTIONS" }, 204],
    [`//api/${id}//envelope/`, { method: "POST", body: errorEnvelope().body, headers }, 200],
    [`/api/0/envelope/`, { method: "POST", body: "{}", headers }, 403],
    [
      `/api/${id}/envelope/`,
      { method: "POST", body: "", headers: { ...headers, "content-type": "application/grpc" } },
      200,
    ],
    [`/page?/api/${id}/envelope/`, { method: "POST", body: "" }, 404],
  ];
  for (const [index, [path, init, status]] of requests.entries()) {
    assert.equal((await seen(first, path, init)).status, status, path);
    assert.equal(test.routed(), index + 1, path);
  }
});
