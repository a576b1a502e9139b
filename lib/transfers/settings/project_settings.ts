/** Checks what a document says of a project's own settings: as strictly as the pages do, since intake reads them with each request. */
import { z } from "zod";
import { RETENTION_KINDS } from "../../accounts/projects.ts";
import {
  isEntry,
  isRate,
  isSourceLink,
  MAX_APDEX_MS,
  MAX_ENTRIES,
  MAX_ENTRY_LENGTH,
  MAX_RESOLVE_DAYS,
  MAX_RULES_LENGTH,
} from "../../accounts/setting_limits.ts";
import { LANGUAGES } from "../../core/language/translate.ts";
import { readRange } from "../../core/matchers.ts";
import { checkRules, RuleError } from "../../formats/sentry/fingerprint_rules.ts";

const lines = z.array(z.string().refine(isEntry)).max(MAX_ENTRIES)
  .transform((entries) => [...new Set(entries)]);
const path = z.string().max(MAX_ENTRY_LENGTH);

/** Each setting by itself: one that is wrong costs none of the others. */
export const PROJECT_SETTINGS = {
  ratePerSec: z.number().refine(isRate).nullable(),
  sampleRate: z.number().min(0).max(1),
  apdexMs: z.int().min(1).max(MAX_APDEX_MS),
  sourceLink: path.refine((text) => text === "" || isSourceLink(text)),
  sourceRoot: path,
  privacy: z.strictObject({
    scrubs: z.boolean(),
    keepsAddresses: z.boolean(),
    extraFields: lines,
    safeFields: lines,
  }),
  filters: z.strictObject({
    browserExtensions: z.boolean(),
    localhost: z.boolean(),
    legacyBrowsers: z.boolean(),
    crawlers: z.boolean(),
    releases: lines,
    messages: lines,
    addresses: lines.refine((texts) => texts.every((text) => readRange(text) !== null)),
  }),
  fingerprintRules: z.string().max(MAX_RULES_LENGTH).refine(areRules),
  resolveAfterDays: z.int().min(0).max(MAX_RESOLVE_DAYS),
  language: z.enum(Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[]),
  retention: z.partialRecord(z.enum(RETENTION_KINDS), z.int().min(1)),
} as const;

function areRules(text: string): boolean {
  try {
    checkRules(text);
    return true;
  } catch (error) {
    if (error instanceof RuleError) return false;
    throw error;
  }
}
