import type { JsonObject } from "../json.ts";

/** What has a column of its own, is different every time, or says nothing of why one transaction is slower. */
const LEFT_OUT =
  /^(?:sentry\.|thread\.|url\.(?!path$|scheme$)|network\.|http\.|client\.|otel\.|w3c\.|telemetry\.|browser\.web_vital\.|user\.|enduser\.|profiler_id$|user_agent\.original$|server\.port$|service\.)/;
const MAX_TAGS = 30;
const MAX_KEY = 100;
const MAX_VALUE = 200;

/** Attributes of an entry span that transactions are searched and compared by; at most 30, short ones only. */
export function entryTags(attributes: JsonObject): [key: string, value: string][] {
  const tags: [string, string][] = [];
  for (const [key, value] of Object.entries(attributes)) {
    if (tags.length === MAX_TAGS) break;
    if (isEntryTag(key, value)) tags.push([key, String(value)]);
  }
  return tags;
}

/** Whether transactions are searched by such an attribute of their entry span. */
export function isEntryTag(key: string, value: unknown): boolean {
  if (key.length > MAX_KEY || LEFT_OUT.test(key)) return false;
  if (typeof value === "object" || value === undefined) return false;
  const text = String(value);
  return text !== "" && text.length <= MAX_VALUE;
}
