import assert from "node:assert/strict";
import { breadcrumbsOf } from "@/lib/errors/event/interfaces.ts";

const first = (crumb: Record<string, unknown>) => breadcrumbsOf({ breadcrumbs: [crumb] })[0];

Deno.test("breadcrumbsOf() gives the newest first", () => {
  const crumbs = breadcrumbsOf({
    breadcrumbs: { values: [{ message: "a" }, null, { message: "b" }] },
  });
  assert.deepEqual(crumbs.map(({ message }) => message), ["b", "a"]);
});

Deno.test("an HTTP breadcrumb reads as its request and status", () => {
  const crumb = first({
    type: "http",
    category: "fetch",
    timestamp: 1767323045.5,
    data: { method: "post", url: "/api/cart", status_code: 502, request_body_size: 12 },
  });
  assert.equal(crumb?.kind, "http");
  assert.equal(crumb?.message, "POST /api/cart → 502");
  assert.deepEqual(crumb?.data, [["request_body_size", 12]]);
  assert.equal(crumb?.at?.toISOString(), "2026-01-02T03:04:05.500Z");
});

Deno.test("a navigation breadcrumb reads as the way it went", () => {
  const crumb = first({ category: "navigation", data: { from: "/cart", to: "/pay" } });
  assert.equal(crumb?.kind, "navigation");
  assert.equal(crumb?.message, "/cart → /pay");
  assert.deepEqual(crumb?.data, []);
});

Deno.test("breadcrumbs are told apart by type, category and level", () => {
  const f = (crumb: Record<string, unknown>, kind: string) =>
    assert.equal(first(crumb)?.kind, kind);
  f({ category: "ui.click", message: "button#pay" }, "ui");
  f({ category: "console", level: "info" }, "console");
  f({ category: "console", level: "error" }, "error");
  f({ type: "query", message: "select 1" }, "query");
  f({ category: "cart" }, "other");
  f({}, "other");
});

Deno.test("breadcrumbsOf() survives anything odd", () => {
  assert.deepEqual(breadcrumbsOf({}), []);
  assert.deepEqual(breadcrumbsOf({ breadcrumbs: "none" }), []);
  assert.deepEqual(first({ timestamp: null, data: null, message: { a: 1 }, level: 7 }), {
    kind: "other",
    category: "",
    level: "7",
    message: '{"a":1}',
    data: [],
    at: null,
  });
});
