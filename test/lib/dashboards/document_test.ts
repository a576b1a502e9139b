import assert from "node:assert/strict";
import fc from "fast-check";
import { InvalidInput } from "@/lib/core/errors.ts";
import { checkContent, readDocument, writeDocument } from "@/lib/dashboards/document.ts";
import { contentOf, EVERYTHING, metricsPanel, place, query, textPanel } from "./panels.ts";

function problem(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
  return "none";
}

/** The document of everything with something of it changed. */
function changed(change: (document: Record<string, unknown>) => void): string {
  const document = JSON.parse(writeDocument({ name: "All", content: EVERYTHING }));
  change(document);
  return JSON.stringify(document);
}

Deno.test("what is exported and imported again is the same", () => {
  const text = writeDocument({ name: "All", content: EVERYTHING });
  const read = readDocument(text);
  assert.deepEqual(read, { name: "All", content: EVERYTHING });
  assert.equal(writeDocument(read), text);
});

Deno.test("what a document leaves out has its default", () => {
  const { content } = readDocument(JSON.stringify({
    format: "watchpost-dashboard",
    version: 1,
    name: "Small",
    panels: [{
      id: "p1",
      kind: "metrics",
      place: { x: 0, y: 5, w: 6, h: 7 },
      queries: [{ id: "a", metric: "jobs", aggregation: "rate" }],
    }],
  }));
  const [panel] = content.panels;
  assert.deepEqual(panel?.place, place(0, 0, 6, 7));
  assert.ok(panel?.kind === "metrics" && panel.view === "line" && panel.queries[0]?.top === 10);
});

Deno.test("a file of another kind is told so in sentences", () => {
  assert.match(problem(() => readDocument("{")), /^This is not JSON: /);
  assert.match(problem(() => readDocument("[]")), /The dashboard is wrong/);
  const grafana = problem(() => readDocument(JSON.stringify({ title: "x", panels: [] })));
  assert.match(grafana, /format is "watchpost-dashboard": this is another kind of file\./);
});

Deno.test("wrong parts of a document are named by their place", () => {
  const wide = changed((document) => {
    Object.assign(document, { panels: [{ ...metricsPanel(), place: place(0, 0, 13, 7) }] });
  });
  assert.equal(
    problem(() => readDocument(wide)),
    "panels[0].place.w is a whole number from 1 to 12.",
  );
  const unknown = changed((document) => Object.assign(document, { rows: [] }));
  assert.match(problem(() => readDocument(unknown)), /properties that mean nothing here.*"rows"/);
  const twice = changed((document) => {
    Object.assign(document, { panels: [metricsPanel(), metricsPanel()] });
  });
  assert.equal(problem(() => readDocument(twice)), "panels has an id twice.");
  const nameless = changed((document) => Object.assign(document, { name: " " }));
  assert.equal(problem(() => readDocument(nameless)), "name must not be empty.");
  const later = changed((document) => Object.assign(document, { version: 2 }));
  assert.equal(problem(() => readDocument(later)), "version is 1: others are not known here.");
});

Deno.test("nothing that is imported ends in another error than sentences", () => {
  const whole: Record<string, unknown> = JSON.parse(
    writeDocument({ name: "All", content: EVERYTHING }),
  );
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(whole)), (value, key) => {
      for (const changed of [value, { ...whole, [key]: value }, { ...whole, panels: [value] }]) {
        assert.doesNotThrow(() => problem(() => readDocument(JSON.stringify(changed))));
      }
    }),
  );
  assert.match(problem(() => readDocument("[".repeat(100_000))), /JSON/);
});

Deno.test("texts are made such that Postgres keeps them", () => {
  const panel = textPanel("p1", place(0, 0, 12, 2), "a\0b\ud800");
  const { panels } = checkContent(contentOf([panel]));
  assert.ok(panels[0]?.kind === "text" && panels[0].markdown === "ab\ufffd");
});

Deno.test("a dashboard is refused when it is too large", () => {
  const many = Array.from(
    { length: 41 },
    (_, index) => textPanel(`p${index + 1}`, place(0, index, 1, 1)),
  );
  assert.equal(problem(() => checkContent(contentOf(many))), "panels has at most 40 entries.");
  const high = Array.from(
    { length: 13 },
    (_, index) => textPanel(`p${index + 1}`, place(0, index, 12, 20)),
  );
  assert.match(problem(() => checkContent(contentOf(high))), /260 rows high/);
  const queries = Array.from(
    { length: 11 },
    (_, index) => query({ id: "abcdefghijk".charAt(index) }),
  );
  assert.equal(
    problem(() => checkContent(contentOf([metricsPanel({ queries })]))),
    "panels[0].queries has at most 10 entries.",
  );
  const texts = Array.from(
    { length: 6 },
    (_, index) => textPanel(`p${index + 1}`, place(0, index, 12, 1), "a".repeat(9_000)),
  );
  assert.equal(
    problem(() => checkContent(contentOf(texts))),
    "The texts have 54,000 characters together; 50,000 is the most.",
  );
});
