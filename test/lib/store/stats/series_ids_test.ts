import assert from "node:assert/strict";
import { type Series, seriesId, seriesKey, seriesOf } from "@/lib/store/stats/series.ts";
import { idOf, wholeWithId } from "@/lib/store/stats/stat_tally.ts";

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

Deno.test("a series belongs to the one of all environments and releases, a visit to none", () => {
  const series = named("select 1");
  for (let round = 0; round < 2; round++) {
    const whole = wholeWithId({ series, seriesId: idOf(series) });
    const expected = { ...series, kind: "span_whole", environment: "", release: "" } as const;
    assert.deepEqual(whole, { series: expected, seriesId: idOf(expected) });
    const visit = { ...series, kind: "visit" } as const;
    assert.equal(wholeWithId({ series: visit, seriesId: idOf(visit) }), null);
  }
});
