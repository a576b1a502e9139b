import type { Exception, Mechanism, Values } from "./normalized_event.ts";
import {
  asBag,
  asObject,
  clip,
  clippedText,
  type Raw,
  readBoolean,
  readInteger,
  readTextOrJson,
  readValues,
  repairFields,
  repairTexts,
  unsliced,
} from "../fields.ts";
import { COUNT, TEXT } from "../limits.ts";
import { normalizeStacktrace } from "./stacktrace.ts";

/** Exceptions, cause first, or undefined when none says anything. */
export function normalizeExceptions(value: unknown): Values<Exception> | undefined {
  const values = readValues(value).slice(-COUNT.exceptions)
    .map(normalizeException)
    .filter((exception) => exception !== undefined);
  return values.length > 0 ? { values } : undefined;
}

function normalizeException(raw: Raw): Exception | undefined {
  repairTexts(raw, [["type", TEXT.path], ["module", TEXT.path], ["thread_id", TEXT.word]]);
  repairFields(raw, ["value"], (value) => clip(readTextOrJson(value), TEXT.message) || undefined);
  repairFields(raw, ["stacktrace", "raw_stacktrace"], normalizeStacktrace);
  repairFields(raw, ["mechanism"], normalizeMechanism);
  const exception = raw as Exception;
  if (!exception.mechanism?.synthetic) splitTypeOffValue(exception);
  return exception.type || exception.value || exception.stacktrace ? exception : undefined;
}

const TYPE_AND_VALUE = /^(\w{1,128}):\s+(\S[^]*)$/;

/** Some clients send `ValueError: no such thing` as the value and no type. */
function splitTypeOffValue(exception: Exception): void {
  if (exception.type !== undefined || exception.value === undefined) return;
  const [, type, value] = TYPE_AND_VALUE.exec(exception.value) ?? [];
  if (type && value) Object.assign(exception, { type: unsliced(type), value: unsliced(value) });
}

function normalizeMechanism(value: unknown): Mechanism | undefined {
  const raw = asObject(value) ?? (typeof value === "string" ? { type: value } : undefined);
  if (!raw) return undefined;
  raw.type = clippedText(raw.type, TEXT.path) ?? "generic";
  repairFields(raw, ["handled", "synthetic", "is_exception_group"], readBoolean);
  repairFields(raw, ["exception_id", "parent_id"], readInteger);
  repairTexts(raw, [
    ["description", TEXT.message],
    ["help_link", TEXT.url],
    ["source", TEXT.path],
  ]);
  repairFields(raw, ["data", "meta"], asBag);
  moveLegacyMeta(raw);
  return raw as unknown as Mechanism;
}

/** Older native SDKs put these beside `meta` instead of into it. */
const LEGACY_META = { posix_signal: "signal", mach_exception: "mach_exception", errno: "errno" };

function moveLegacyMeta(raw: Raw): void {
  for (const [from, to] of Object.entries(LEGACY_META)) {
    const value = raw[from];
    if (value === undefined || value === null) continue;
    raw.meta = {
      [to]: typeof value === "number" ? { number: value } : value,
      ...asObject(raw.meta),
    };
    raw[from] = undefined;
  }
}
