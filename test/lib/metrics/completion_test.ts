import assert from "node:assert/strict";
import { type CompletedField, placeAt, withCompletion } from "@/lib/metrics/query_form/assist.ts";

/** A field with its caret at `|`, and what it becomes. */
function completed(field: CompletedField, marked: string, chosen: string): string {
  const caret = marked.indexOf("|");
  const text = marked.replace("|", "");
  const after = withCompletion(field, text, placeAt(field, text, caret), chosen);
  return `${after.text.slice(0, after.caret)}|${after.text.slice(after.caret)}`;
}

Deno.test("a filter knows labels from values", () => {
  assert.deepEqual(placeAt("filter", "ro", 2), {
    what: "label",
    label: "",
    prefix: "ro",
    start: 0,
    end: 2,
  });
  const text = 'route="/ca",status=~5';
  assert.equal(placeAt("filter", text, 10).prefix, "/ca");
  assert.equal(placeAt("filter", text, 10).label, "route");
  assert.equal(placeAt("filter", text, text.length).label, "status");
  assert.equal(placeAt("filter", 'a="x,y', 6).prefix, "x,y", "commas in quotes part nothing");
});

Deno.test("completions replace what is typed and leave the rest", () => {
  assert.equal(completed("filter", "ro|", "route"), "route=|");
  assert.equal(completed("filter", "|ro=x", "route"), "route|=x");
  assert.equal(completed("filter", 'route="/c|a",b=c', "/cart"), 'route="/cart"|,b=c');
  assert.equal(completed("filter", "a=b, sta|", "status"), "a=b, status=|");
  assert.equal(completed("filter", "route!~|", 'a"b'), 'route!~"a\\"b"|');
  assert.equal(completed("labels", "host, zo|", "zone"), "host, zone|");
  assert.equal(completed("labels", "ho|, zone", "host"), "host|, zone");
  assert.equal(completed("metric", "htt|p.client", "http.server"), "http.server|");
});
