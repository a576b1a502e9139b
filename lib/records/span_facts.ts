/** What traces are searched by of spans below their entries: what these work with, never on what. */
import type { Span } from "./mod.ts";

const WORKS_WITH =
  /^(?:server\.address$|(?:aws|cache|celery|cloud|db|faas|gen_ai|graphql|messaging|peer|rpc)\.)/;
/** Statements, prompts, ids and sizes differ every time. */
const DIFFERS =
  /statement|text|summary|parameter|prompt|input|output|token|message\.|(?:^|[._])(?:ids?|keys?|size|length|count|rows|offset|body|arguments|messages|content)$/;
const MAX_LENGTH = 100;
const MAX_KEYS = 20;
const MAX_VALUES = 10;

/** Whether traces are found by an attribute of any of their spans. */
export function isSpanFact(key: string, value: unknown): boolean {
  return WORKS_WITH.test(key) && !DIFFERS.test(key) && key.length <= MAX_LENGTH &&
    textOf(value) !== null;
}

/** The values of each such attribute of some spans, as the JSON text of an object. */
export function spanFactsJson(spans: readonly Pick<Span, "data">[]): string {
  const facts = new Map<string, Set<string>>();
  for (const { data } of spans) {
    for (const [key, value] of Object.entries(data)) {
      if (!isSpanFact(key, value)) continue;
      const values = facts.get(key) ?? new Set();
      if (values.size < MAX_VALUES) values.add(textOf(value) ?? "");
      if (facts.size < MAX_KEYS) facts.set(key, values);
    }
  }
  return JSON.stringify(Object.fromEntries([...facts].map(([key, values]) => [key, [...values]])));
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined || typeof value === "object") return null;
  const text = String(value);
  return text === "" || text.length > MAX_LENGTH ? null : text;
}
