import assert from "node:assert/strict";
import { replayInto } from "@/lib/ingest/replay.ts";
import { openSpool } from "@/lib/ingest/spool.ts";
import { openSeriesLimits } from "@/lib/metrics/series_limits.ts";
import { apiApp } from "../../support/api_app.ts";
import { faultyLink } from "../../support/faulty_link.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { testIntake } from "../../support/test_intake.ts";
import { waitFor } from "../../support/wait_for.ts";
import { testWriter } from "../../support/writer.ts";

Deno.test("while Postgres is away metrics are spooled, and limited and stored when it is back", async () => {
  await using opened = new AsyncDisposableStack();
  const intake = opened.use(await testIntake());
  const { config, kv, objects, sql, families } = intake.services;
  const link = opened.use(faultyLink(sql));
  const writer = opened.use(testWriter(link.sql, { timeoutMs: 300 }));
  const seriesLimits = openSeriesLimits(link.sql, { ofMetric: 2, ofProject: 10 });
  const replayLimits = openSeriesLimits(sql, { ofMetric: 2, ofProject: 10 });
  const replay = replayInto({
    config,
    kv,
    writer,
    seriesLimits: replayLimits,
    families,
    objects,
    log: silentLogger,
  });
  const spool = openSpool({ kv, objects, log: silentLogger, maxBytes: 1_000_000, replay });
  opened.defer(() => spool.close());
  // What still hangs on the link must not hold up the end of the test.
  opened.defer(() => link.resume());
  const send = apiApp({ ...intake.services, writer, spool, seriesLimits });

  link.pause();
  const answer = await send("/v1/metrics", {
    method: "POST",
    headers: {
      authorization: `Bearer ${intake.serverKey}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(request(3)),
  });
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
  const spooled = await Array.fromAsync(objects.list("spool/"));
  assert.equal(spooled.length, 1);

  link.resume();
  const points = await waitFor("the points", async () => {
    const [row] = await sql<{ points: number }[]>`select points from metric_batches`;
    return row?.points ?? null;
  });
  assert.equal(points, 2);
});

/** Series of one gauge, each with a point of now. */
function request(series: number): unknown {
  const timeUnixNano = `${Date.now()}000000`;
  const dataPoints = Array.from({ length: series }, (_, place) => ({
    timeUnixNano,
    asDouble: 1.5,
    attributes: [{ key: "host", value: { stringValue: String(place) } }],
  }));
  const metrics = [{ name: "memory", unit: "By", gauge: { dataPoints } }];
  return { resourceMetrics: [{ resource: {}, scopeMetrics: [{ metrics }] }] };
}
