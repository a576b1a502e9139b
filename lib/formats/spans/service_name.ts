import { textIn } from "../attributes.ts";
import { clippedName } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";

/** The service that attributes name, else the one given by a tag; `""` when there is none. */
export function serviceName(attributes: JsonObject, tag?: string): string {
  const named = textIn(attributes, "service.name", "sentry.service");
  return clippedName(named || tag, TEXT.name) ?? "";
}
