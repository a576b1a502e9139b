import { findEvent } from "../errors/mod.ts";
import type { FilterSettings, PrivacySettings, ProjectSettings } from "../accounts/projects.ts";
import { readRange } from "../core/address_ranges.ts";
import { InvalidInput } from "../core/errors.ts";
import { checkRules, compileRules, RuleError } from "../formats/sentry/fingerprint_rules.ts";
import { resolveElement } from "../formats/sentry/grouping.ts";
import type { NormalizedEvent } from "../formats/sentry/normalized_event.ts";
import type { Sql } from "../store/database.ts";
import { HOUR_MS } from "../core/time.ts";

/** The record that holds them is read with every ingest request. */
const MAX_ENTRIES = 100;
const MAX_ENTRY_LENGTH = 200;
const MAX_RULES_LENGTH = 10_000;
/** An hour, since batch jobs are transactions as well. */
const MAX_APDEX_MS = HOUR_MS;

/** Reads what the privacy page sends. @throws {InvalidInput} */
export function readPrivacy(form: URLSearchParams): PrivacySettings {
  return {
    scrubs: form.get("scrubs") === "on",
    keepsAddresses: form.get("keepsAddresses") === "on",
    extraFields: readLines(form, "extraFields"),
    safeFields: readLines(form, "safeFields"),
  };
}

/** Reads what the inbound filters page sends. @throws {InvalidInput} */
export function readFilters(form: URLSearchParams): FilterSettings {
  const addresses = readLines(form, "addresses");
  const bad = addresses.find((text) => readRange(text) === null);
  if (bad !== undefined) {
    throw new InvalidInput(
      "addresses",
      `"${bad.slice(0, 60)}" is no address: write 203.0.113.7 or 10.0.0.0/8.`,
    );
  }
  return {
    browserExtensions: form.get("browserExtensions") === "on",
    localhost: form.get("localhost") === "on",
    legacyBrowsers: form.get("legacyBrowsers") === "on",
    crawlers: form.get("crawlers") === "on",
    releases: readLines(form, "releases"),
    messages: readLines(form, "messages"),
    addresses,
  };
}

/** Reads what the performance page sends. @throws {InvalidInput} */
export function readPerformance(
  form: URLSearchParams,
): Pick<ProjectSettings, "sampleRate" | "apdexMs" | "sourceLink" | "sourceRoot"> {
  return {
    sampleRate: readPercent(form, "sampleRate"),
    apdexMs: readApdexMs(form, "apdexMs"),
    sourceLink: readSourceLink(form, "sourceLink"),
    sourceRoot: readPath(form, "sourceRoot"),
  };
}

/** A share as the percentage that people enter, as `12.5`. */
export function percentText(share: number): string {
  // 0.07 * 100 is 7.000000000000001.
  return String(Number((share * 100).toFixed(6)));
}

/** A percentage as a share, 0 to 1. */
function readPercent(form: URLSearchParams, field: string): number {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,6})?) ?%?$/.exec(form.get(field)?.trim() ?? "") ?? [];
  const percent = Number(digits ?? NaN);
  if (percent >= 0 && percent <= 100) return percent / 100;
  throw new InvalidInput(field, "Enter a percentage from 0 to 100, such as 25 or 12.5.");
}

function readApdexMs(form: URLSearchParams, field: string): number {
  const text = form.get(field)?.trim() ?? "";
  const ms = /^\d{1,7}$/.test(text) ? Number(text) : NaN;
  if (ms >= 1 && ms <= MAX_APDEX_MS) return ms;
  throw new InvalidInput(
    field,
    `Enter whole milliseconds from 1 to ${MAX_APDEX_MS}, such as 300.`,
  );
}

function readSourceLink(form: URLSearchParams, field: string): string {
  const text = readPath(form, field);
  const isLink = /^https?:\/\/[^/{}]+\//.test(text) && URL.canParse(text);
  if (text === "" || isLink && text.includes("{file}")) return text;
  throw new InvalidInput(
    field,
    "Enter a web address with {file} in it, such as https://github.com/acme/shop/blob/main/{file}#L{line}.",
  );
}

function readPath(form: URLSearchParams, field: string): string {
  const text = (form.get(field) ?? "").trim().toWellFormed();
  if (text.length <= MAX_ENTRY_LENGTH) return text;
  throw new InvalidInput(field, `Enter at most ${MAX_ENTRY_LENGTH} characters.`);
}

/** Reads fingerprint rules. @throws {InvalidInput} that names the first line that cannot be read */
export function readFingerprintRules(form: URLSearchParams): string {
  const rules = (form.get("rules") ?? "").replaceAll("\r\n", "\n").trim();
  if (rules.length > MAX_RULES_LENGTH) {
    throw new InvalidInput("rules", `Enter at most ${MAX_RULES_LENGTH} characters.`);
  }
  try {
    checkRules(rules);
  } catch (error) {
    if (error instanceof RuleError) throw new InvalidInput("rules", error.message);
    throw error;
  }
  return rules;
}

function readLines(form: URLSearchParams, field: string): string[] {
  const lines = (form.get(field) ?? "").split("\n").map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.length > MAX_ENTRIES) {
    throw new InvalidInput(field, `Enter at most ${MAX_ENTRIES} lines.`);
  }
  const long = lines.find((line) => line.length > MAX_ENTRY_LENGTH);
  if (long !== undefined) {
    throw new InvalidInput(field, `A line has at most ${MAX_ENTRY_LENGTH} characters.`);
  }
  return [...new Set(lines.map((line) => line.toWellFormed()))];
}

export type TryResult =
  | { readonly kind: "not_found" }
  | { readonly kind: "no_rule" }
  | {
    readonly kind: "matched";
    readonly line: number;
    readonly text: string;
    /** With its variables resolved; `{{ default }}` stays. */
    readonly fingerprint: readonly string[];
  };

/** Which of the rules a stored event falls under. */
export async function tryRules(
  sql: Sql,
  projectId: string,
  eventId: string,
  rules: string,
): Promise<TryResult> {
  const id = eventId.replaceAll("-", "").toLowerCase();
  const event = /^[0-9a-f]{32}$/.test(id) ? await findEvent(sql, projectId, id) : null;
  if (event === null) return { kind: "not_found" };
  // Stored payloads are what normalising made.
  const normalized = JSON.parse(event.payload) as NormalizedEvent;
  const rule = compileRules(rules).match(normalized);
  if (rule === null) return { kind: "no_rule" };
  return {
    kind: "matched",
    line: rule.line,
    text: rule.text,
    fingerprint: rule.fingerprint.map((element) =>
      /^\{\{\s*default\s*\}\}$/.test(element) ? element : resolveElement(element, normalized)
    ),
  };
}
