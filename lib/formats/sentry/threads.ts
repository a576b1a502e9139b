import type { Thread, Values } from "./normalized_event.ts";
import { type Raw, readBoolean, readValues, repairFields, repairTexts } from "../fields.ts";
import { COUNT, TEXT } from "../limits.ts";
import { normalizeStacktrace } from "./stacktrace.ts";

/** The threads of the process, or undefined when there are none. */
export function normalizeThreads(value: unknown): Values<Thread> | undefined {
  const values = readValues(value).slice(0, COUNT.threads).map(normalizeThread);
  return values.length > 0 ? { values } : undefined;
}

function normalizeThread(raw: Raw): Thread {
  repairTexts(raw, [["id", TEXT.word], ["name", TEXT.name], ["state", TEXT.word]]);
  repairFields(raw, ["crashed", "current", "main"], readBoolean);
  repairFields(raw, ["stacktrace", "raw_stacktrace"], normalizeStacktrace);
  return raw as Thread;
}
