import { z } from "zod";
import {
  isSourceLink,
  MAX_APDEX_MS,
  MAX_ENTRIES,
  MAX_ENTRY_LENGTH,
  MAX_RULES_LENGTH,
} from "../accounts/setting_limits.ts";
import { t } from "../core/language/translate.ts";
import { findEvent } from "../errors/mod.ts";
import { readRange } from "../core/matchers.ts";
import { checkRules, compileRules, RuleError } from "../formats/sentry/fingerprint_rules.ts";
import { resolveElement } from "../formats/sentry/grouping.ts";
import type { NormalizedEvent } from "../formats/sentry/normalized_event.ts";
import type { Sql } from "../store/database.ts";
import { checkboxField, textField } from "../ui/form.ts";

/** A list that is entered one entry a line, each once. */
const linesField = textField
  .transform((text) => text.split("\n").map((line) => line.trim()).filter((line) => line !== ""))
  .refine((lines) => lines.length <= MAX_ENTRIES, {
    error: () => t("Enter at most {most} lines.", { most: MAX_ENTRIES }),
  })
  .refine((lines) => lines.every(({ length }) => length <= MAX_ENTRY_LENGTH), {
    error: () => t("A line has at most {most} characters.", { most: MAX_ENTRY_LENGTH }),
  })
  .transform((lines) => [...new Set(lines)]);

const addressesField = linesField.superRefine((lines, context) => {
  const bad = lines.find((text) => readRange(text) === null);
  if (bad === undefined) return;
  const message = t("“{text}” is not an address: write 203.0.113.7 or 10.0.0.0/8.", {
    text: bad.slice(0, 60),
  });
  context.addIssue({ code: "custom", message });
});

/** A percentage as people enter it, `12.5`; becomes a share, 0 to 1. */
const percentField = textField
  .transform((text) => Number(/^(\d{1,3}(?:\.\d{1,6})?) ?%?$/.exec(text)?.[1] ?? NaN))
  .refine((percent) => percent >= 0 && percent <= 100, {
    error: () => t("Enter a percentage from 0 to 100, such as 25 or 12.5."),
  })
  .transform((percent) => percent / 100);

const apdexField = textField
  .transform((text) => /^\d{1,7}$/.test(text) ? Number(text) : NaN)
  .refine((ms) => ms >= 1 && ms <= MAX_APDEX_MS, {
    error: () =>
      t("Enter whole milliseconds from 1 to {most}, such as 300.", { most: String(MAX_APDEX_MS) }),
  });

const pathField = textField.refine(({ length }) => length <= MAX_ENTRY_LENGTH, {
  error: () => t("Enter at most {most} characters.", { most: MAX_ENTRY_LENGTH }),
});

/** What the privacy page sends. */
export const Privacy = z.object({
  scrubs: checkboxField,
  keepsAddresses: checkboxField,
  extraFields: linesField,
  safeFields: linesField,
});

/** What the inbound filters page sends. */
export const Filters = z.object({
  browserExtensions: checkboxField,
  localhost: checkboxField,
  legacyBrowsers: checkboxField,
  crawlers: checkboxField,
  releases: linesField,
  messages: linesField,
  addresses: addressesField,
});

/** What the performance page sends. */
export const Performance = z.object({
  sampleRate: percentField,
  apdexMs: apdexField,
  sourceLink: pathField.refine((text) => text === "" || isSourceLink(text), {
    error: () =>
      t("Enter a web address with {file} in it, such as {example}.", {
        file: "{file}",
        example: "https://github.com/acme/shop/blob/main/{file}#L{line}",
      }),
  }),
  sourceRoot: pathField,
});

/** What the grouping page sends; an error names the first line that cannot be read. */
export const Grouping = z.object({
  rules: textField
    .transform((text) => text.replaceAll("\r\n", "\n"))
    .refine(({ length }) => length <= MAX_RULES_LENGTH, {
      error: () => t("Enter at most {most} characters.", { most: MAX_RULES_LENGTH }),
      abort: true,
    })
    .superRefine((rules, context) => {
      const message = problemOfRules(rules);
      if (message !== null) context.addIssue({ code: "custom", message });
    }),
});

function problemOfRules(rules: string): string | null {
  try {
    checkRules(rules);
    return null;
  } catch (error) {
    if (error instanceof RuleError) return error.message;
    throw error;
  }
}

/** A share as the percentage that people enter, as `12.5`. */
export function percentText(share: number): string {
  // 0.07 * 100 is 7.000000000000001.
  return String(Number((share * 100).toFixed(6)));
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
