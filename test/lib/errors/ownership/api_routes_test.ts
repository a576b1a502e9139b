import assert from "node:assert/strict";
import { addTeamProject, createTeam } from "@/lib/accounts/teams.ts";
import { OwnershipRounds } from "@/lib/errors/ownership/clock.ts";
import { addMapping } from "@/lib/errors/code/mappings.ts";
import { testApi } from "@/test/support/api_people.ts";
import { errorEvent, newEventId } from "@/test/support/error_event.ts";
import { failure } from "@/test/support/shop.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";

const NOWHERE = { raw: null, autoAssignment: "Auto Assign to Issue Owner", schema: null };

async function owned() {
  const api = await testApi();
  const { services: { kv, writer }, organization, project } = api;
  const team = await createTeam(kv, { organizationId: organization.id, name: "Checkout" });
  await addTeamProject(kv, team, project.id);
  const path = `/projects/${organization.slug}/${project.slug}`;
  const store = async (group: string) => {
    const eventId = newEventId();
    const record = errorEvent(failure(group, { eventId }));
    await writer.commit(project.id, { records: [record], outcomes: [] });
    return eventId;
  };
  const put = (body: unknown) =>
    api.call<Record<string, unknown>>("admin", `${path}/ownership/`, { method: "PUT", body });
  return { api, team, path, store, put, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

Deno.test("rules are read and written in Sentry's words", async () => {
  await using world = await owned();
  const { api, path, put, team } = world;
  const before = await api.call<object>("viewer", `${path}/ownership/`);
  assert.partialDeepStrictEqual(before.body, NOWHERE);
  const raw = "path:cart.* #checkout\n# mine";
  const { status, body } = await put({
    raw,
    fallthrough: false,
    autoAssignment: "Turn off Auto-Assignment",
  });
  assert.equal(status, 200);
  assert.partialDeepStrictEqual(body, {
    raw,
    fallthrough: false,
    autoAssignment: "Turn off Auto-Assignment",
    codeownersAutoSync: true,
    isActive: true,
    schema: {
      "$version": 1,
      rules: [{
        matcher: { type: "path", pattern: "cart.*" },
        owners: [{ type: "team", identifier: "checkout", id: team.id }],
      }],
    },
  });
  const part = await put({ fallthrough: true });
  assert.partialDeepStrictEqual(part.body, {
    raw,
    fallthrough: true,
    autoAssignment: "Turn off Auto-Assignment",
  });
});

Deno.test("wrong rules are refused with the reason, whatever is sent", async () => {
  await using world = await owned();
  const { put } = world;
  const f = async (body: unknown, expected: RegExp) => {
    const answer = await put(body);
    assert.equal(answer.status, 400);
    assert.match(JSON.stringify(answer.body), expected);
  };
  await f({ raw: "* a@b.c #x" }, /^\{"raw":\["Invalid rule owners: #x, a@b\.c"\]\}$/);
  await f({ raw: "codeowners:* #checkout" }, /Line 1, column 1/);
  await f({ raw: "x\u0000 \ud800" }, /"raw"/);
  await f({ raw: 7 }, /"raw"/);
  await f({ autoAssignment: "off" }, /"autoAssignment"/);
  await f({ fallthrough: "yes" }, /"fallthrough"/);
});

Deno.test("a CODEOWNERS file is added once, changed and removed, and tells what of it was dropped", async () => {
  await using world = await owned();
  const { api, path } = world;
  const call = (method: string, suffix: string, body?: unknown) =>
    api.call<Record<string, unknown>>("admin", `${path}/codeowners/${suffix}`, { method, body });
  const input = { address: "https://github.com/acme/shop", stackRoot: "app", sourceRoot: "src" };
  const mapping = await addMapping(api.services.sql, api.project.id, {
    ...{ host: "github", repository: "", defaultBranch: "main" },
    ...input,
  }, "");
  assert.equal((await call("POST", "", { raw: " " })).status, 400);
  assert.equal((await call("POST", "", { raw: "* @x", codeMappingId: "999" })).status, 400);
  assert.equal((await call("POST", "", { raw: "* @x", names: { "@x": "#none" } })).status, 400);
  const made = await call("POST", "", {
    raw: "/src/cart/ @acme/checkout @gone\n!x @mona\n*.md @mona\n",
    codeMappingId: Number(mapping),
    names: { "@mona": "#checkout" },
  });
  assert.equal(made.status, 201);
  assert.partialDeepStrictEqual(made.body, {
    codeMappingId: mapping,
    ownershipSyntax: "codeowners:/app/cart/ #checkout\ncodeowners:*.md #checkout",
    errors: { missing_external_users: ["@gone"] },
    dropped: [{ line: 2, text: "!x @mona" }],
  });
  assert.equal((await call("POST", "", { raw: "* @acme/checkout" })).status, 400);
  const id = String(made.body.id);
  const changed = await call("PUT", id, { raw: "* @acme/checkout", codeMappingId: null });
  assert.partialDeepStrictEqual(changed.body, {
    codeMappingId: null,
    ownershipSyntax: "codeowners:* #checkout",
  });
  assert.equal((await call("PUT", "99999999999999999999", { raw: "*" })).status, 404);
  assert.equal((await call("DELETE", id)).status, 204);
  assert.equal((await call("DELETE", id)).status, 404);
  assert.deepEqual((await call("GET", "")).body, []);
});

Deno.test("an event tells who owns it, and the list its suggested owners", async () => {
  await using world = await owned();
  const { api, path, put, store, team } = world;
  const eventId = await store("one");
  const none = await api.call<object>("viewer", `${path}/events/${eventId}/owners/`);
  assert.deepEqual(none.body, { owners: [], rule: null, rules: [] });
  await put({ raw: "* member@example.com\npath:cart.* #checkout" });
  const { body } = await api.call<object>("viewer", `${path}/events/${eventId}/owners/`);
  assert.partialDeepStrictEqual(body, {
    owners: [{ type: "team", id: team.id, name: "checkout" }],
    rule: ["path", "cart.*"],
  });
  await store("two");
  const { kv, sql } = api.services;
  await new OwnershipRounds({ kv, sql, log: silentLogger }).run(
    new Date(),
    new AbortController().signal,
  );
  const list = await api.call<{ owners?: { type: string; owner: string }[] }[]>(
    "viewer",
    `${path}/issues/?expand=owners`,
  );
  const owners = list.body.map(({ owners }) => owners?.map(({ type, owner }) => [type, owner]));
  assert.deepEqual(owners[0]?.[0], ["ownershipRule", `team:${team.id}`]);
  assert.deepEqual(owners[1], []);
});
