/** What a file to import is made of: JSON, one value a line, or lists of them as APIs answer. */
import { asObject, type Raw } from "../../formats/fields.ts";
import { isRelease } from "../../releases/mod.ts";
import { isHistory, isSettings } from "../../transfers/mod.ts";
import { parseJsonText } from "../../formats/json.ts";

/** What an item is, in the order in which items are taken: issues need their events, files their lines. */
export const KINDS = [
  "release",
  "event",
  "attachment",
  "transaction",
  "spans",
  "logs",
  "metrics",
  "profile",
  "feedback",
  "check_in",
  "sessions",
  "artifacts",
  "issue",
  "settings",
  "history",
] as const;
export type ItemKind = (typeof KINDS)[number];

export interface Item {
  readonly kind: ItemKind;
  readonly raw: Raw;
  /** Of its line. */
  readonly bytes: number;
}

/** Longer lines are no events and no requests. */
const MAX_LINE = 16 * 1024 ** 2;
/** Longer pages were not saved from an API; all of a page is in memory at a time. */
const MAX_PAGE = 64 * 1024 ** 2;

/** The items of a file in their order; null for what cannot be read or is nothing that is known. */
export function* itemsIn(bytes: Uint8Array): Generator<Item | null> {
  const text = new TextDecoder().decode(bytes);
  const start = text.trimStart()[0];
  if (start !== "[" && start !== "{") {
    if (text.trim() !== "") yield null;
    return;
  }
  // A page that was saved is one value over many lines.
  const whole = text.length > MAX_PAGE || isLines(text) ? undefined : read(text);
  if (whole !== undefined) return yield* itemsOf(whole, text.length);
  let at = 0;
  while (at < text.length) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, end).trim();
    at = end + 1;
    if (line === "") continue;
    const value = line.length > MAX_LINE ? undefined : read(line);
    if (value === undefined) yield null;
    else yield* itemsOf(value, line.length);
  }
}

/** Whether the first line is a value by itself. */
function isLines(text: string): boolean {
  const first = text.trimStart();
  const newline = first.indexOf("\n");
  return newline >= 0 && read(first.slice(0, newline)) !== undefined;
}

function read(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

/** Lists are what they list; Bugsink's are in `results`. */
function* itemsOf(value: unknown, bytes: number): Generator<Item | null> {
  const raw = asObject(value);
  const list = Array.isArray(value) ? value : Array.isArray(raw?.results) ? raw.results : null;
  if (list !== null) {
    for (const each of list) yield itemOf(asObject(each), bytes / list.length);
  } else yield itemOf(raw, bytes);
}

function itemOf(raw: Raw | undefined, bytes: number): Item | null {
  const kind = raw === undefined ? null : kindOf(raw);
  return raw === undefined || kind === null ? null : { kind, raw, bytes };
}

function kindOf(raw: Raw): ItemKind | null {
  if (isSettings(raw)) return "settings";
  if (isHistory(raw)) return "history";
  if (Array.isArray(raw.resourceSpans)) return "spans";
  if (Array.isArray(raw.resourceLogs)) return "logs";
  if (Array.isArray(raw.resourceMetrics)) return "metrics";
  if (typeof raw.profileId === "string" && typeof raw.file === "string") return "profile";
  if (typeof raw.attachmentId === "string" && typeof raw.file === "string") return "attachment";
  if (raw.type === "feedback" && asObject(asObject(raw.contexts)?.feedback) !== undefined) {
    return "feedback";
  }
  if (typeof raw.check_in_id === "string" && raw.monitor_slug !== undefined) return "check_in";
  if (isRelease(raw)) return "release";
  if (typeof raw.artifactBundle === "string") return "artifacts";
  if (raw.type === "sessions" && Array.isArray(raw.aggregates)) return "sessions";
  if (raw.type === "transaction" && raw.start_timestamp !== undefined) return "transaction";
  if (raw.eventID !== undefined || raw.event_id !== undefined) return "event";
  return raw.firstSeen !== undefined || raw.first_seen !== undefined ? "issue" : null;
}
