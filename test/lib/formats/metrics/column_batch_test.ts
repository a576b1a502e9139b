import assert from "node:assert/strict";
import { GrowingColumns } from "@/lib/formats/metrics/column_batch.ts";
import { SeriesIdentity } from "@/lib/records/mod.ts";

const METRIC = { name: "level", kind: "gauge", unit: "", description: "" } as const;

/** Reads requests of series by their letters, whose points have their places as values. */
function reader() {
  const known = new Map<string, SeriesIdentity>();
  return (letters: string) => {
    const columns = new GrowingColumns();
    for (const [place, letter] of [...letters].entries()) {
      const series = known.get(letter) ??
        new SeriesIdentity(METRIC, "level", [["host", letter]]);
      known.set(letter, series);
      columns.add(series, 1, 0, place);
    }
    const { numbers } = columns.finished([]);
    const visited: string[] = [];
    columns.visit(
      [],
      () => {},
      ({ labels }, { value }) => visited.push(`${labels[0]?.[1]}${value}`),
    );
    const series = numbers.layout.series.map(({ labels }) => labels[0]?.[1]).join("");
    return { layout: numbers.layout, series, visited: visited.join(" "), values: numbers.values };
  };
}

Deno.test("requests with the same series in the same order have one layout", () => {
  const read = reader();
  const { layout } = read("abcd");
  assert.equal(read("abcd").layout, layout);
  assert.notEqual(read("abc").layout, layout);
  const anew = read("abcd").layout;
  assert.notEqual(anew, layout);
  assert.equal(read("abcd").layout, anew);
});

Deno.test("a request that only begins like the last one has its own series", () => {
  const read = reader();
  const requests = {
    abcd: "a0 b1 c2 d3",
    abdc: "a0 b1 d2 c3",
    abd: "a0 b1 d2",
    abdce: "a0 b1 d2 c3 e4",
    aecdb: "a0 e1 c2 d3 b4",
    ba: "b0 a1",
    a: "a0",
  };
  for (const [letters, points] of Object.entries(requests)) {
    const { series, visited, values } = read(letters);
    assert.equal(series, letters);
    assert.equal(visited, points);
    assert.equal(values.length, letters.length);
  }
});
