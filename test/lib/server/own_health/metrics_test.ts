import assert from "node:assert/strict";
import { MEASURES } from "@/lib/core/measures/measures.ts";
import { collect } from "@/lib/server/own_health/collect.ts";
import { watchOwnHealth } from "@/lib/server/own_health/watch.ts";
import { errorEnvelope } from "@/test/support/envelopes.ts";
import { faultyLink } from "@/test/support/faulty_link.ts";
import { builtApp } from "@/test/support/built_app.ts";
import { testIntake } from "@/test/support/test_intake.ts";
import { testDatabase, testKv, testServices } from "@/test/support/stores.ts";
import { tempDir } from "@/test/support/temp_dir.ts";
import { waitFor } from "@/test/support/wait_for.ts";

const TOKEN = "a-token-for-metrics-0123";
const PROMTOOL = "/usr/bin/promtool";
const hasPromtool = await Deno.stat(PROMTOOL).then(() => true, () => false);
if (!hasPromtool) console.warn(`skipped: there is no promtool at ${PROMTOOL}`);

function asking(authorization?: string): Request {
  return new Request("http://localhost:8000/metrics", {
    headers: authorization === undefined ? {} : { authorization },
  });
}

Deno.test("without a token in the settings there is nothing at /metrics", async () => {
  await using test = await testServices();
  const handle = builtApp(test.services);
  const answer = await handle(asking(`Bearer ${TOKEN}`));
  assert.equal(answer.status, 404);
  await answer.body?.cancel();
});

Deno.test("/metrics is for those alone who send its token", async () => {
  await using test = await testServices({ metricsToken: TOKEN });
  const handle = builtApp(test.services);
  for (const wrong of [undefined, "Bearer", `Bearer ${TOKEN}x`, `Basic ${TOKEN}`]) {
    const answer = await handle(asking(wrong));
    assert.equal(answer.status, 401, wrong);
    assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/);
    assert.doesNotMatch(await answer.text(), /watchpost_/);
  }
  const answer = await handle(asking(`bearer ${TOKEN}`));
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /^watchpost_requests_total\{protocol="sentry_envelope"/m);
});

Deno.test({
  name: "promtool finds nothing to say against names, types and units",
  ignore: !hasPromtool,
  async fn() {
    await using test = await testServices({ metricsToken: TOKEN });
    const answer = await builtApp(test.services)(asking(`Bearer ${TOKEN}`));
    const child = new Deno.Command(PROMTOOL, {
      args: ["check", "metrics"],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(await answer.bytes());
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assert.equal(said, "");
    assert.equal(code, 0);
  },
});

Deno.test("requests are counted by what became of them, and records when they are durable", async () => {
  await using intake = await testIntake();
  const { send, project, serverKey } = intake;
  const stored = () => MEASURES.requests.total("sentry_envelope", "stored");
  const before = {
    stored: stored(),
    unauthorized: MEASURES.requests.total("sentry_envelope", "unauthorized"),
    records: MEASURES.recordsStored.total("error"),
    commits: MEASURES.commitDuration.read().count,
  };
  const post = async (key: string) => {
    const answer = await send(`/api/${project.id}/envelope/?sentry_key=${key}`, {
      method: "POST",
      body: errorEnvelope().body,
    });
    await answer.body?.cancel();
    return answer.status;
  };

  assert.equal(await post(serverKey), 200);
  assert.equal(await post("f".repeat(32)), 401);

  assert.equal(stored() - before.stored, 1);
  assert.equal(
    MEASURES.requests.total("sentry_envelope", "unauthorized") - before.unauthorized,
    1,
  );
  assert.equal(MEASURES.recordsStored.total("error") - before.records, 1);
  assert.ok(MEASURES.commitDuration.read().count > before.commits);
});

Deno.test("a store that is away is told, and what it would have told is left out", async () => {
  await using test = await testServices();
  await using database = await testDatabase({ isEmpty: true });
  await using link = faultyLink(database.sql);
  link.pause();
  const services = { ...test.services, sql: link.sql };

  const families = await collect(services);

  const up = families.find(({ name }) => name === "watchpost_store_up");
  assert.deepEqual(up?.samples.map(({ labels, value }) => [labels.store, value]), [
    ["kv", 1],
    ["postgres", 0],
    ["objects", 1],
  ]);
  const names = families.map(({ name }) => name);
  for (const told of ["watchpost_spool_bytes", "watchpost_set_aside_requests"]) {
    assert.ok(names.includes(told), told);
  }
  assert.ok(!names.includes("watchpost_fold_age_seconds"));
});

Deno.test("what docs/operations.md names is there, and nothing else", async () => {
  await using dir = await tempDir();
  await using test = await testServices({ dataDir: dir.path });
  const document = await Deno.readTextFile(
    new URL("../../../../docs/operations.md", import.meta.url),
  );
  const [, table = ""] = document.split("## Metrics");
  const rows =
    table.split("When an alarm comes")[0]?.split("\n").filter((row) => /^\| `\w/.test(row)) ??
      [];
  const documented = rows.flatMap((row) => namesOf(row.split(" | ")[0] ?? ""));
  const families = await collect(test.services);
  const told = families.map(({ name, type }) => type === "counter" ? `${name}_total` : name);
  // Not every system tells of files.
  const isEverywhere = (name: string) => !/_fds$/.test(name);
  assert.deepEqual(told.filter(isEverywhere).sort(), documented.filter(isEverywhere).sort());
});

/** Names in the first cell of a row: `_bytes` after `watchpost_queue_records` is `watchpost_queue_bytes`. */
function namesOf(cell: string): string[] {
  let first = "";
  return [...cell.matchAll(/`(\w+)/g)].map(([, name = ""]) => {
    if (!name.startsWith("_")) return first = name;
    return /^(watchpost_(?:set_aside|[a-z]+))_/.exec(first)?.[1] + name;
  });
}

Deno.test("stores are tried again and again, and the event loop with them", async () => {
  await using kv = await testKv();
  await using database = await testDatabase({ isEmpty: true });
  const { sql } = database;
  const intakeSql = database.connect();
  const count = () => [
    MEASURES.kvLatency.read().count,
    MEASURES.postgresLatency.read("pages").count,
    MEASURES.postgresLatency.read("intake").count,
    MEASURES.loopLag.read().count,
  ];
  const before = count();
  const waiting = () => ({ records: 3, bytes: 900, ageMs: 40 });
  const watch = watchOwnHealth({ ...kv, sql, intakeSql, writer: { waiting } }, 10);

  await waitFor(
    "all of them",
    () => count().every((now, index) => now > (before[index] ?? 0)) || null,
  );
  await watch.close();
  await intakeSql.end();

  assert.equal(MEASURES.queueRecords.total(), 3);
  assert.equal(MEASURES.queueAge.total(), 0.04);
});
