import assert from "node:assert/strict";
import fc from "fast-check";
import { parseTraceSearch, readDurations, readStatuses } from "@/lib/traces/list/trace_search.ts";

const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";
const termOf = (query: string) => {
  const { terms, words, problems } = parseTraceSearch(query);
  assert.deepEqual([words, problems], [[], []], query);
  assert.equal(terms.length, 1, query);
  return terms[0];
};

Deno.test("a quoted value may begin like an address", () => {
  const { terms, words } = parseTraceSearch('source:"//cdn.example" http://shop.example');

  assert.deepEqual(terms, [{
    kind: "tag",
    key: "source",
    value: "//cdn.example",
    isNegated: false,
  }]);
  assert.deepEqual(words, ["http://shop.example"]);
});

Deno.test("words look for names, whatever colons are in them", () => {
  const { words, terms, problems } = parseTraceSearch(
    'GET /users/:id "two words" Users::show https://a.example cron:',
  );
  assert.deepEqual(words, [
    "GET",
    "/users/:id",
    "two words",
    "Users::show",
    "https://a.example",
    "cron:",
  ]);
  assert.deepEqual([terms, problems], [[], []]);
});

Deno.test("keys are known by the names of both protocols, in any case", () => {
  const text = (column: string, value: string, isNegated = false) => ({
    kind: "text",
    column,
    value,
    isNegated,
  });
  assert.deepEqual(termOf("service:shop-*"), text("service", "shop-*"));
  assert.deepEqual(termOf("!Service.Name:web"), text("service", "web", true));
  assert.deepEqual(termOf('name:"GET /cart"'), text("name", "GET /cart"));
  assert.deepEqual(termOf("op:db"), text("op", "db"));
  assert.deepEqual(termOf("http.request.method:POST"), text("httpMethod", "POST"));
  assert.deepEqual(termOf("status:not_found"), text("status", "not_found"));
});

Deno.test("status is what people mean: failed, ok, a code of HTTP", () => {
  assert.deepEqual(termOf("status:failed"), { kind: "failed", isNegated: false });
  assert.deepEqual(termOf("status:ok"), { kind: "failed", isNegated: true });
  assert.deepEqual(termOf("!status:ok"), { kind: "failed", isNegated: false });
  const code = { kind: "number", column: "httpStatus", isNegated: false };
  assert.deepEqual(termOf("status:503"), { ...code, comparisons: [["=", 503]] });
  assert.deepEqual(termOf("http.status_code:>=500"), { ...code, comparisons: [[">=", 500]] });
  assert.deepEqual(termOf("http.status:4xx"), { ...code, comparisons: [[">=", 400], ["<", 500]] });
});

Deno.test("users and tags are looked for by their keys", () => {
  assert.deepEqual(termOf("user:7"), { kind: "user", value: "7", isNegated: false });
  assert.deepEqual(termOf("user.id:7"), { kind: "user", value: "id:7", isNegated: false });
  const tag = (key: string, value: string | null) => ({
    kind: "tag",
    key,
    value,
    isNegated: false,
  });
  assert.deepEqual(termOf("browser.name:Firefox"), tag("browser.name", "Firefox"));
  assert.deepEqual(termOf("constructor:x"), tag("constructor", "x"));
  assert.deepEqual(termOf("has:server_name"), tag("server_name", null));
});

Deno.test("a trace id leads to its trace, with its key or without, hyphens or not", () => {
  const uuid = "5F2A1C3D-4E5F-6071-8293-A4B5C6D7E8F9";
  for (const query of [TRACE, uuid, `trace:${TRACE}`, `trace_id:${uuid}`, ` ${TRACE} `]) {
    assert.equal(parseTraceSearch(query).traceId, TRACE, query);
  }
  assert.equal(parseTraceSearch("deadbeef").traceId, null);
});

Deno.test("what cannot be understood is named with the reason; the rest still counts", () => {
  const { terms, words, problems, traceId } = parseTraceSearch(
    `cart duration:fast http.status:teapot duration:2s..1s trace:xyz !trace:${TRACE} op: op:db name:"open`,
  );
  assert.deepEqual(words, ["cart"]);
  assert.equal(terms.length, 1);
  assert.equal(traceId, null);
  assert.deepEqual(problems.map(({ part }) => part), [
    "duration:fast",
    "http.status:teapot",
    "duration:2s..1s",
    "trace:xyz",
    `!trace:${TRACE}`,
    "op:",
    'name:"open',
  ]);
  assert.ok(problems.every(({ reason }) => reason.length > 10));
  assert.match(problems[2]?.reason ?? "", /begins above its end/);
});

Deno.test("durations have units; statuses have three digits", () => {
  assert.deepEqual(readDurations(">500ms"), [[">", 500]]);
  assert.deepEqual(readDurations("<=2s"), [["<=", 2_000]]);
  assert.deepEqual(readDurations(">=1.5m"), [[">=", 90_000]]);
  assert.deepEqual(readDurations("<250us"), [["<", 0.25]]);
  assert.deepEqual(readDurations("100ms..1s"), [[">=", 100], ["<=", 1_000]]);
  assert.deepEqual(readDurations(">7"), [[">", 7]]);
  for (const text of ["", "5", ">", ">x", "1s..", "1..2..3", ">1e9", ">-1", ">5parsecs"]) {
    assert.equal(typeof readDurations(text), "string", text);
  }
  assert.deepEqual(readStatuses("404"), [["=", 404]]);
  assert.deepEqual(readStatuses("400..499"), [[">=", 400], ["<=", 499]]);
  for (const text of ["", "6xx", "40000", "4.5", ">=x"]) {
    assert.equal(typeof readStatuses(text), "string", text);
  }
});

Deno.test("any text can be searched for", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (query) => {
    const { words, terms, problems } = parseTraceSearch(query);
    assert.ok([...words, ...terms, ...problems].length <= 50);
  }));
});
