import type { JsonObject } from "../sentry/json.ts";

/** What has a column of its own, is different every time, or says nothing of why one transaction is slower. */
const LEFT_OUT =
  /^(?:sentry\.|thread\.|url\.|network\.|http\.|client\.|otel\.|w3c\.|telemetry\.|browser\.web_vital\.|user\.|enduser\.|profiler_id$|user_agent\.original$|server\.port$|service\.)/;
const MAX_TAGS = 30;
const MAX_KEY = 100;
const MAX_VALUE = 200;

/** Attributes of an entry span that transactions are searched and compared by; at most 30, short ones only. */
export function entryTags(attributes: JsonObject): [key: string, value: string][] {
  const tags: [string, string][] = [];
  for (const [key, value] of Object.entries(attributes)) {
    if (tags.length === MAX_TAGS) break;
    if (key.length > MAX_KEY || LEFT_OUT.test(key)) continue;
    if (typeof value === "object" || value === undefined) continue;
    const text = String(value);
    if (text !== "" && text.length <= MAX_VALUE) tags.push([key, text]);
  }
  return tags;
}
