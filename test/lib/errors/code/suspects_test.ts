import assert from "node:assert/strict";
import { suspectFrames } from "@/lib/errors/code/suspects.ts";
import type { NormalizedEvent } from "@/lib/formats/sentry/normalized_event.ts";
import { setCommits } from "@/lib/releases/commits.ts";
import { ensureRelease } from "@/lib/releases/mod.ts";
import { saveRepository } from "@/lib/releases/repositories.ts";
import { testApi } from "@/test/support/api_people.ts";
import { errorEvent, newEventId } from "@/test/support/error_event.ts";
import { failure, shop } from "@/test/support/shop.ts";
import { textOf } from "@/test/support/ui_app.ts";

const FIRST = "shop@1.0.0";
const LATER = "shop@1.1.0";

function commit(id: string, path: string) {
  return {
    id: id.padEnd(40, "0"),
    repository: "acme/shop",
    authorName: "Ann",
    authorEmail: "ann@acme.example",
    message: `Rework ${path}\n\nin the second line`,
    committedAt: new Date(Date.now() - 3_600_000),
    files: [{ path, change: "M" as const }],
  };
}

function pathsOf(event: object): string[] {
  return suspectFrames(event as NormalizedEvent).map(({ path }) => path);
}

Deno.test("the frames asked for are the application's own, the innermost of what was thrown last first", () => {
  const frames = (...names: string[]) => ({
    frames: names.map((filename) => ({ filename, in_app: !filename.includes("node_modules") })),
  });
  assert.deepEqual(
    pathsOf({
      platform: "node",
      exception: {
        values: [
          { stacktrace: frames("src/cause.ts") },
          { stacktrace: frames("src/main.ts", "node_modules/x/index.js", "src/cart.ts") },
        ],
      },
    }),
    ["src/cart.ts", "src/main.ts", "src/cause.ts"],
  );
});

Deno.test("the folder of a Java file is that of its package", () => {
  const frame = { filename: "Cart.java", module: "com.acme.shop.Cart", in_app: true };
  const event = { platform: "java", exception: { values: [{ stacktrace: { frames: [frame] } }] } };
  assert.deepEqual(pathsOf(event), ["com/acme/shop/Cart.java"]);
});

Deno.test("an issue shows the commit of its first release that changed the file, with author and link", async () => {
  await using app = await shop();
  const { sql } = app.services;
  for (const version of [FIRST, LATER]) await ensureRelease(sql, app.projectId, version);
  const set = (version: string, id: string, path: string) =>
    setCommits(sql, app.organization.id, app.projectId, version, [commit(id, path)]);
  await set(FIRST, "aaaa", "src/cart.js");
  await set(LATER, "bbbb", "src/cart.js");
  await saveRepository(sql, app.organization.id, "acme/shop", "https://git.example/acme/shop");
  await app.store(failure("one", { release: FIRST }), failure("one", { release: LATER }));
  const [issue] = await sql`select id::text as id from issues`;
  const { html } = await app.owner.get(`${app.path}/${issue?.id}`);
  const text = textOf(html);
  assert.match(text, /Suspect commit Rework src\/cart\.js ?Ann .*aaaa0000.*changed src\/cart\.js/);
  assert.ok(html.includes(`href="https://git.example/acme/shop/commit/${"aaaa".padEnd(40, "0")}"`));
  assert.doesNotMatch(text, /bbbb/);
  await setCommits(sql, app.organization.id, app.projectId, FIRST, []);
  assert.doesNotMatch(
    textOf((await app.owner.get(`${app.path}/${issue?.id}`)).html),
    /Suspect commit/,
  );
});

Deno.test("the API tells the authors of suspect commits, and strangers nothing", async () => {
  await using api = await testApi();
  const { services: { sql, writer }, project, organization } = api;
  const eventId = newEventId();
  const payload = JSON.stringify({
    platform: "node",
    exception: {
      values: [{ stacktrace: { frames: [{ filename: "src/cart.ts", in_app: true }] } }],
    },
  });
  const record = errorEvent({ eventId, release: FIRST, payload });
  await writer.commit(project.id, { records: [record], outcomes: [] });
  const path = `/projects/acme/acme-shop/events/${eventId}/committers/`;
  assert.equal((await api.call("viewer", path)).status, 404);
  await ensureRelease(sql, project.id, FIRST);
  const commits = [commit("aaaa", "src/cart.ts"), {
    ...commit("cccc", "src/pay.ts"),
    authorEmail: api.owner.email,
  }];
  await setCommits(sql, organization.id, project.id, FIRST, commits);
  const { status, body } = await api.call<{
    committers: { author: object; commits: { id: string; score: number }[] }[];
  }>("viewer", path);
  assert.equal(status, 200);
  assert.deepEqual(
    body.committers.map(({ author, commits: [first] }) => [author, first?.id.slice(0, 4)]),
    [[{ name: "Ann", email: "ann@acme.example" }, "aaaa"]],
  );
  assert.equal((await api.call("stranger", path)).status, 404);
  assert.equal((await api.call("viewer", path.replace(eventId, newEventId()))).status, 404);
  await setCommits(sql, organization.id, project.id, FIRST, [{
    ...commit("dddd", "src/cart.ts"),
    authorEmail: api.owner.email,
  }]);
  const known = await api.call<typeof body>("viewer", path);
  assert.deepEqual(known.body.committers[0]?.author, {
    id: api.owner.id,
    name: "Ann",
    email: api.owner.email,
  });
});
