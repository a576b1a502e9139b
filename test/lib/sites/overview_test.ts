import assert from "node:assert/strict";
import { findProject } from "@/lib/accounts/projects.ts";
import { loadPageScope } from "@/lib/releases/request_scope.ts";
import { loadSite, type Part } from "@/lib/sites/overview.ts";
import { testDatabase } from "../../support/database.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import {
  certificate,
  DAY_MS,
  HOUR_MS,
  pageError,
  pageLoad,
  watchedSite,
} from "../../support/watched_site.ts";

type Site = Awaited<ReturnType<typeof watchedSite>>;

async function load(app: Site, search = "") {
  const { sql, kv } = app.services;
  const project = await findProject(kv, app.projectId);
  assert.ok(project);
  const pageScope = await loadPageScope(sql, project, new URLSearchParams(search));
  return await loadSite({ sql, log: silentLogger }, pageScope);
}

function valueOf<T>(part: Part<T>): T {
  if (part.kind === "failed") throw new Error(part.sentence);
  return part.value;
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

Deno.test("errors are counted against the time before, each in one of both", async () => {
  await using app = await watchedSite();
  const ago = (ms: number) => ({ timestamp: new Date(Date.now() - ms) });
  await app.send(
    ...times(3, () => pageError("a")),
    pageError("b", ago(23 * HOUR_MS)),
    pageError("a", ago(26 * HOUR_MS)),
    pageError("a", ago(2 * DAY_MS - 2 * HOUR_MS)),
    pageError("a", ago(3 * DAY_MS)),
  );
  const day = valueOf((await load(app, "range=24h")).errors);
  assert.deepEqual([day.count, day.before], [4, 2]);
  assert.deepEqual(day.top.map(({ title, countInScope }) => [title, countInScope]), [
    ["Error: a", 3],
    ["Error: b", 1],
  ]);
  const hour = valueOf((await load(app, "range=1h")).errors);
  assert.deepEqual([hour.count, hour.before], [3, 0]);
  const year = new Date(Date.now() - 365 * DAY_MS).toISOString();
  assert.equal(valueOf((await load(app, `start=${year}`)).errors).count, 7);
});

Deno.test("pages are ranked by p75; what was loaded once or twice is no slow page beside others", async () => {
  await using app = await watchedSite();
  await app.send(
    pageLoad("/once", 30_000),
    ...times(5, () => pageLoad("/fast", 500)),
    ...times(6, () => pageLoad("/slow", 5_000, { clientSampleRate: 0.5 })),
    ...times(9, () => pageLoad("/navigation", 9_000, { op: "navigation" })),
  );
  const pages = valueOf((await load(app)).pages);
  assert.deepEqual(pages.map(({ name, loads }) => [name, loads]), [["/slow", 12], ["/fast", 5]]);
  assert.ok(Math.abs((pages[0]?.p75 ?? 0) - 5_000) < 100);
});

Deno.test("where visitors are few, every page load tells something", async () => {
  await using app = await watchedSite();
  await app.send(pageLoad("/once", 3_000));
  assert.deepEqual(valueOf((await load(app)).pages).map(({ name }) => name), ["/once"]);
});

Deno.test("the newest release is the one that came last, not the one that is seen last", async () => {
  await using app = await watchedSite();
  const ago = (hours: number) => ({ timestamp: new Date(Date.now() - hours * HOUR_MS) });
  await app.send(
    pageError("a", { release: "shop@1", ...ago(60) }),
    pageError("a", { release: "shop@2", ...ago(30) }),
    pageError("a", { release: "shop@1" }),
  );
  const newest = valueOf((await load(app)).release);
  assert.deepEqual([newest?.release, newest?.errors, newest?.isOlder], ["shop@2", 1, false]);
  assert.equal(valueOf((await load(app, "environment=nowhere")).release), null);
});

Deno.test("monitors in trouble come first, with what is left of their certificates", async () => {
  await using app = await watchedSite();
  await app.monitor({ name: "A", lastHour: { up: 3_600, down: 0 } });
  await app.monitor({
    name: "B",
    state: "down",
    certificate: certificate(5),
    lastHour: { up: 2_700, down: 900 },
  });
  await app.monitor({ name: "C", state: "down", isPaused: true, certificate: certificate(1) });
  await app.monitor({ name: "D", checkedMsAgo: HOUR_MS });
  await app.monitor({ name: "E", checkedMsAgo: null });
  const watched = valueOf((await load(app)).uptime);
  assert.deepEqual(
    watched.map(({ monitor, state, lastDay, certificate }) => [
      monitor.name,
      state,
      lastDay,
      certificate?.daysLeft ?? null,
    ]),
    [
      ["B", "down", 0.75, 5],
      ["D", "unknown", null, null],
      ["E", "unknown", null, null],
      ["A", "up", 1, null],
      ["C", "paused", null, null],
    ],
  );
  assert.equal(watched[0]?.downSec, 900);
});

Deno.test("another project's site is not this one's", async () => {
  await using app = await watchedSite();
  const records = [pageError("a"), pageLoad("/", 900)];
  await app.services.writer.commit("4711", { records, outcomes: [] });
  const site = await load(app);
  assert.deepEqual(valueOf(site.errors), { count: 0, before: 0, top: [] });
  assert.deepEqual(
    [valueOf(site.pages), valueOf(site.vitals).size, valueOf(site.release), site.host],
    [[], 0, null, null],
  );
});

Deno.test("where no page has sent an error, those of everything else are not counted through", async () => {
  await using app = await watchedSite();
  const { sql } = app.services;
  await app.send(pageError("server", { platform: "node" }));
  await sql`alter table issue_hours rename to not_to_be_read`;
  assert.deepEqual(valueOf((await load(app)).errors), { count: 0, before: 0, top: [] });
});

Deno.test("a part that takes too long says so, and the page does not wait for it", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const project = {
    id: "1",
    organizationId: "acme",
    slug: "shop",
    name: "Shop",
    platform: "other",
    createdAt: new Date(),
    firstEventAt: null,
  };
  const pageScope = await loadPageScope(sql, project, new URLSearchParams("range=24h"));
  const services = { sql, log: silentLogger };
  assert.equal((await loadSite(services, pageScope)).errors.kind, "read");
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: whenLocked } = Promise.withResolvers<void>();
  const holding = database.connect().begin(async (tx) => {
    await tx`lock table issues`;
    whenLocked();
    await held;
  });
  await locked;
  const site = await loadSite(services, pageScope, 50);
  release();
  await holding;
  assert.equal(site.errors.kind, "failed");
  assert.match(site.errors.sentence, /^This took longer than 0\.05 s\. Choose a shorter time/);
  // What was given up ends by itself, before the test does.
  assert.equal((await loadSite(services, pageScope)).errors.kind, "read");
});
