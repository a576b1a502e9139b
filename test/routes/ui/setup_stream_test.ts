import assert from "node:assert/strict";
import { keyOf } from "@/lib/accounts/kv.ts";
import { removeMember } from "@/lib/accounts/members.ts";
import { createProject, type Project } from "@/lib/accounts/projects.ts";
import { errorEvent } from "../../support/error_event.ts";
import { type Acme, acme } from "../../support/ui_app.ts";
import { timeBudget } from "../../support/time_budget.ts";

function project(app: Acme): Promise<Project> {
  const organizationId = app.organization.id;
  return createProject(app.services.kv, { organizationId, name: "Shop", platform: "node" });
}

async function openStream(app: Acme, projectId: string, visitor = app.owner) {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const url = `http://localhost:8000/projects/${projectId}/setup/stream`;
  const response = await app.handle(new Request(url, { headers: { cookie } }));
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.ok(reader);
  return reader;
}

Deno.test("the stream tells of the first event once it is stored, and ends", async () => {
  await using app = await acme();
  const { id } = await project(app);
  const reader = await openStream(app, id);
  assert.match((await reader.read()).value ?? "", /^retry: \d+\n\n$/);
  assert.equal((await reader.read()).value, ": waiting\n\n");

  const batch = { records: [errorEvent()], outcomes: [], eventId: null };
  await app.services.writer.commit(id, batch);
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  assert.match(
    text,
    /event: first\ndata: \{"what":"an error","href":"\/projects\/1\/issues\/\d+","at":"[^"]+"\}\n\n$/,
  );
});

Deno.test("the stream ends when the server begins to stop", async () => {
  await using app = await acme();
  const { id } = await project(app);
  const reader = await openStream(app, id);
  await reader.read();
  await reader.read();
  app.services.beginStop();
  assert.equal((await reader.read()).done, true);
});

Deno.test("the stream stops looking when its reader leaves", async () => {
  await using app = await acme();
  const { id } = await project(app);
  const reader = await openStream(app, id);
  await reader.read();
  await reader.cancel();
});

Deno.test("an account has ten streams at once, and a place is free again when a reader leaves", async () => {
  await using app = await acme();
  const { id } = await project(app);
  const cookie = [...app.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const url = `http://localhost:8000/projects/${id}/setup/stream`;
  const open = () => app.handle(new Request(url, { headers: { cookie } }));
  const streams = await Promise.all(Array.from({ length: 10 }, open));
  assert.deepEqual(new Set(streams.map(({ status }) => status)), new Set([200]));
  const refused = await open();
  assert.equal(refused.status, 429);
  assert.match(await refused.text(), /Too many pages are waiting/);

  await streams.pop()?.body?.cancel();
  const again = await open();
  assert.equal(again.status, 200);
  for (const { body } of [...streams, again]) await body?.cancel();
});

Deno.test("strangers learn nothing from the stream", async () => {
  await using app = await acme();
  const { id } = await project(app);
  const response = await app.handle(
    new Request(`http://localhost:8000/projects/${id}/setup/stream`),
  );
  await response.body?.cancel();
  assert.equal(
    response.headers.get("location"),
    `/sign-in?next=%2Fprojects%2F${id}%2Fsetup%2Fstream`,
  );
});

/** Seconds until the stream of a member ends after something was done to them. */
async function secondsToEnd(
  lose: (app: Acme, userId: string) => Promise<unknown>,
): Promise<number> {
  await using app = await acme();
  const { id } = await project(app);
  const { user, visitor } = await app.member("member");
  const reader = await openStream(app, id, visitor);
  await reader.read();
  await lose(app, user.id);
  const start = performance.now();
  while (!(await reader.read()).done);
  return (performance.now() - start) / 1_000;
}

Deno.test("the stream ends within five seconds for who is no member any more", async () => {
  const by = { role: "owner", userId: null } as const;
  const seconds = await secondsToEnd(({ services, organization }, userId) =>
    removeMember(services.kv, by, organization.id, userId)
  );
  assert.ok(seconds * 1_000 < timeBudget(5_000), `${seconds} s`);
});

Deno.test("the stream ends within five seconds when the sessions of its reader are ended", async () => {
  const seconds = await secondsToEnd(({ services: { kv } }, userId) =>
    kv.set(keyOf.sessionEpoch(userId), 99)
  );
  assert.ok(seconds * 1_000 < timeBudget(5_000), `${seconds} s`);
});
