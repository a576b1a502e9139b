import assert from "node:assert/strict";
import { normalized } from "./decode.ts";

const LARGE = 100_000;

Deno.test("trimLargeEvent() leaves events up to 64 KiB as they are", () => {
  const extra = { a: "x".repeat(50_000) };
  const event = normalized({ extra }, { rawBytes: 50_100 });
  assert.deepEqual(event.extra, extra);
  assert.equal(event._received, undefined);
});

Deno.test("trimLargeEvent() cuts each extra to 16 KiB and says so", () => {
  const { extra, _received } = normalized({ extra: { a: "x".repeat(90_000), b: "kept" } }, {
    rawBytes: LARGE,
  });
  assert.ok(String(extra?.a).length < 16_384);
  assert.ok(String(extra?.a).endsWith("..."));
  assert.equal(extra?.b, "kept");
  assert.deepEqual(_received, { trimmed: ["extra"] });
});

Deno.test("trimLargeEvent() trims also where nobody told the size", () => {
  assert.deepEqual(normalized({ extra: { a: "x".repeat(90_000) } })._received, {
    trimmed: ["extra"],
  });
});

Deno.test("trimLargeEvent() leaves out elements that do not fit, and keeps those before them", () => {
  const list = Array.from({ length: 20_000 }, (_, i) => i);
  const { contexts } = normalized({ contexts: { a: { list, name: "kept" } } }, { rawBytes: LARGE });
  const kept = contexts?.a?.list as number[];
  assert.ok(kept.length > 1_000 && kept.length < 3_000);
  assert.deepEqual(kept, list.slice(0, kept.length));
});

Deno.test("trimLargeEvent() bounds every part of an event", () => {
  const big = { text: "x".repeat(200_000) };
  const frame = { function: "f", vars: big, odd: big, context_line: "kept", pre_context: ["kept"] };
  const event = normalized({
    contexts: { a: big },
    modules: Object.fromEntries(
      Array.from({ length: 1_900 }, (_, i) => [`module-${i}-with-a-name`, "1.0"]),
    ),
    request: { url: "http://h/", data: big },
    user: { id: 1, big },
    breadcrumbs: [{ message: "kept", data: big }],
    exception: [{
      type: "E",
      value: "kept",
      odd: big,
      mechanism: { data: big },
      stacktrace: { frames: [frame] },
    }],
    threads: [{ id: 1, odd: big, stacktrace: { frames: [frame] } }],
    debug_meta: { images: [{ type: "sourcemap", big }] },
    unknown: big,
    [`long-${"k".repeat(50_000)}`]: 1,
  }, { rawBytes: 1_000_000 });
  const size = JSON.stringify(event).length;
  assert.ok(size < 200_000, String(size));
  assert.ok(Object.keys(event).every((key) => key.length < 100));
  assert.equal(event.breadcrumbs?.values[0]?.message, "kept");
  assert.equal(event.exception?.values[0]?.value, "kept");
  const [kept] = event.exception?.values[0]?.stacktrace?.frames ?? [];
  assert.deepEqual([kept?.function, kept?.context_line, kept?.pre_context], ["f", "kept", [
    "kept",
  ]]);
  assert.deepEqual(event._received?.trimmed?.toSorted(), [
    "breadcrumbs",
    "contexts",
    "event",
    "exception",
    "frames",
    "request",
    "threads",
  ]);
});

Deno.test("trimLargeEvent() counts names as well as values", () => {
  const names = Array.from({ length: 1_000 }, (_, i) => "n".repeat(100) + i);
  const { extra } = normalized({
    extra: { a: Object.fromEntries(names.map((name) => [name, 1])) },
  });
  const kept = Object.keys(extra?.a ?? {});
  assert.ok(kept.length > 100 && kept.length < 16_384 / 100);
});
