/** What the forms of uptime monitors do. */
import { HttpError } from "fresh";
import type { Permission } from "@/lib/accounts/members.ts";
import { InvalidInput } from "@/lib/core/errors.ts";
import type { RateLimiter } from "@/lib/accounts/rates.ts";
import { DAY_MS } from "@/lib/core/time.ts";
import type { Sql } from "@/lib/store/database.ts";
import { checkConfirmation, type FormErrors } from "@/lib/ui/components/fields.tsx";
import { attempt, fieldOf, unknownForm } from "@/lib/ui/form.ts";
import { incidentPath, monitorPath, monitorsPath } from "@/lib/ui/links.ts";
import type { ProbeResult } from "../../probes/probe.ts";
import type { Prober } from "../../probes/prober.ts";
import { addComment, endIncident, findIncident, type Incident, MAX_COMMENT } from "../incidents.ts";
import type { Monitor, MonitorInput } from "../monitor.ts";
import {
  changeMonitor,
  createMonitor,
  deleteMonitor,
  findMonitor,
  type MonitorStores,
  pauseMonitor,
  setWindows,
  wholeTarget,
} from "../monitors.ts";
import type { NoticePlace } from "../notices.ts";
import { hidingOf } from "../secrets.ts";
import { isOver, MAX_WINDOWS, WindowInput } from "../windows.ts";
import { fieldNameOf, type ReadMonitorForm, readMonitorForm } from "./form_params.ts";
import { probeWords } from "../../probes/problem_words.ts";
import { t } from "@/lib/core/language/translate.ts";

/** What making, changing and trying monitors asks for: who may be told of what, as with alerts. */
export const MONITOR_WRITE: Permission = "alert:write";

/** The monitor that an address names. @throws {HttpError} 404 when the project has none of that id */
export async function requireMonitor(
  sql: Sql,
  projectId: string,
  monitorId: string | undefined,
): Promise<Monitor> {
  const monitor = await findMonitor(sql, projectId, monitorId ?? "");
  if (monitor === null) {
    throw new HttpError(404, t("This monitor does not exist, or does not any more."));
  }
  return monitor;
}

/** The incident that an address names. @throws {HttpError} 404 */
export async function requireIncident(sql: Sql, monitor: Monitor, incidentId: string | undefined) {
  const { projectId, monitorId } = monitor;
  const incident = await findIncident(sql, projectId, monitorId, incidentId ?? "");
  if (incident === null) throw new HttpError(404, t("This incident does not exist any more."));
  return incident;
}

/** What trying a check needs. */
export interface TryServices extends MonitorStores {
  readonly prober: Pick<Prober, "probe">;
  readonly rates: Pick<RateLimiter, "take">;
}

type FormResult =
  | { readonly kind: "saved"; readonly monitor: Monitor }
  | {
    readonly kind: "tried";
    readonly form: ReadMonitorForm;
    readonly tried: ProbeResult;
  }
  | { readonly kind: "refused"; readonly form: ReadMonitorForm };

/**
 * Saves or tries what the form of a monitor says.
 *
 * @param monitor the one that is changed; null for a new one
 * @param by e-mail address of whoever does it
 */
export async function submitMonitor(
  services: TryServices,
  projectId: string,
  params: URLSearchParams,
  monitor: Monitor | null,
  by: string,
): Promise<FormResult> {
  const form = readMonitorForm(params, monitor);
  const { input } = form;
  if (input === null) return { kind: "refused", form };
  const refused = (errors: FormErrors): FormResult => ({
    kind: "refused",
    form: {
      ...form,
      errors: Object.fromEntries(
        Object.entries(errors).map(([field, message]) => [fieldNameOf(field), message]),
      ),
    },
  });
  if (params.get("action") === "try") {
    const result = await attempt(() => tryCheck(services, projectId, input.target, monitor));
    return result.ok ? { kind: "tried", form, tried: result.value } : refused(result.errors);
  }
  const result = await attempt(() => save(services, projectId, monitor, input, by));
  if (!result.ok) return refused(result.errors);
  if (result.value !== null) return { kind: "saved", monitor: result.value };
  return refused({ "": t("Somebody has deleted this monitor in the meantime.") });
}

function save(
  stores: MonitorStores,
  projectId: string,
  monitor: Monitor | null,
  input: MonitorInput,
  by: string,
): Promise<Monitor | null> {
  return monitor === null
    ? createMonitor(stores, projectId, input, by)
    : changeMonitor(stores, monitor, input, by);
}

/** Tries a second and project; twice that in a burst. More would be a scanner. */
const TRIES_PER_SEC = 2;

/**
 * Makes one check that is stored nowhere.
 *
 * @param monitor whose secrets may be kept
 * @throws {InvalidInput}
 */
export async function tryCheck(
  services: TryServices,
  projectId: string,
  entered: MonitorInput["target"],
  monitor: Monitor | null,
): Promise<ProbeResult> {
  const target = await wholeTarget(services, monitor, entered);
  const permit = await services.rates.take(`uptime-try:${projectId}`, TRIES_PER_SEC);
  if (!permit.ok) throw new InvalidInput("", t("Too many tries: wait a few seconds."));
  const result = await services.prober.probe(target);
  const hide = hidingOf(target);
  return {
    ...result,
    problem: result.problem &&
      { ...result.problem, sentence: probeWords(hide(result.problem.sentence)) },
    headers: Object.fromEntries(
      Object.entries(result.headers).map(([name, value]) => [name, hide(value)]),
    ),
    body: hide(result.body),
    redirects: result.redirects.map(hide),
  };
}

type ActionResult =
  | { readonly ok: true; readonly location: string; readonly text: string }
  | { readonly ok: false; readonly deleteError?: string; readonly windowErrors?: FormErrors };

/** Does what a button of a monitor's page asks for. @throws {HttpError} 400 for forms of somebody else */
export async function actOnMonitor(
  sql: Sql,
  monitor: Monitor,
  form: URLSearchParams,
  by: string,
  place: NoticePlace,
  now: Date = new Date(),
): Promise<ActionResult> {
  const { projectId, monitorId, name } = monitor;
  const done = (text: string): ActionResult => ({
    ok: true,
    location: monitorPath(projectId, monitorId),
    text,
  });
  switch (form.get("action")) {
    case "pause":
      await pauseMonitor(sql, monitor, true, by, now);
      await endIncident(sql, monitor, "paused", place, now);
      return done(t("The monitor is paused."));
    case "resume":
      await pauseMonitor(sql, monitor, false, by, now);
      return done(t("The monitor is checked again, from now on."));
    case "add_window": {
      const read = readWindow(form);
      if (!read.ok) return { ok: false, windowErrors: read.errors };
      const kept = monitor.windows.filter((window) => !isOver(window, now));
      if (kept.length >= MAX_WINDOWS) {
        const message = t(
          "A monitor has at most {n} maintenance window.|A monitor has at most {n} maintenance windows.",
          { n: MAX_WINDOWS },
        );
        return { ok: false, windowErrors: { "": message } };
      }
      await setWindows(sql, monitor, [...kept, read.window], by);
      return done(t("The maintenance window is added."));
    }
    case "remove_window": {
      const place = Number(form.get("window"));
      await setWindows(sql, monitor, monitor.windows.filter((_, index) => index !== place), by);
      return done(t("The maintenance window is removed."));
    }
    case "delete": {
      const problem = checkConfirmation(form, name);
      if (problem !== null) return { ok: false, deleteError: problem };
      await endIncident(sql, monitor, "deleted", place, now);
      await deleteMonitor(sql, monitor);
      return {
        ok: true,
        location: monitorsPath(projectId),
        text: t("{name} is deleted.", { name }),
      };
    }
    default:
      throw unknownForm();
  }
}

/** Reads a maintenance window: once, in UTC, or weekly in a time zone. */
function readWindow(form: URLSearchParams):
  | { readonly ok: true; readonly window: ReturnType<typeof WindowInput.parse> }
  | { readonly ok: false; readonly errors: FormErrors } {
  const timeText = (name: string) => {
    const text = fieldOf(form, name);
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? `${text}:00Z` : text;
  };
  const note = fieldOf(form, "note");
  const result = WindowInput.safeParse(
    form.get("window_kind") === "weekly"
      ? {
        kind: "weekly",
        days: form.getAll("day").map(Number),
        fromMinute: minuteOf(fieldOf(form, "from")),
        toMinute: minuteOf(fieldOf(form, "to")) || DAY_MS / 60_000,
        timeZone: fieldOf(form, "timeZone"),
        note,
      }
      : { kind: "once", start: timeText("start"), end: timeText("end"), note },
  );
  if (result.success) return { ok: true, window: result.data };
  const errors: Record<string, string> = {};
  const names: Record<string, string> = { days: "day", fromMinute: "from", toMinute: "to" };
  for (const { path, message } of result.error.issues) {
    const field = String(path[0] ?? "");
    errors[names[field] ?? field] ??= message;
  }
  return { ok: false, errors };
}

/** Minutes of the day of `09:30`; NaN for anything else. */
function minuteOf(text: string): number {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(text) ?? [];
  return Number(hours) * 60 + Number(minutes);
}

/** Adds what somebody says to an incident. */
export async function commentOn(
  sql: Sql,
  incident: Incident,
  form: URLSearchParams,
  by: string,
): Promise<{ ok: true; location: string } | { ok: false; errors: FormErrors }> {
  const text = (form.get("comment") ?? "").trim();
  if (text === "") return { ok: false, errors: { comment: t("Write something.") } };
  if (text.length > MAX_COMMENT) {
    return {
      ok: false,
      errors: {
        comment: t("Write at most {n} character.|Write at most {n} characters.", {
          n: MAX_COMMENT,
        }),
      },
    };
  }
  if (!await addComment(sql, incident, { by, text })) {
    return {
      ok: false,
      errors: { comment: t("This incident has as many comments as it may have.") },
    };
  }
  const { projectId, monitorId, incidentId } = incident;
  return { ok: true, location: incidentPath(projectId, monitorId, incidentId) };
}
