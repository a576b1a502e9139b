import assert from "node:assert/strict";
import fc from "fast-check";
import { templatePath } from "@/lib/formats/spans/templates.ts";

Deno.test("ids in paths become placeholders", () => {
  for (
    const [path, template] of [
      ["/users/17", "/users/{id}"],
      ["/u/550e8400-e29b-41d4-a716-446655440000/x", "/u/{uuid}/x"],
      ["/u/550E8400E29B41D4A716446655440000", "/u/{uuid}"],
      ["/c/3f2a1b9c", "/c/{hex}"],
      ["/d/2026-11-21", "/d/{date}"],
      ["/m/ann@example.com", "/m/{email}"],
      ["/s/a%20b", "/s/{str}"],
      [`/t/${"long-title-".repeat(6)}x`, "/t/{str}"],
      ["/o/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/o/{id}"],
      ["/o/V1StGXR8Z5jdHi6BmyT", "/o/{id}"],
      ["/assets/app.3f2a1b9c.js", "/assets/app.{hash}.js"],
      ["/assets/index-D1wrgTda.chunk.js", "/assets/index-{hash}.chunk.js"],
      ["/17.json", "/{id}.json"],
    ] as const
  ) assert.equal(templatePath(path), template);
});

Deno.test("words, versions and locales in paths stay", () => {
  for (
    const path of [
      "/api/v2/users",
      "/en/pricing",
      "/pt-BR/precos",
      "/facade",
      "/favicon.ico",
      "/jquery.min.js",
      "/.well-known/security.txt",
      "/users/:id/{uuid}/<int:n>",
      "/internationalization",
      "/",
    ]
  ) assert.equal(templatePath(path), path);
});

Deno.test("query, fragment, matrix parameters, trailing slash and depth are cut off", () => {
  assert.equal(templatePath("/a;jsessionid=1/b/?q=1#top"), "/a/b");
  assert.equal(templatePath("/a/b/c/d/e/f/g/h/i/j"), "/a/b/c/d/e/f/g/h/…");
  assert.equal(templatePath("tasks/17/run"), "tasks/{id}/run");
  assert.equal(templatePath(""), "");
});

Deno.test("a template is its own template, and its length is bounded", () => {
  fc.assert(fc.property(fc.webPath(), (path) => {
    const template = templatePath(path);
    assert.equal(templatePath(template), template);
    assert.ok(template.length <= 8 * 65 + 2);
  }));
});
