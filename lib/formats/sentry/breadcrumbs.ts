import type { Breadcrumb, Values } from "./normalized_event.ts";
import {
  asBag,
  clip,
  clippedText,
  type Raw,
  readTextOrJson,
  readValues,
  repairFields,
  repairTexts,
} from "../fields.ts";
import { COUNT, TEXT } from "../limits.ts";
import { readTime } from "../timestamps.ts";
import { readLevel } from "./level.ts";

const TEXTS = [
  ["category", TEXT.name],
  ["event_id", TEXT.word],
  ["origin", TEXT.name],
] as const;

/**
 * The trail that led to the event, oldest first, or undefined when there is none.
 *
 * @param shift seconds to add to every time
 */
export function normalizeBreadcrumbs(
  value: unknown,
  shift: number,
): Values<Breadcrumb> | undefined {
  const values = readValues(value).slice(-COUNT.breadcrumbs)
    .map((raw) => normalizeBreadcrumb(raw, shift));
  return values.length > 0 ? { values } : undefined;
}

function normalizeBreadcrumb(raw: Raw, shift: number): Breadcrumb {
  const time = readTime(raw.timestamp);
  if (time !== undefined) raw.timestamp = time + shift;
  else if (raw.timestamp !== undefined) raw.timestamp = undefined;
  raw.type = clippedText(raw.type, TEXT.word) ?? "default";
  raw.level = readLevel(raw.level, "info");
  repairTexts(raw, TEXTS);
  repairFields(
    raw,
    ["message"],
    (message) => clip(readTextOrJson(message), TEXT.message) || undefined,
  );
  repairFields(raw, ["data"], asBag);
  return raw as unknown as Breadcrumb;
}
