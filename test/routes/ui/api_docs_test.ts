/** The page that describes the API. */
import assert from "node:assert/strict";
import { nounsOf } from "@/lib/api/docs/nouns.ts";
import { apiDocument } from "@/lib/server/api_table.ts";
import { acme } from "@/test/support/ui_app.ts";

Deno.test("somebody without an account finds every operation of the API, with its anchor", async () => {
  await using app = await acme();
  const visitor = app.visitor();
  const { status, html } = await visitor.get("/api/docs");
  assert.equal(status, 200);
  for (const { slug, operations } of nounsOf(apiDocument())) {
    const page = await visitor.get(`/api/docs?noun=${slug}`);
    assert.equal(page.status, 200, slug);
    const ids = [...page.html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, `${slug}: an id is there twice`);
    for (const { operationId, paths: [path] } of operations) {
      assert.ok(html.includes(`/api/docs?noun=${slug}#${operationId}`), operationId);
      assert.ok(ids.includes(operationId), operationId);
      assert.ok(page.html.includes(`/api/0${path}`), path);
    }
    // Shapes are on the page that names them.
    for (const [, shape] of page.html.matchAll(/href="#(shape-\w+)"/g)) {
      assert.ok(ids.includes(shape), `${slug}: ${shape}`);
    }
    assert.doesNotMatch(page.html, /(?:src|href)="(?:https?:)?\/\//, "third parties");
  }
});

Deno.test("a search shows the operations that have its words, and says so when none has", async () => {
  await using app = await acme();
  const visitor = app.visitor();
  const { html } = await visitor.get("/api/docs?query=deploys%20post");
  assert.ok(html.includes("Notes that a release was brought to an environment"));
  assert.ok(!html.includes("The metrics of a project by name"));
  const none = await visitor.get("/api/docs?query=%3Cscript%3E");
  assert.ok(none.html.includes("No address has these words"));
  assert.ok(!none.html.includes("<script>"));
});

Deno.test("a noun that the API does not have is a page that says so", async () => {
  await using app = await acme();
  const { status, headers } = await app.visitor().get("/api/docs?noun=nothing");
  assert.equal(status, 404);
  assert.match(headers.get("content-type") ?? "", /^text\/html/);
});
