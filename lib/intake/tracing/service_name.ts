import { textIn } from "../sentry/attributes.ts";
import { clippedName } from "../sentry/fields.ts";
import type { JsonObject } from "../sentry/json.ts";
import { TEXT } from "../sentry/limits.ts";

/** The service that attributes name, else the one given by a tag; `""` when there is none. */
export function serviceName(attributes: JsonObject, tag?: string): string {
  const named = textIn(attributes, "service.name", "sentry.service");
  return clippedName(named || tag, TEXT.name) ?? "";
}
