import { HttpError } from "fresh";
import type { Project } from "../../accounts/projects.ts";
import type { Services } from "../../server/services.ts";
import { deleteRule, enableRule, muteRule, type StoredRule } from "../rules.ts";
import { checkConfirmation } from "../../ui/components/confirm_by_name.tsx";
import type { FlashKind } from "../../ui/flash.ts";
import { formatDateTime } from "../../ui/format.ts";
import { alertPath, alertsPath } from "../../ui/paths.ts";
import { sendTest } from "./send_test.ts";

/** What was done and where to go, or what is wrong with the name that was typed. */
export type ActionResult =
  | {
    readonly ok: true;
    readonly location: string;
    readonly text: string;
    readonly kind: FlashKind;
  }
  | { readonly ok: false; readonly deleteError: string };

const MINUTE_MS = 60_000;
/** A year: who wants it longer turns it off. */
const MAX_MUTE_MS = 366 * 86_400_000;

/**
 * Does what a button of an alert's page asks for.
 *
 * @param by e-mail address of whoever does it
 * @throws {HttpError} 400 for forms of somebody else
 */
export async function actOnAlert(
  services: Pick<Services, "sql" | "kv" | "log" | "config">,
  project: Project,
  rule: StoredRule,
  form: URLSearchParams,
  by: string,
  now: Date = new Date(),
): Promise<ActionResult> {
  const { sql } = services;
  const done = (text: string, kind: FlashKind = "ok"): ActionResult => ({
    ok: true,
    location: alertPath(project.id, rule.ruleId),
    text,
    kind,
  });
  switch (form.get("action")) {
    case "mute": {
      const until = muteUntil(form, now);
      if (until === null) return done("Choose a time ahead, within a year.", "danger");
      await muteRule(sql, project.id, rule.ruleId, until, by);
      return done(`Muted until ${formatDateTime(until)}.`);
    }
    case "unmute":
      await muteRule(sql, project.id, rule.ruleId, null, by);
      return done("No longer muted.");
    case "enable":
      await enableRule(sql, project.id, rule.ruleId, true, by);
      return done("The alert is on: it is evaluated twice a minute from now on.");
    case "disable":
      await enableRule(sql, project.id, rule.ruleId, false, by);
      return done("The alert is off.");
    case "test": {
      const { text, kind } = await sendTest(services, project, rule);
      return done(text, kind);
    }
    case "delete": {
      const problem = checkConfirmation(form, rule.name);
      if (problem !== null) return { ok: false, deleteError: problem };
      await deleteRule(sql, project.id, rule.ruleId);
      return {
        ok: true,
        location: alertsPath(project.id),
        text: `${rule.name} is deleted.`,
        kind: "ok",
      };
    }
    default:
      throw new HttpError(400, "This form is not one that Watchpost understands.");
  }
}

/** The time ahead that a form names in minutes or as an instant in UTC, or null. */
function muteUntil(form: URLSearchParams, now: Date): Date | null {
  const minutes = form.get("minutes");
  const text = form.get("until")?.trim() ?? "";
  const until = minutes !== null
    ? now.getTime() + Number(minutes) * MINUTE_MS
    : /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)
    ? Date.parse(text.endsWith("Z") ? text : `${text}Z`)
    : NaN;
  const isAhead = until > now.getTime() && until <= now.getTime() + MAX_MUTE_MS;
  return isAhead ? new Date(until) : null;
}
