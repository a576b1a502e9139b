import { DAY_MS, MINUTE_MS } from "../../core/time.ts";
import { HttpError } from "fresh";
import type { Permission } from "../../accounts/members.ts";
import type { Project } from "../../accounts/projects.ts";
import type { Backend } from "../../store/stores.ts";
import type { Sql } from "../../store/database.ts";
import { checkConfirmation } from "../../ui/components/fields.tsx";
import type { FlashKind } from "../../ui/cookies.ts";
import { formatDateTime } from "../../ui/format.ts";
import { unknownForm } from "../../ui/form.ts";
import { alertPath, alertsPath } from "../../ui/links.ts";
import { testRule } from "../notices.ts";
import {
  createRule,
  deleteRule,
  enableRule,
  findRule,
  muteRule,
  type StoredRule,
  TooManyRules,
  UnknownChannel,
  updateRule,
} from "../rules.ts";
import type { ReadForm } from "./read_form.ts";
import { t } from "../../core/language/translate.ts";

/** What was done and where to go, or what is wrong with the name that was typed. */
type ActionResult =
  | {
    readonly ok: true;
    readonly location: string;
    readonly text: string;
    readonly kind: FlashKind;
  }
  | { readonly ok: false; readonly deleteError: string };

/** A year: who wants it longer turns it off. */
const MAX_MUTE_MS = 366 * DAY_MS;

/**
 * Does what a button of an alert's page asks for.
 *
 * @param by e-mail address of whoever does it
 * @throws {HttpError} 400 for forms of somebody else
 */
export async function actOnAlert(
  services: Pick<Backend, "sql" | "kv" | "log" | "config">,
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
      if (until === null) return done(t("Choose a time ahead, within a year."), "danger");
      await muteRule(sql, project.id, rule.ruleId, until, by);
      return done(t("Muted until {time}.", { time: formatDateTime(until) }));
    }
    case "unmute":
      await muteRule(sql, project.id, rule.ruleId, null, by);
      return done(t("No longer muted."));
    case "enable":
      await enableRule(sql, project.id, rule.ruleId, true, by);
      return done(t("The alert is on: it is evaluated twice a minute from now on."));
    case "disable":
      await enableRule(sql, project.id, rule.ruleId, false, by);
      return done(t("The alert is off."));
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
        text: t("{name} is deleted.", { name: rule.name }),
        kind: "ok",
      };
    }
    default:
      throw unknownForm();
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

/** Sends a test through the channels of an alert, and says which they are. */
async function sendTest(
  { sql, config }: Pick<Backend, "sql" | "config">,
  project: Project,
  rule: StoredRule,
): Promise<{ text: string; kind: FlashKind }> {
  const channels = await testRule({ sql, baseUrl: config.baseUrl }, project, rule);
  if (channels.length === 0) {
    return { text: t("This alert has no channel: no notification was sent."), kind: "warning" };
  }
  const names = channels.map(({ name }) => name).join(", ");
  return { text: t("A test is on its way to {names}.", { names }), kind: "ok" };
}

/** The saved alert, or the form with what is wrong with it. */
type SaveResult =
  | { readonly saved: StoredRule }
  | { readonly saved: null; readonly form: ReadForm };

/** Whether a form asks to be saved, and not for a preview or another row. */
export function isSave(params: URLSearchParams): boolean {
  return params.get("action") === "save";
}

/**
 * Saves what the form says, where it asks for that and has no errors.
 *
 * @param rule the alert that is changed; null for a new one
 * @param by e-mail address of whoever does it
 */
export async function saveAlert(
  sql: Sql,
  projectId: string,
  form: ReadForm,
  rule: StoredRule | null,
  by: string,
): Promise<SaveResult> {
  const { params, input } = form;
  if (!isSave(params) || input === null) return { saved: null, form };
  try {
    const saved = rule === null
      ? await createRule(sql, projectId, input, by)
      : await updateRule(sql, projectId, rule.ruleId, input, by);
    if (saved !== null) return { saved };
    const message = t("Somebody has deleted this alert in the meantime.");
    return { saved: null, form: { ...form, errors: { "": message } } };
  } catch (error) {
    if (error instanceof UnknownChannel) {
      return { saved: null, form: { ...form, errors: { channel: error.message } } };
    }
    if (!(error instanceof TooManyRules)) throw error;
    return { saved: null, form: { ...form, errors: { "": error.message } } };
  }
}

/**
 * The alert that an address names.
 *
 * @throws {HttpError} 404 when the project has none of that id
 */
export async function requireRule(
  sql: Sql,
  projectId: string,
  ruleId: string | undefined,
): Promise<StoredRule> {
  const rule = await findRule(sql, projectId, ruleId ?? "");
  if (rule === null) {
    throw new HttpError(404, t("This alert does not exist, or does not any more."));
  }
  return rule;
}

/** What making, changing, muting and testing alerts asks for. */
export const ALERT_WRITE: Permission = "alert:write";
