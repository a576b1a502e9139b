import assert from "node:assert/strict";
import { normalized } from "./decode.ts";

function exceptions(exception: unknown) {
  return normalized({ exception }).exception?.values;
}

Deno.test("exceptions come as values, as a list, or as one", () => {
  const expected = [{ type: "E", value: "v" }];
  const [one] = expected;
  for (const form of [{ values: [one] }, [one], one, { values: one }, [null, one, "x"]]) {
    assert.deepEqual(exceptions(form), expected);
  }
  for (const none of [null, {}, [], { values: null }, { values: [] }, "x", 1, [null], [{}]]) {
    assert.equal(exceptions(none), undefined);
  }
});

Deno.test("an exception without type, value and stack is dropped", () => {
  assert.deepEqual(exceptions([{ type: null, value: "" }, { module: "m" }, { type: "E" }]), [{
    type: "E",
  }]);
  assert.equal(exceptions([{ stacktrace: { frames: [{ function: "f" }] } }])?.length, 1);
});

Deno.test("an exception's value may be any JSON and is cut to 8,192 characters", () => {
  assert.equal(exceptions([{ type: "E", value: { a: [1] } }])?.[0]?.value, '{"a":[1]}');
  assert.equal(exceptions([{ type: "E", value: 7 }])?.[0]?.value, "7");
  assert.equal(exceptions([{ type: "E", value: "x".repeat(100_000) }])?.[0]?.value?.length, 8_192);
});

Deno.test("a type in front of the value is split off, unless the SDK made the exception up", () => {
  assert.deepEqual(exceptions([{ value: "ValueError: no such thing" }]), [
    { type: "ValueError", value: "no such thing" },
  ]);
  assert.deepEqual(exceptions([{ value: "see http://h/" }]), [{ value: "see http://h/" }]);
  const synthetic = { value: "Warning: low", mechanism: { type: "generic", synthetic: true } };
  assert.deepEqual(exceptions([synthetic]), [synthetic]);
});

Deno.test("a mechanism may be a bare name, and has a type", () => {
  assert.deepEqual(exceptions([{ type: "E", mechanism: "onerror" }])?.[0]?.mechanism, {
    type: "onerror",
  });
  assert.deepEqual(exceptions([{ type: "E", mechanism: {} }])?.[0]?.mechanism, { type: "generic" });
  for (const none of [null, 1, []]) {
    assert.equal(exceptions([{ type: "E", mechanism: none }])?.[0]?.mechanism, undefined);
  }
});

Deno.test("a mechanism's ids may be 0 and its flags null", () => {
  const mechanism = {
    type: "chained",
    exception_id: 0,
    parent_id: "0",
    handled: null,
    data: [],
    source: "",
  };
  assert.deepEqual(exceptions([{ type: "E", mechanism }])?.[0]?.mechanism, {
    type: "chained",
    exception_id: 0,
    parent_id: 0,
  });
});

Deno.test("old native mechanisms have their details moved into meta", () => {
  const mechanism = { type: "mach", errno: 7, posix_signal: { signal: 11 } };
  assert.deepEqual(exceptions([{ type: "E", mechanism }])?.[0]?.mechanism?.meta, {
    errno: { number: 7 },
    signal: { signal: 11 },
  });
});

Deno.test("of more than 100 exceptions the outermost are kept", () => {
  const values = exceptions(Array.from({ length: 150 }, (_, i) => ({ type: `E${i}` })));
  assert.equal(values?.length, 100);
  assert.equal(values.at(-1)?.type, "E149");
});
