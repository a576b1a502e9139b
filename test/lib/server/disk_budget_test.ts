import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { keyOf } from "@/lib/accounts/kv.ts";
import { readConfig } from "@/lib/core/config.ts";
import { DAY_MS, HOUR_MS } from "@/lib/core/time.ts";
import { diskUse, forecastOf, fullIn, keepWithin } from "@/lib/server/disk_budget.ts";
import { createAhead, ensurePartitions } from "@/lib/store/partitions.ts";
import { errorEvent } from "../../support/error_event.ts";
import { makeWorld } from "../../support/ingest_world.ts";
import { logLines } from "../../support/log_lines.ts";
import {
  attachmentRecord,
  logRecord,
  profileRecord,
  transactionRecord,
} from "../../support/records.ts";
import { objectsKind } from "../../support/objects.ts";
import { testDatabase, testKv, testObjects } from "../../support/stores.ts";
import { testWriter } from "../../support/writer.ts";

const never = new AbortController().signal;
const SMTP = { host: "localhost", port: 25, security: "none", login: null, from: "w@example.com" };
const MB = 1_000_000;

/** Some of each kind ten and nine days ago and today, a megabyte of each in Postgres. */
async function filled() {
  await using opened = new AsyncDisposableStack();
  const { kv } = opened.use(await testKv());
  const { objects } = opened.use(await testObjects());
  const { sql } = opened.use(await testDatabase());
  const { owner, project } = await makeWorld(kv);
  await kv.set(keyOf.user(owner.id), { ...owner, isInstanceAdmin: true });
  const now = new Date();
  await createAhead(sql);
  for (const days of [10, 9, 0]) {
    const timestamp = new Date(now.getTime() - days * DAY_MS);
    await ensurePartitions(sql, [timestamp]);
    await using writer = testWriter(sql);
    const attachment = attachmentRecord({ timestamp });
    const profile = profileRecord({ timestamp });
    for (const { key, bytes } of [attachment.blob, profile.blob]) await objects.put(key, bytes);
    const records = [
      errorEvent({ timestamp, group: `of day ${days}` }),
      transactionRecord({ timestamp }),
      logRecord({ timestamp }),
      attachment,
      profile,
    ];
    await writer.commit(project.id, { records, outcomes: [] });
    // Not by the database: Citus writes what is the same on each server.
    const text = randomBytes(16).toString("hex");
    for (const table of ["events", "transactions"]) {
      await sql`
        update ${sql(table)} set payload = decode(repeat(${text}::text, 65000), 'hex')
        where project_id = ${project.id} and "timestamp" between ${new Date(+timestamp - HOUR_MS)}
          and ${new Date(+timestamp + HOUR_MS)}
      `;
    }
  }
  const { log, lines } = logLines();
  const config = { ...readConfig({ SERVICE_DATA_DIR: "/nowhere" }), smtp: SMTP } as const;
  const services = (maxDiskBytes: number | null) => ({
    kv,
    sql,
    objects,
    log,
    disk: { room: () => null },
    config: { ...config, smtp: { ...SMTP, security: "none" as const }, maxDiskBytes },
  });
  const counts = async () => {
    const tables = ["events", "event_ids", "attachments", "issues", "transactions", "logs"];
    const found = await Promise.all([...tables, "profiles"].map(async (table) => {
      const [row] = await sql<{ n: number }[]>`select count(*)::int as n from ${sql(table)}`;
      return row?.n;
    }));
    return found.join(" ");
  };
  const subjects = async () =>
    (await sql<{ subject: string }[]>`
      select mail::jsonb ->> 'subject' as subject from mails order by created_at
    `).map(({ subject }) => subject);
  const stored = async () => (await Array.fromAsync(objects.list(""))).length;
  const used = async () => {
    await keepWithin(services(Number.MAX_SAFE_INTEGER), never, now);
    const use = await diskUse(kv);
    return (use?.postgresBytes ?? 0) + (use?.objectBytes ?? 0);
  };
  const stores = opened.move();
  return {
    kv,
    objects,
    now,
    lines,
    services,
    counts,
    subjects,
    stored,
    used,
    [Symbol.asyncDispose]: () => stores.disposeAsync(),
  };
}

Deno.test("within its budget nothing goes", async () => {
  await using world = await filled();
  await world.used();
  assert.equal(await world.counts(), "3 3 3 3 3 3 3");
  assert.deepEqual(await world.subjects(), []);
});

Deno.test("what is too much goes by day from the oldest on, and of a day errors last", async () => {
  await using world = await filled();
  const { now, services, counts, stored } = world;
  const step = async (tooMuchMb: number) => {
    const maxBytes = await world.used() - tooMuchMb * MB;
    await keepWithin(services(maxBytes), never, now);
    return await counts();
  };
  assert.equal(await stored(), 6);
  assert.equal(await step(0.5), "3 3 3 3 2 2 2");
  assert.equal(await stored(), 5);
  assert.equal(await step(0.5), "2 2 2 2 2 2 2");
  assert.equal(await stored(), 4);
  assert.equal(await step(1.5), "1 1 1 1 1 1 1");
  assert.equal(await stored(), 2);
});

Deno.test("today stays however much it is, nothing is refused, and administrators are told each thing once", async () => {
  await using world = await filled();
  const { kv, now, services, counts, subjects } = world;
  await keepWithin(services(1), never, now);
  assert.equal(await counts(), "1 1 1 1 1 1 1");
  assert.equal((await diskUse(kv))?.told, "stuck");
  await keepWithin(services(1), never, now);
  assert.deepEqual(await subjects(), ["The disk budget is too small"]);
});

Deno.test("administrators are told a week before the budget is used up, and again only after there was room", async () => {
  await using world = await filled();
  const { kv, now, services, subjects } = world;
  const used = await world.used();
  const use = await diskUse(kv);
  const growing = async (mbADay: number) => {
    const notes = [3, 2, 1].map((days) => ({
      at: now.getTime() - days * DAY_MS,
      freeBytes: -(used - days * mbADay * MB),
    }));
    await kv.set(keyOf.diskUse(), { ...use, ...await diskUse(kv), notes });
    await keepWithin(services(used + 50 * MB), never, now);
  };
  await growing(2);
  assert.deepEqual(await subjects(), []);
  await growing(10);
  await growing(10);
  assert.deepEqual(await subjects(), ["The disk budget is used up in 5 days"]);
  const days = await fullIn(services(used + 50 * MB), await diskUse(kv));
  assert.ok(days !== null && days > 4.5 && days < 5.5, `${days}`);
  await growing(2);
  await growing(10);
  assert.equal((await subjects()).length, 2);
});

Deno.test("a budget that does not fill is told from one that was looked at for too short", async () => {
  await using world = await filled();
  const { kv, now, services } = world;
  await keepWithin(services(1_000 * MB), never, now);
  const use = await diskUse(kv);
  assert.ok(use);
  const notes = [2, 1, 0].map((days) => ({ at: now.getTime() - days * DAY_MS, freeBytes: MB }));
  const forecasts = [notes, notes.slice(2)].map((notes) =>
    forecastOf(services(1_000 * MB), { ...use, notes })
  );
  assert.deepEqual(await Promise.all(forecasts), [
    { days: null, isKnown: true },
    { days: null, isKnown: false },
  ]);
});

Deno.test("all objects count, however many pages a bucket lists, and are listed anew only where a hundredth of the time allows", async () => {
  await using world = await filled();
  const { kv, objects, now, services } = world;
  // A page of S3 has 1,000; a folder has none.
  const many = objectsKind === "s3" ? 1_100 : 20;
  await world.used();
  const before = await diskUse(kv);
  assert.ok(before);
  for (let index = 0; index < many; index += 50) {
    const some = Array.from({ length: Math.min(50, many - index) }, (_, i) => index + i);
    await Promise.all(some.map((i) => objects.put(`attachments/1/x/${i}`, new Uint8Array(100))));
  }
  const known = { ...before, listedInMs: HOUR_MS / 100 };
  await kv.set(keyOf.diskUse(), known);
  const bytesAfter = async (passedMs: number, stopping = never) => {
    const later = new Date(now.getTime() + passedMs);
    await keepWithin(services(Number.MAX_SAFE_INTEGER), stopping, later);
    return ((await diskUse(kv))?.objectBytes ?? 0) - before.objectBytes;
  };
  assert.equal(await bytesAfter(HOUR_MS - 1), 0);
  // Whoever has to stop does not list them first.
  assert.equal(await bytesAfter(HOUR_MS, AbortSignal.abort()), 0);
  assert.equal(await bytesAfter(HOUR_MS), many * 100);
});
