import assert from "node:assert/strict";
import { atPoints, type Exemplars } from "@/lib/transfers/sources/exemplars.ts";
import { AT, OTLP_TRACE, transferred } from "../../support/transferred.ts";

const nanos = (seconds: number) => `${seconds}000000000`;

Deno.test("exemplars go out with the points that they belong to, and come back as they were", async () => {
  await using world = await transferred();
  const { project, services: { sql }, serverKey } = world;
  const exemplars = (count: number, at: number) =>
    Array.from({ length: count }, (_, index) => ({
      timeUnixNano: nanos(at - 10 - index),
      asDouble: index + 0.5,
      traceId: OTLP_TRACE.slice(0, -1) + String(index),
      ...(index % 2 === 0 && { spanId: "aaaaaaaaaaaaaaaa" }),
    }));
  const points = [60, 120].map((after) => ({
    attributes: [{ key: "route", value: { stringValue: "/a" } }],
    startTimeUnixNano: nanos(AT),
    timeUnixNano: nanos(AT + after),
    count: "3",
    sum: 9,
    explicitBounds: [1, 10],
    bucketCounts: ["1", "1", "1"],
    exemplars: exemplars(3, AT + after),
  }));
  const histogram = { aggregationTemporality: 2, dataPoints: points };
  const numbers = points.map((
    { count: _, sum: __, explicitBounds: ___, bucketCounts: ____, ...rest },
  ) => ({
    ...rest,
    asInt: "7",
  }));
  const answer = await world.send("/v1/metrics", {
    method: "POST",
    headers: { authorization: `Bearer ${serverKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      resourceMetrics: [{
        scopeMetrics: [{
          metrics: [
            { name: "latency", unit: "ms", histogram },
            {
              name: "requests",
              sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: numbers },
            },
          ],
        }],
      }],
    }),
  });
  assert.equal(answer.status, 200, await answer.text());
  const stored = async (projectId: string) => [
    ...await sql`
      select name, minute, place, e."timestamp", value, trace_id, span_id
      from metric_exemplars as e join metrics using (project_id, metric_id)
      where project_id = ${projectId} order by name, minute, place
    `,
  ];
  const before = await stored(project.id);
  assert.equal(before.length, 12);
  const archive = await world.exported(project);
  const copy = await world.empty("Copy");
  for (const _ of ["once", "again"]) {
    const { state, lastError } = await world.imported(copy, "export.zip", archive);
    assert.equal(state, "done", lastError);
    assert.deepEqual(await stored(copy.id), before);
  }
});

Deno.test("an exemplar stands at the first point at its time or after that has room, else before", () => {
  const row = (second: number) => ({
    seriesId: "1",
    time: new Date(second * 1_000),
    value: second,
    traceId: OTLP_TRACE,
    spanId: null,
  });
  const exemplars: Exemplars = new Map([["1", [1, 2, 3, 4, 5, 6, 25].map(row)]]);
  const times = new Float64Array([10_000, 20_000]);
  const placed = atPoints({ seriesId: "1", times }, exemplars);
  const values = (index: number) => placed.get(index)?.map(({ asDouble }) => asDouble);
  assert.deepEqual([values(0), values(1)], [[1, 2, 3, 4, 5], [6, 25]]);
  assert.equal(atPoints({ seriesId: "2", times }, exemplars).size, 0);
});
