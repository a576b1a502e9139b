import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import { createProject } from "@/lib/accounts/projects.ts";
import type { Identity } from "@/lib/end_users/identity.ts";
import { jobFile } from "@/lib/end_users/job_file.ts";
import {
  askForJob,
  endJob,
  findJob,
  type Job,
  type JobKind,
  noteProgress,
} from "@/lib/end_users/jobs.ts";
import { summaryOf } from "@/lib/end_users/summary.ts";
import { startEndUserJobs } from "@/lib/end_users/work.ts";
import type { Services } from "@/lib/server/services.ts";
import { waitFor } from "../../support/wait_for.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { type TestIntake, testIntake } from "../../support/test_intake.ts";

const ANN = { id: "7", email: "Ann@Example.com", ip_address: "203.0.113.9" };
const BEN = { id: "8", email: "ben@example.com", ip_address: "203.0.113.8" };
const BY_ID: Identity = { kind: "id", value: "7" };
const TRACE = "0123456789abcdef0123456789abcdef";

function hex(length: number): string {
  return crypto.getRandomValues(new Uint8Array(length / 2)).toHex();
}

interface Item {
  readonly type: string;
  readonly [header: string]: unknown;
}

function envelope(header: object, ...items: [Item, string][]): string {
  const lines = items.flatMap((
    [head, body],
  ) => [JSON.stringify({ ...head, length: new TextEncoder().encode(body).length }), body]);
  return [JSON.stringify({ sent_at: new Date().toISOString(), ...header }), ...lines].join("\n");
}

function now(): number {
  return Date.now() / 1_000;
}

function event(user: object, message: string): string {
  return JSON.stringify({ platform: "node", timestamp: now(), user, message, release: "shop@1" });
}

/** Everything that programs send of two people. */
async function send(intake: TestIntake): Promise<void> {
  for (const [user, trace] of [[ANN, TRACE], [BEN, hex(32)]] as const) {
    for (let i = 0; i < 3; i++) {
      const id = hex(32);
      const status = await intake.post(envelope(
        { event_id: id },
        [{ type: "event" }, event(user, "The same for both")],
        [{ type: "attachment", filename: "state.txt" }, `state of ${user.id}`],
      ));
      assert.equal(status.status, 200);
    }
    const transaction = {
      type: "transaction",
      platform: "node",
      transaction: "GET /cart",
      start_timestamp: now() - 1,
      timestamp: now(),
      user,
      contexts: { trace: { trace_id: trace, span_id: hex(16), op: "http.server" } },
      spans: [{
        trace_id: trace,
        span_id: hex(16),
        parent_span_id: hex(16),
        op: "db",
        description: "select 1",
        start_timestamp: now() - 1,
        timestamp: now(),
      }],
    };
    await intake.post(
      envelope({ event_id: hex(32) }, [{ type: "transaction" }, JSON.stringify(transaction)]),
    );
    const feedback = {
      platform: "javascript",
      timestamp: now(),
      user,
      contexts: {
        feedback: { message: `Words of ${user.id}`, contact_email: user.email, name: "N" },
      },
    };
    await intake.post(
      envelope({ event_id: hex(32) }, [{ type: "feedback" }, JSON.stringify(feedback)]),
    );
    const session = {
      sid: crypto.randomUUID(),
      did: user.id,
      init: true,
      started: new Date().toISOString(),
      status: "ok",
      attrs: { release: "shop@1" },
    };
    await intake.post(envelope({}, [{ type: "session" }, JSON.stringify(session)]));
    const log = {
      timestamp: now(),
      trace_id: trace,
      level: "info",
      body: `Log of ${user.id}`,
      attributes: { "user.id": { type: "string", value: user.id } },
    };
    await intake.post(envelope({}, [
      { type: "log", item_count: 1, content_type: "application/vnd.sentry.items.log+json" },
      JSON.stringify({ items: [log] }),
    ]));
  }
}

async function run(
  { services, organization }: TestIntake,
  kind: JobKind,
  who: Identity,
): Promise<Job> {
  const id = await askForJob(services, organization.id, kind, who, "olga@example.com");
  // The services' own clock may be at work as well: one of both is.
  const clock = startEndUserJobs({ ...services, log: silentLogger, everyMs: null });
  const job = await waitFor("the end of the job", async () => {
    await clock.run();
    const found = await findJob(services.sql, organization.id, id);
    return found?.state === "waiting" ? null : found;
  });
  await clock.close();
  return job;
}

function countsOf({ counts }: Job, projectId: string): Record<string, number> {
  const { lists: _, ...rest } = counts[projectId] ?? {};
  return rest;
}

async function stored({ sql }: Services): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (
    const table of [
      "events",
      "event_ids",
      "attachments",
      "transactions",
      "span_batches",
      "feedback",
      "sessions",
      "session_users",
      "logs",
    ]
  ) {
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from ${sql(table)}`;
    counts[table] = row?.count ?? 0;
  }
  return counts;
}

const EVERYTHING = {
  events: 6,
  event_ids: 6,
  attachments: 6,
  transactions: 2,
  span_batches: 2,
  feedback: 2,
  sessions: 2,
  session_users: 2,
  logs: 2,
};
const HALF = Object.fromEntries(Object.entries(EVERYTHING).map(([name, n]) => [name, n / 2]));

Deno.test("a deletion takes what is stored of a person, nothing of others, and leaves a receipt with a hash", async () => {
  await using intake = await testIntake();
  const { services, project } = intake;
  const { sql, objects } = services;
  await createProject(services.kv, {
    organizationId: intake.organization.id,
    name: "Empty",
    platform: "node",
  });
  await send(intake);
  assert.deepEqual(await stored(services), EVERYTHING);

  const job = await run(intake, "erase", BY_ID);

  assert.deepEqual(await stored(services), HALF);
  assert.equal(job.state, "done");
  assert.deepEqual(countsOf(job, project.id), {
    events: 3,
    attachments: 3,
    transactions: 1,
    spans: 1,
    feedback: 1,
    sessions: 1,
    session_days: 1,
    logs: 1,
  });
  const [issue] = await sql`
    select times_seen::int as times, users_seen::int as users,
      (select sum(times_seen)::int from issue_days) as days,
      (select sum(times_seen)::int from issue_hours) as hours,
      (select count(*)::int from issue_users) as "inList" from issues
  `;
  assert.deepEqual({ ...issue }, { times: 3, users: 1, days: 3, hours: 3, inList: 1 });
  const files = await Array.fromAsync(objects.list(`attachments/${project.id}/`));
  assert.equal(files.length, 3);
  assert.equal(job.sealed, null);
  assert.ok(!JSON.stringify(job).includes("Ann@"));
  const [left] = await sql`
    select count(*)::int as count from issue_tags where value like '%Ann%' or value = 'id:7'
  `;
  assert.equal(left?.count, 0);

  const again = await run(intake, "erase", BY_ID);
  assert.deepEqual(countsOf(again, project.id), {});
  assert.deepEqual(await stored(services), HALF);
});

Deno.test("events are found by an email address, as it was sent, that is not what identifies their user", async () => {
  await using intake = await testIntake();
  await send(intake);

  const job = await run(intake, "erase", { kind: "email", value: "ANN@example.com" });

  // Feedback by its own address; transactions and sessions are known by the id alone.
  assert.deepEqual(countsOf(job, intake.project.id), { feedback: 1 });
  const exact = await run(intake, "erase", { kind: "email", value: "Ann@Example.com" });
  assert.deepEqual(countsOf(exact, intake.project.id), { events: 3, attachments: 3 });
  assert.equal((await stored(intake.services)).events, 3);
});

Deno.test("an export has what is stored of a person as files, until it expires, and the log tells of it", async () => {
  await using intake = await testIntake();
  const { services, project, organization } = intake;
  await send(intake);

  const job = await run(intake, "export", BY_ID);

  assert.equal(job.state, "done", job.lastError);
  assert.deepEqual(await stored(services), EVERYTHING);
  const file = await jobFile(services, job, true);
  assert.ok(file);
  const zip = unzipSync(new Uint8Array(await file.arrayBuffer()));
  const slug = project.slug;
  const lines = (name: string) =>
    new TextDecoder().decode(zip[`${slug}/${name}.jsonl`]).trim().split("\n")
      .map((line) => JSON.parse(line));
  assert.equal(lines("events").length, 3);
  assert.equal(lines("events")[0].event.user.email, "Ann@Example.com");
  assert.equal(lines("transactions")[0].spans.length, 1);
  assert.equal(lines("feedback")[0].message, "Words of 7");
  assert.equal(lines("logs")[0].body, "Log of 7");
  assert.equal(Object.keys(zip).filter((name) => name.includes("/attachments/")).length, 3);
  assert.ok(
    !JSON.stringify(Object.keys(zip).map((name) => new TextDecoder().decode(zip[name])))
      .includes("ben@example.com"),
  );

  await services.sql`update end_user_jobs set expires_at = now() - interval '1 second'`;
  const clock = startEndUserJobs({ ...services, log: silentLogger, everyMs: null });
  const expired = await waitFor("the end of the files", async () => {
    await clock.run();
    const found = await findJob(services.sql, organization.id, job.id);
    return found?.expiresAt === null ? found : null;
  });
  await clock.close();
  assert.equal(expired && await jobFile(services, expired, true), null);
  assert.deepEqual(await Array.fromAsync(services.objects.list("end_user_exports/")), []);
  const events = await services.sql`
    select event from audit_entries where event like '%.export' order by id
  `;
  assert.deepEqual(events.map(({ event }) => event), ["end-user.export", "user.export"]);
});

Deno.test("a search counts what each project has, and asks nothing of what others are", async () => {
  await using intake = await testIntake();
  await send(intake);
  const { sql } = intake.services;

  assert.deepEqual(await summaryOf(sql, [intake.project], BY_ID), [{
    project: { id: intake.project.id, name: intake.project.name },
    issues: 1,
    events: 3,
    transactions: 1,
    feedback: 1,
    sessions: 1,
  }]);
  assert.deepEqual(await summaryOf(sql, [intake.project], { kind: "id", value: "x'; --" }), []);
});

Deno.test("who hung while another went on with a job neither takes it back nor ends it", async () => {
  await using intake = await testIntake();
  const { services, organization } = intake;
  const { sql } = services;
  const id = await askForJob(services, organization.id, "export", BY_ID, "olga@example.com");
  const find = async () => {
    const job = await findJob(sql, organization.id, id);
    assert.ok(job);
    return job;
  };
  const hung = await find();
  const theirs = { project: 0, source: 1, cursor: null };
  assert.equal(await noteProgress(sql, { ...hung, counts: { "1": { events: 3 } } }, theirs), true);
  assert.equal(await noteProgress(sql, hung, { project: 0, source: 0, cursor: "5" }), false);
  await endJob(sql, hung, "", 7);
  const { state, progress, counts } = await find();
  assert.deepEqual({ state, progress, counts }, {
    state: "waiting",
    progress: theirs,
    counts: { "1": { events: 3 } },
  });
});
