import assert from "node:assert/strict";
import type { Project } from "@/lib/accounts/projects.ts";
import { AT, type Transferred, transferred } from "../../support/transferred.ts";

const EVENT = "11111111111111111111111111111111";
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();

async function send({ post }: Transferred, type: string, body: unknown): Promise<void> {
  const text = JSON.stringify(body);
  const head = { type, length: new TextEncoder().encode(text).length };
  const answer = await post([JSON.stringify({}), JSON.stringify(head), text].join("\n"));
  assert.equal(answer.status, 200, await answer.text());
}

/** What people wrote, two jobs and sessions of both kinds. */
async function sendAll(world: Transferred): Promise<void> {
  await send(world, "feedback", {
    platform: "javascript",
    timestamp: AT,
    environment: "production",
    release: "shop@1.0",
    user: { id: "7", email: "u7@example.com" },
    tags: { region: "eu" },
    contexts: {
      feedback: {
        message: "The button does nothing",
        name: "Ada",
        contact_email: "ada@example.com",
        url: "https://shop.example/cart",
        source: "widget",
        associated_event_id: EVENT,
      },
    },
  });
  await send(world, "user_report", { event_id: EVENT, comments: "Broken", name: "Bob" });
  const monitor_config = { schedule: { type: "crontab", value: "0 * * * *" }, checkin_margin: 5 };
  for (const [id, status] of [["a", "ok"], ["b", "error"]] as const) {
    await send(world, "check_in", {
      check_in_id: id.repeat(32),
      monitor_slug: "nightly",
      status,
      duration: 2.5,
      environment: "production",
      release: "shop@1.0",
      monitor_config,
      contexts: { trace: { trace_id: "c".repeat(32) } },
      log: `it is ${status}`,
    });
  }
  await send(world, "check_in", {
    check_in_id: "d".repeat(32),
    monitor_slug: "nightly",
    status: "in_progress",
  });
  const attrs = { release: "shop@1.0", environment: "production" };
  await send(world, "sessions", {
    attrs,
    aggregates: [{ started: iso(AT), exited: 7, errored: 2, crashed: 1, did: "ada" }],
  });
  await send(world, "session", {
    sid: "e".repeat(32),
    did: "bob",
    init: true,
    started: iso(AT - 7_200),
    status: "crashed",
    attrs: { ...attrs, environment: "staging" },
  });
}

/** All that is stored of them, but for the name of the project. */
async function storedOf({ services: { sql } }: Transferred, { id }: Project) {
  return {
    feedback: await sql`
      select feedback_id, "timestamp", received_at, event_id, message, name, email, url, source,
        platform, environment, release, user_key, trace_id, is_resolved
      from feedback where project_id = ${id} order by feedback_id
    `,
    runs: await sql`
      select check_in_id, monitor_slug, environment, release, status, started_at, finished_at,
        duration_sec, trace_id, received_at, has_begun, expected_at, config, log, is_ours,
        is_uncertain
      from check_ins where project_id = ${id} and status <> 'in_progress' order by check_in_id
    `,
    sessions: await sql`
      select hour, release, environment, total, errored, unhandled, abnormal, crashed, last_seen
      from session_hours where project_id = ${id} order by hour, environment
    `,
    users: await sql`
      select day, release, environment, user_hash, is_errored, is_crashed
      from session_users where project_id = ${id} order by environment
    `,
    releases: await sql`
      select version, sort_key, first_event from releases where project_id = ${id}
    `,
  };
}

Deno.test("feedback, runs of cron jobs and sessions come back as they were", async (t) => {
  await using world = await transferred();
  const { project, services: { sql } } = world;
  await sendAll(world);
  await sql`
    update feedback set is_resolved = true where project_id = ${project.id} and name = 'Ada'
  `;
  const before = await storedOf(world, project);
  assert.deepEqual(
    Object.values(before).map(({ length }) => length),
    [2, 2, 2, 2, 1],
    "there is something to compare",
  );
  const archive = await world.exported(project);
  const copy = await world.empty("Copy");
  const done = await world.imported(copy, "export.zip", archive);
  assert.deepEqual([done.state, done.lastError], ["done", ""]);
  assert.equal(done.counts.feedback, 2);
  assert.equal(done.counts.runs, 2);
  assert.equal(done.counts.sessions, 11);
  const after = await storedOf(world, copy);
  for (const name of Object.keys(before) as (keyof typeof before)[]) {
    await t.step(`their ${name} are the same`, () => {
      assert.deepEqual([...after[name]], [...before[name]]);
    });
  }

  await t.step("no incident is open, and no run is expected", async () => {
    const [state] = await sql`
      select next_at, incident_id from monitor_environments where project_id = ${copy.id}
    `;
    assert.deepEqual({ ...state }, { next_at: null, incident_id: null });
    const { length } = await sql`
      select 1 from monitor_incidents where project_id = ${copy.id} and resolved_at is null
    `;
    assert.equal(length, 0);
  });

  await t.step("a second import changes nothing, there or where it came from", async () => {
    for (const [each, expected] of [[copy, after], [project, before]] as const) {
      const { counts } = await world.imported(each, "export.zip", archive);
      assert.deepEqual([counts.feedback, counts.runs, counts.sessions], Array(3).fill(undefined));
      assert.deepEqual(await storedOf(world, each), expected);
    }
  });
});

Deno.test("what is older than the retention, or is nothing, is counted and left out", async () => {
  await using world = await transferred();
  const { project } = world;
  const lines = [
    { check_in_id: "a".repeat(32), monitor_slug: "job", status: "ok", timestamp: "2001-01-01" },
    { check_in_id: "b".repeat(32), monitor_slug: "job", status: "fine", timestamp: iso(AT) },
    { check_in_id: "c".repeat(32), monitor_slug: "NO", status: "ok", timestamp: iso(AT) },
    {
      type: "sessions",
      attrs: { release: "a" },
      aggregates: [{ started: "2001-01-01", exited: 4 }, { started: {}, exited: 1 }, 7],
      users: { day: "2001-01-01", seen: ["a".repeat(32)] },
    },
  ];
  const { state, counts } = await world.imported(
    project,
    "lines.jsonl",
    lines.map((line) => JSON.stringify(line)).join("\n"),
  );
  assert.equal(state, "done");
  assert.deepEqual(counts, { too_old: 5, unreadable: 2 });
  const stored = await storedOf(world, project);
  assert.deepEqual([stored.runs.length, stored.sessions.length, stored.users.length], [0, 0, 0]);
});
