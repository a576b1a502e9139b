import assert from "node:assert/strict";
import { keyOf } from "@/lib/accounts/kv.ts";
import { DAY_MS, MINUTE_MS } from "@/lib/core/time.ts";
import type { DiskUse } from "@/lib/server/disk_budget.ts";
import { noteReading } from "@/lib/server/own_health/recent.ts";
import { recentLoad } from "@/lib/server/own_health/recent.ts";
import { faultyLink } from "../../support/faulty_link.ts";
import { acme, textOf } from "../../support/ui_app.ts";
import { builtApp } from "../../support/built_app.ts";
import { newVisitor } from "../../support/visitor.ts";
import { waitFor } from "../../support/wait_for.ts";

Deno.test("the Instance page tells the load of the last minute, and how far background work is behind", async () => {
  await using app = await acme();
  noteReading();
  await waitFor("a second", () => recentLoad());
  const { html } = await app.owner.get("/instance");
  const text = textOf(html);
  for (
    const part of [
      /Load of the last minute/,
      /Requests \d+\.\d\/s/,
      /Wait for a commit 0 records/,
      /A commit takes/,
      /Deno KV responds in/,
      /Counts are behind by \S+/,
      /Notices on their way 0/,
      /Memory \d+/,
    ]
  ) assert.match(text, part);
});

Deno.test("the Instance page lists the processes that serve, and those that are gone", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const note = {
    host: "left",
    port: 8000,
    version: "0.0.9",
    isolates: 4,
    startedAt: new Date(Date.now() - DAY_MS),
    requestsASecond: 12.25,
    lagSec: 0.004,
  };
  const read = async () => textOf((await app.owner.get("/instance")).html);
  await kv.set(keyOf.instance("1"), { ...note, id: "1", seenAt: new Date() });
  assert.match(await read(), /left:8000 0\.0\.9 1 d ago 4 12\.3\/s 4 ms just now/);
  const died = new Date(Date.now() - 5 * MINUTE_MS);
  await kv.set(keyOf.instance("2"), { ...note, id: "2", host: "right", seenAt: died });
  assert.match(await read(), /right:8000 gone 0\.0\.9 1 d ago 4 – – 5 min ago/);
});

Deno.test("while Postgres is away, the Instance page leaves out what it would have told", async () => {
  await using app = await acme();
  await using link = faultyLink(app.services.sql);
  link.pause();
  const visitor = newVisitor(builtApp({ ...app.services, sql: link.sql }));
  await visitor.signIn("olga@example.com");
  const { html, status } = await visitor.get("/instance");
  const text = textOf(html);
  assert.equal(status, 200);
  assert.match(text, /Postgres: away/);
  assert.match(text, /Load of the last minute/);
  assert.doesNotMatch(text, /Counts are behind by/);

  // What still waits for Postgres has its answers before the next page.
  link.resume();
  assert.doesNotMatch(textOf((await visitor.get("/instance")).html), /Postgres: away/);
});

Deno.test("the Instance page tells what is used of the disk budget, when it is full and what had to go", async () => {
  await using app = await acme();
  const { services } = app;
  const without = textOf((await app.owner.get("/instance")).html);
  assert.match(without, /Set SERVICE_MAX_DISK to let the oldest days make room/);

  const config = { ...services.config, maxDiskBytes: 10 * 2 ** 30 };
  const visitor = newVisitor(builtApp({ ...services, config }));
  await visitor.signIn("olga@example.com");
  assert.match(
    textOf((await visitor.get("/instance")).html),
    /Disk budget measured in a few minutes/,
  );

  const day = Date.UTC(2026, 10, 20);
  await services.kv.set(
    keyOf.diskUse(),
    {
      at: Date.now(),
      postgresBytes: 7 * 2 ** 30,
      objectBytes: 2 * 2 ** 30,
      listedAt: Date.now(),
      listedInMs: 5,
      notes: [0, 1, 2].map((at) => ({ at: day + at * DAY_MS, freeBytes: -(7 + at) * 2 ** 30 / 4 })),
      keptFrom: { others: day },
      told: "soon",
    } satisfies DiskUse,
  );
  const text = textOf((await visitor.get("/instance")).html);
  assert.match(text, /9 GiB of 10 GiB \(90\.0%\)/);
  assert.match(text, /Full in 4 days/);
  assert.match(text, /Removed for room, all but errors before 2026-11-20 00:00 UTC/);
});
