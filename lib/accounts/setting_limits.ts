/** What a project's settings may be, whoever sends them: a page, the API or a file that is imported. */
import { HOUR_MS } from "../core/time.ts";

/** Entries of a list. The record that holds them is read with every ingest request. */
export const MAX_ENTRIES = 100;
export const MAX_ENTRY_LENGTH = 200;
/** Characters of all rules of fingerprints. */
export const MAX_RULES_LENGTH = 10_000;
/** An hour, since batch jobs are transactions as well. */
export const MAX_APDEX_MS = HOUR_MS;
/** After so many days without an event at most issues are resolved by themselves. */
export const MAX_RESOLVE_DAYS = 365;
/** Requests a second, of a project or key. */
const MAX_RATE = 1_000_000;

/** Whether a text is an entry of a list, as a form makes them of lines. */
export function isEntry(text: string): boolean {
  return text !== "" && text.length <= MAX_ENTRY_LENGTH && text.trim() === text &&
    !text.includes("\n");
}

/** Whether a text says where a file of the source can be read. */
export function isSourceLink(text: string): boolean {
  return /^https?:\/\/[^/{}]+\//.test(text) && URL.canParse(text) && text.includes("{file}");
}

/** Whether so many requests a second can be set. */
export function isRate(rate: number): boolean {
  return Number.isInteger(rate) && rate >= 1 && rate <= MAX_RATE;
}
