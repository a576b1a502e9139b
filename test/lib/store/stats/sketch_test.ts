import assert from "node:assert/strict";
import fc from "fast-check";
import { RELATIVE_ERROR, Sketch } from "@/lib/store/stats/sketch.ts";

const durations = fc.array(fc.double({ min: 1e-3, max: 1e7, noNaN: true }), {
  minLength: 1,
  maxLength: 300,
});

function sketchOf(values: readonly number[]): Sketch {
  const sketch = new Sketch();
  for (const value of values) sketch.add(value);
  return sketch;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

Deno.test("a quantile is right to about one percent, whatever the values", () => {
  fc.assert(fc.property(durations, fc.constantFrom(0.5, 0.75, 0.95, 0.99), (values, share) => {
    const sorted = [...values].sort((a, b) => a - b);
    const truth = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
    const found = sketchOf(values).quantile(share) ?? NaN;
    // A bucket is as wide as twice the error, and the answer may stand at either end of it.
    assert.ok(Math.abs(found - truth) <= truth * 2.1 * RELATIVE_ERROR, `${found} for ${truth}`);
  }));
});

Deno.test("sketches written one behind the other are their sum, in any order", () => {
  fc.assert(fc.property(durations, durations, (some, others) => {
    const one = sketchOf(some).toBytes();
    const other = sketchOf(others).toBytes();
    const whole = sketchOf([...some, ...others]);
    assert.deepEqual(Sketch.of(joined(one, other)).buckets(), whole.buckets());
    assert.deepEqual(Sketch.of(joined(other, one)).toBytes(), whole.toBytes());
    assert.equal(Sketch.of(one, other).count, some.length + others.length);
  }));
});

Deno.test("values added between two quantiles count in the second, wherever they belong", () => {
  fc.assert(fc.property(durations, durations, (some, others) => {
    const sketch = Sketch.of(sketchOf(some).toBytes());
    sketch.quantile(0.5);
    for (const value of others) sketch.add(value);
    const whole = sketchOf([...some, ...others].sort((a, b) => a - b));
    for (const share of [0.05, 0.5, 0.95]) {
      assert.equal(sketch.quantile(share), whole.quantile(share));
    }
    assert.deepEqual(sketch.toBytes(), whole.toBytes());
  }));
});

Deno.test("zeros, negative values and what is no number count as zero", () => {
  const sketch = sketchOf([0, -1, NaN, Infinity, 100]);
  assert.equal(sketch.count, 5);
  assert.equal(sketch.quantile(0.5), 0);
  assert.deepEqual(sketch.buckets()[0], { from: 0, to: 0, count: 4 });
  assert.equal(Sketch.of(sketch.toBytes()).countUpTo(0), 4);
});

Deno.test("countUpTo() tells how many values are at most a limit", () => {
  const sketch = sketchOf([10, 20, 300, 4_000]);
  assert.equal(Math.round(sketch.countUpTo(25)), 2);
  assert.equal(Math.round(sketch.countUpTo(1_000)), 3);
  assert.equal(sketch.countUpTo(1e9), 4);
});

Deno.test("an empty sketch has no quantile and costs two bytes", () => {
  assert.equal(new Sketch().quantile(0.5), null);
  assert.equal(new Sketch().toBytes().length, 2);
});

Deno.test("bytes that end early are refused", () => {
  const bytes = sketchOf([1, 10, 100]).toBytes();
  assert.throws(() => Sketch.of(bytes.subarray(0, bytes.length - 1)), RangeError);
});

Deno.test("sketches of bytes hold any values, also of bytes that were refused in between", () => {
  const values = [1e-300, 1e-9, 2 ** -32, 0.5, 2 ** 32, 1e12, 1e300];
  const sketch = new Sketch();
  for (const value of values) sketch.add(value, 3);
  const bytes = sketch.toBytes();
  assert.throws(() => Sketch.of(bytes.subarray(0, bytes.length - 1)), RangeError);
  const twice = Sketch.of(bytes, bytes);
  assert.equal(twice.count, 6 * values.length);
  assert.deepEqual(
    twice.buckets(),
    sketch.buckets().map((bucket) => ({ ...bucket, count: 6 })),
  );
});
