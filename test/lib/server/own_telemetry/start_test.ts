import assert from "node:assert/strict";
import { keyOf } from "@/lib/accounts/kv.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { MEASURES } from "@/lib/core/measures/measures.ts";
import { noteWork } from "@/lib/core/own_work.ts";
import type { Config } from "@/lib/core/config.ts";
import type { Services } from "@/lib/server/services.ts";
import { BugReports, reportingLog } from "@/lib/server/own_telemetry/bugs.ts";
import { startOwnTelemetry } from "@/lib/server/own_telemetry/start.ts";
import { listeningApp } from "@/test/support/listening_app.ts";
import { refuseRows } from "@/test/support/refusing_trigger.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { testServices } from "@/test/support/stores.ts";
import { acme } from "@/test/support/ui_app.ts";
import { waitFor } from "@/test/support/wait_for.ts";

/** Looks by hand only, and finds all due at once. */
const BY_HAND = { tickMs: 1_000_000, workMs: 0, profileMs: 0, sampleMs: 200 };

interface Stored {
  readonly errors: number;
  readonly transactions: number;
  readonly profiles: number;
}

async function storedIn({ sql }: Pick<Services, "sql">, projectId: string): Promise<Stored> {
  const [row] = await sql<Stored[]>`
    select (select count(*)::int from events where project_id = ${projectId}) as errors,
      (select count(*)::int from transactions where project_id = ${projectId}) as transactions,
      (select count(*)::int from profiles where project_id = ${projectId}) as profiles`;
  return row ?? { errors: 0, transactions: 0, profiles: 0 };
}

/** Computes for as long as the profiler looks. */
async function busily(work: Promise<void>): Promise<void> {
  let isOver = false;
  work.finally(() => isOver = true);
  for (let sum = 0; !isOver; await new Promise((resolve) => setTimeout(resolve))) {
    for (let step = 0; step < 300_000; step++) sum += Math.sqrt(sum + step);
  }
  await work;
}

Deno.test("an instance tells another one of its errors, slowest work and profiles", async () => {
  await using watcher = await listeningApp(true);
  await using test = await testServices({ watchDsn: watcher.serverDsn });
  const bugs = new BugReports();
  const telemetry = startOwnTelemetry(test.services, bugs, BY_HAND);
  try {
    await telemetry.run();
    const log = reportingLog(silentLogger, bugs);
    log.error("maintenance failed", { error: new TypeError("x is not a function") });
    noteWork("request", "GET /projects/:project", performance.now() - 50);
    noteWork("clock", "maintenance", performance.now() - 60_000);

    await busily(telemetry.run());

    const stored = await waitFor("what was sent", async () => {
      // A busy machine may answer too late, and then it is sent again.
      await telemetry.run();
      const found = await storedIn(watcher.services, watcher.projectId);
      return found.errors > 0 && found.profiles > 0 && found.transactions > 0 ? found : null;
    });
    assert.equal(stored.errors, 1);
    const [event] = await watcher.services.sql<{ title: string }[]>`
      select title from issues where project_id = ${watcher.projectId}`;
    assert.match(event?.title ?? "", /TypeError/);
    const names = await watcher.services.sql<{ name: string }[]>`
      select name from transactions where project_id = ${watcher.projectId}`;
    for (const name of ["GET /projects/:project", "maintenance"]) {
      assert.ok(names.some((each) => each.name === name), name);
    }
  } finally {
    await telemetry.close();
  }
});

/** Sends to a project of the same instance, as the button on the Instance page has it. */
async function watchingItself(overrides: Partial<Config> = {}) {
  const app = await acme(overrides);
  const { kv } = app.services;
  const { id } = await createProject(kv, {
    organizationId: app.organization.id,
    name: "Watchpost",
    platform: "node-deno",
  });
  await kv.set(keyOf.watch(), { projectId: id, isOn: true });
  const bugs = new BugReports();
  const log = reportingLog(silentLogger, bugs);
  const telemetry = startOwnTelemetry(app.services, bugs, { ...BY_HAND, profileMs: 1e9 });
  await telemetry.run();
  return {
    services: app.services,
    projectId: id,
    bugs,
    log,
    telemetry,
    async [Symbol.asyncDispose]() {
      await telemetry.close();
      await app[Symbol.asyncDispose]();
    },
  };
}

Deno.test("an instance that tells itself stores its errors, and storing them makes nothing new to tell", async () => {
  await using own = await watchingItself();
  own.log.error("request failed", { error: "its stack" }, new TypeError("x is not a function"));
  await own.telemetry.run();
  await waitFor(
    "the event",
    async () => (await storedIn(own.services, own.projectId)).errors || null,
  );

  await own.telemetry.run();
  await own.telemetry.run();

  assert.equal((await storedIn(own.services, own.projectId)).errors, 1);
  const names = await own.services.sql<{ name: string }[]>`
    select distinct name from transactions where project_id = ${own.projectId}`;
  assert.deepEqual(names.filter(({ name }) => name === "commit" || name.includes("api")), []);
});

Deno.test("while its own reports cannot be stored, an instance reports nothing of that, whatever it tries", async () => {
  await using own = await watchingItself();
  const mend = await refuseRows(own.services.sql, "events", "0A000", own.projectId);
  const before = MEASURES.ownPieces.total("watch", "sent");
  own.log.error("request failed", { error: "its stack" }, new TypeError("x is not a function"));

  for (let round = 0; round < 3; round++) await own.telemetry.run();

  assert.ok(MEASURES.ownPieces.total("watch", "sent") > before, "it is set aside");
  assert.deepEqual(own.bugs.take().bugs, []);
  assert.equal((await storedIn(own.services, own.projectId)).errors, 0);
  await mend();
});

Deno.test("what is not taken waits in memory, and is dropped and counted when there is too much or it is refused", async () => {
  let status = 503;
  const bodies: string[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (req) => {
      bodies.push(await req.text());
      return new Response(null, { status });
    },
  );
  const watchDsn = `http://${"a".repeat(32)}@127.0.0.1:${server.addr.port}/1`;
  await using test = await testServices({ watchDsn });
  const bugs = new BugReports();
  const log = reportingLog(silentLogger, bugs);
  const telemetry = startOwnTelemetry(test.services, bugs, { ...BY_HAND, profileMs: 1e9 });
  const count = (outcome: string) => MEASURES.ownPieces.total("watch", outcome);
  const before = { sent: count("sent"), dropped: count("dropped") };
  try {
    await telemetry.run();
    log.error("the first", { error: new TypeError("bug") });
    await telemetry.run();
    log.error("the second", { error: new TypeError("bug") });
    await telemetry.run();
    assert.equal(bodies.length, 2, "one try each time");
    assert.equal(count("sent"), before.sent);

    status = 200;
    await telemetry.run();
    assert.match(bodies[2] ?? "", /the first/);
    assert.match(bodies[3] ?? "", /the second/);
    assert.equal(count("sent") - before.sent, 2);

    status = 401;
    log.error("the third", { error: new TypeError("bug") });
    await telemetry.run();
    await telemetry.run();
    assert.equal(bodies.length, 5, "not again");
    assert.equal(count("dropped") - before.dropped, 1);
  } finally {
    await telemetry.close();
  }
});

Deno.test("measures and work go to any receiver of OTLP, with its headers, and Watchpost is one", async () => {
  await using receiver = await listeningApp(true);
  const key = new URL(receiver.serverDsn).username;
  const headers = { authorization: `Bearer ${key}` };
  await using test = await testServices({ otlp: { endpoint: receiver.url, headers } });
  const telemetry = startOwnTelemetry(test.services, new BugReports(), BY_HAND);
  try {
    await telemetry.run();
    noteWork("request", "POST /api/:project/envelope{/}?", performance.now() - 5, {
      isFailed: true,
      attributes: { "http.response.status_code": 500 },
    });
    MEASURES.commitDuration.observe(0.02);
    await telemetry.run();

    const { sql } = receiver.services;
    await waitFor("the trace", async () => {
      await telemetry.run();
      return (await storedIn(receiver.services, receiver.projectId)).transactions || null;
    });
    const names = await waitFor("the metrics", async () => {
      const rows = await sql<{ name: string; kind: string }[]>`
        select name, kind::text from metrics where project_id = ${receiver.projectId}`;
      return rows.length > 0 ? rows : null;
    });
    for (
      const name of [
        "watchpost_requests",
        "watchpost_commit_duration_seconds",
        "process_cpu_seconds",
      ]
    ) {
      assert.ok(names.some((each) => each.name === name), name);
    }
  } finally {
    await telemetry.close();
  }
});
