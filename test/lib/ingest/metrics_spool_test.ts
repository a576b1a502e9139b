import assert from "node:assert/strict";
import { faultyIntake } from "../../support/faulty_intake.ts";
import { waitFor } from "../../support/wait_for.ts";

Deno.test("while Postgres is away metrics are spooled, and limited and stored when it is back", async () => {
  await using intake = await faultyIntake({ series: { ofMetric: 2, ofProject: 10 } });
  const { link, send, services: { sql } } = intake;
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
  assert.equal((await intake.spooled()).length, 1);

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
