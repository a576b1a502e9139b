import assert from "node:assert/strict";
import { type Series, seriesId, seriesKey, seriesOf } from "@/lib/store/stats/series.ts";
import { idOf, sumsWithId } from "@/lib/store/stats/stat_tally.ts";

function named(name: string): Series {
  return seriesOf({ kind: "span", environment: "production", release: "1", service: "api", name });
}

Deno.test("ids are those of the keys, also of more series than are remembered", () => {
  const names = Array.from({ length: 20_100 }, (_, index) => `select ${index}`);
  for (const name of [...names, ...names.slice(0, 10)]) {
    const series = named(name);
    assert.equal(idOf(series), seriesId(seriesKey(series)));
  }
});

Deno.test("a series belongs to those of all environments and releases and of all names, a visit to none", () => {
  const series = { ...named("select 1"), category: "db" };
  for (let round = 0; round < 2; round++) {
    const sums = sumsWithId({ series, seriesId: idOf(series) });
    const whole = { ...series, kind: "span_whole", environment: "", release: "" } as const;
    const total = { ...series, kind: "span_total", name: "" } as const;
    assert.deepEqual(sums, [whole, total].map((sum) => ({ series: sum, seriesId: idOf(sum) })));
    const visit = { ...series, kind: "visit" } as const;
    assert.deepEqual(sumsWithId({ series: visit, seriesId: idOf(visit) }), []);
  }
});
