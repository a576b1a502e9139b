import assert from "node:assert/strict";
import { normalized } from "./decode.ts";

function request(sent: unknown) {
  return normalized({ request: sent }).request;
}

Deno.test("a request's query and fragment are cut off its URL", () => {
  assert.deepEqual(request({ url: "https://h/a?x=1&y=%41+b#top?no" }), {
    url: "https://h/a",
    query_string: [["x", "1"], ["y", "A b"]],
    fragment: "top?no",
  });
  assert.deepEqual(request({ url: "/relative/%zz?a=%zz" }), {
    url: "/relative/%zz",
    query_string: [["a", "%zz"]],
  });
});

Deno.test("a query comes as text, as an object, or as pairs, and wins over the URL's", () => {
  const expected = [["a", "1"], ["a", "2"], ["b", ""]];
  for (
    const query of ["?a=1&a=2&b", "a=1&a=2&b=", [["a", 1], ["a", "2"], ["b", ""]], {
      a: ["1", 2],
      b: "",
    }]
  ) {
    assert.deepEqual(
      request({ url: "http://h/?z=9", query_string: query })?.query_string,
      expected,
    );
  }
  assert.deepEqual(request({ url: "http://h/?z=9", query_string: [] })?.query_string, [["z", "9"]]);
});

Deno.test("headers come as an object or as pairs, with lists as values", () => {
  const expected = [["Accept", "a"], ["Accept", "b"], ["X-N", "1"]];
  assert.deepEqual(
    request({ headers: { Accept: ["a", "b"], "X-N": 1, "X-Null": null } })?.headers,
    expected,
  );
  assert.deepEqual(
    request({ headers: [["Accept", "a"], ["Accept", "b"], ["X-N", 1], null, "x", []] })?.headers,
    expected,
  );
  for (const none of [null, [], {}, "x"]) {
    assert.equal(request({ url: "/", headers: none })?.headers, undefined);
  }
});

Deno.test("cookies come as text, as an object, as pairs, or in the header, which they leave", () => {
  const expected = [["a", "1"], ["b", "x=y"]];
  for (const cookies of ["a=1; b=x=y", { a: 1, b: "x=y" }, [["a", "1"], ["b", "x=y"]]]) {
    assert.deepEqual(request({ cookies })?.cookies, expected);
  }
  assert.deepEqual(request({ headers: { cookie: "a=1; b=x=y", Host: "h" } }), {
    headers: [["Host", "h"]],
    cookies: expected,
  });
});

Deno.test("a body that is JSON or a form is parsed, anything else stays text", () => {
  assert.deepEqual(request({ data: ' {"a":[1]}' }), {
    data: { a: [1] },
    inferred_content_type: "application/json",
  });
  const headers = { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" };
  assert.deepEqual(
    request({ headers, data: "a=1&b=2&a=3&__proto__=4" })?.data,
    JSON.parse('{"a":["1","3"],"b":"2","__proto__":"4"}'),
  );
  assert.equal(request({ data: "[not json" })?.data, "[not json");
  assert.equal(request({ data: "a=1" })?.data, "a=1");
  assert.equal(request({ data: "x".repeat(1_000_000) })?.data?.toString().length, 16_384);
  assert.deepEqual(request({ data: { a: 1 } })?.data, { a: 1 });
  assert.equal(request({ url: "/", data: "" })?.data, undefined);
});

Deno.test("a method is upper-case or nothing", () => {
  assert.equal(request({ method: "get" })?.method, "GET");
  for (const method of ["", "G ET", 7, "X".repeat(40), {}]) {
    assert.equal(request({ url: "/", method })?.method, undefined);
  }
});

Deno.test("a request that is no object is none", () => {
  for (const none of [null, [], {}, "x", 1]) assert.equal(request(none), undefined);
});

Deno.test("of headers, cookies and query parameters the first 200 are kept", () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]));
  const kept = request({ headers: many, cookies: many, query_string: "a=1&".repeat(300) });
  assert.deepEqual(
    [kept?.headers, kept?.cookies, kept?.query_string].map((pairs) => pairs?.length),
    [200, 200, 200],
  );
});
