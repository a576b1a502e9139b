import { resolveElement } from "../formats/sentry/fingerprint.ts";
import { compileRules } from "../formats/sentry/fingerprint_rules.ts";
import type { NormalizedEvent } from "../formats/sentry/normalized_event.ts";
import type { Sql } from "../store/database.ts";
import { findEvent } from "../errors/events.ts";

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
