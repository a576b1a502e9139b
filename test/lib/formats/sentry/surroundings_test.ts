import assert from "node:assert/strict";
import { normalized } from "./decode.ts";

Deno.test("tags are single, on one line, and none of the names that columns answer for", () => {
  const expected = [["a", "1"], ["b-c", "x y"], ["flag", "True"], ["list", "[1]"]];
  const pairs = [
    ["a", 1],
    ["a", 2],
    ["b c", "x\ny"],
    ["flag", true],
    ["list", [[1]]],
    ["release", "r"],
    ["n", null],
    ["", "x"],
    ["e", ""],
  ];
  assert.deepEqual(normalized({ tags: pairs }).tags, expected);
  assert.deepEqual(
    normalized({ tags: { a: 1, "b c": "x\ny", flag: true, release: "r", level: "x", n: null } })
      .tags,
    expected.slice(0, 3),
  );
  for (const none of [null, [], {}, "x", 1, [null], [["a"]]]) {
    assert.equal(normalized({ tags: none }).tags, undefined);
  }
});

Deno.test("tags are cut to 200 characters and 78 of them", () => {
  const [tag] = normalized({ tags: { ["k".repeat(300)]: "v".repeat(300) } }).tags ?? [];
  assert.deepEqual(tag?.map((text) => text.length), [200, 200]);
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`k${i}`, i]));
  assert.equal(normalized({ tags: many }).tags?.length, 78);
});

Deno.test("contexts are objects; what is none becomes one, what is empty is dropped", () => {
  assert.deepEqual(
    normalized({ contexts: { a: "x", b: [1], c: {}, d: null, e: [], f: { g: null } } }).contexts,
    {
      a: { value: "x" },
      b: { 0: 1 },
      f: { g: null },
    },
  );
  for (const none of [null, [], {}, "x"]) {
    assert.equal(normalized({ contexts: none }).contexts, undefined);
  }
});

Deno.test("the trace's ids are brought into form, or dropped", () => {
  const trace = {
    trace_id: "13216D32-ed57-43dd-8e33-c31da7272926",
    span_id: "BEC27B5BB603B6F5",
    parent_span_id: "",
    op: "x",
  };
  assert.deepEqual(normalized({ contexts: { trace } }).contexts?.trace, {
    trace_id: "13216d32ed5743dd8e33c31da7272926",
    span_id: "bec27b5bb603b6f5",
    op: "x",
  });
  const invalid = { trace_id: "0".repeat(32), span_id: 7, op: "x" };
  assert.deepEqual(normalized({ contexts: { trace: invalid } }).contexts?.trace, { op: "x" });
});

Deno.test("browser, system and device are read from the User-Agent where contexts lack them", () => {
  const headers = {
    "user-agent":
      "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
  };
  assert.deepEqual(normalized({ request: { headers } }).contexts, {
    browser: { name: "Mobile Safari", version: "17.5" },
    os: { name: "iOS", version: "17.5" },
    device: { model: "iPhone" },
  });
  const contexts =
    normalized({ request: { headers }, contexts: { os: { name: "Debian", version: "12\n" } } })
      .contexts;
  assert.deepEqual(contexts?.os, { name: "Debian", version: "12" });
  assert.deepEqual(contexts?.client_os, { name: "iOS", version: "17.5" });
});

Deno.test("an SDK may be a bare name, its integrations objects", () => {
  assert.deepEqual(normalized({ sdk: "raven" }).sdk, { name: "raven" });
  assert.deepEqual(
    normalized({ sdk: { name: "x", integrations: ["A", { name: "B" }, { c: 1 }, null] } }).sdk,
    {
      name: "x",
      integrations: ["A", "B", '{"c":1}', ""],
    },
  );
  for (const none of [null, {}, [], 7]) assert.equal(normalized({ sdk: none }).sdk, undefined);
});

Deno.test("modules have texts as versions", () => {
  assert.deepEqual(normalized({ modules: { a: "1.0", b: null, c: 2 } }).modules, {
    a: "1.0",
    b: "",
    c: "2",
  });
});

Deno.test("a fingerprint is a list of texts", () => {
  assert.deepEqual(normalized({ fingerprint: ["a", 1, null, true, ["x"], ""] }).fingerprint, [
    "a",
    "1",
    "True",
    '["x"]',
  ]);
  assert.deepEqual(normalized({ fingerprint: "bare" }).fingerprint, ["bare"]);
  for (const none of [null, [], [null]]) {
    assert.equal(normalized({ fingerprint: none }).fingerprint, undefined);
  }
});

Deno.test("free-form fields are objects, whatever was sent", () => {
  assert.deepEqual(normalized({ extra: [1, 2] }).extra, { 0: 1, 1: 2 });
  assert.deepEqual(normalized({ extra: "x" }).extra, { value: "x" });
  assert.equal(normalized({ extra: [] }).extra, undefined);
});

Deno.test("threads keep their stacks and flags", () => {
  const threads = {
    values: [
      { id: 7, name: "main", crashed: 1, stacktrace: { frames: [{ function: "f" }] } },
      null,
      { id: "x".repeat(90) },
    ],
  };
  const [first, second] = normalized({ threads }).threads?.values ?? [];
  assert.deepEqual(first, {
    id: "7",
    name: "main",
    crashed: true,
    stacktrace: { frames: [{ function: "f" }] },
  });
  assert.equal(second?.id?.length, 64);
});
