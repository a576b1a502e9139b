import { t } from "@/lib/core/language/translate.ts";
import { HttpError } from "fresh";
import type { Permission } from "@/lib/accounts/members.ts";
import type { Sql } from "@/lib/store/database.ts";
import { checkConfirmation } from "@/lib/ui/components/fields.tsx";
import type { FlashKind } from "@/lib/ui/cookies.ts";
import { unknownForm } from "@/lib/ui/form.ts";
import { cronsPath } from "@/lib/ui/links.ts";
import {
  deleteMonitor,
  findMonitor,
  type Monitor,
  type MonitorInput,
  muteEnvironment,
  renewPing,
  updateMonitor,
} from "../monitors.ts";
import { monitorHref } from "./parts.tsx";

/** What making, changing and muting monitors asks for, as alerts do. */
export const MONITOR_WRITE: Permission = "alert:write";

/**
 * The monitor that an address names, by slug or id.
 *
 * @throws {HttpError} 404 when the project has none of that name
 */
export async function requireMonitor(
  sql: Sql,
  projectId: string,
  name: string | undefined,
): Promise<Monitor> {
  const monitor = await findMonitor(sql, projectId, name ?? "");
  if (monitor !== null) return monitor;
  throw new HttpError(404, t("This cron job does not exist, or does not any more."));
}

type ActionResult =
  | {
    readonly ok: true;
    readonly location: string;
    readonly text: string;
    readonly kind: FlashKind;
  }
  | { readonly ok: false; readonly deleteError: string };

/**
 * Does what a form of a monitor's page asks for.
 *
 * @throws {HttpError} 400 for an action that there is not
 */
export async function actOnMonitor(
  sql: Sql,
  monitor: Monitor,
  form: URLSearchParams,
): Promise<ActionResult> {
  const done = (text: string, kind: FlashKind = "ok"): ActionResult => ({
    ok: true,
    location: monitorHref(monitor),
    text,
    kind,
  });
  const change = async (changes: Partial<MonitorInput>, text: string) => {
    await updateMonitor(sql, monitor, { ...monitor, ...changes });
    return done(text);
  };
  switch (form.get("action")) {
    case "mute":
      return await change({ isMuted: true }, t("Muted: runs are kept, and nobody is told."));
    case "unmute":
      return await change({ isMuted: false }, t("No longer muted."));
    case "disable":
      return await change(
        { isActive: false },
        t("The cron job is off: its check-ins are not taken."),
      );
    case "enable":
      return await change({ isActive: true }, t("The cron job is on."));
    case "mute-environment":
    case "unmute-environment": {
      const isMuted = form.get("action") === "mute-environment";
      const environment = form.get("environment") ?? "";
      const isKnown = await muteEnvironment(sql, monitor, environment, isMuted);
      if (!isKnown) return done(t("There is no such environment any more."), "warning");
      return done(
        isMuted
          ? t("{environment} is muted.", { environment })
          : t("{environment} is no longer muted.", { environment }),
      );
    }
    case "delete-environment": {
      const environment = form.get("environment") ?? "";
      await deleteMonitor(sql, monitor, [environment]);
      return done(t("{environment} is deleted with its runs.", { environment }));
    }
    case "renew-ping":
      await renewPing(sql, monitor);
      return done(t("The address for pings is a new one. The old one is unknown from now on."));
    case "delete": {
      const problem = checkConfirmation(form, monitor.name);
      if (problem !== null) return { ok: false, deleteError: problem };
      await deleteMonitor(sql, monitor);
      return {
        ok: true,
        location: cronsPath(monitor.projectId),
        text: t("{name} is deleted.", { name: monitor.name }),
        kind: "ok",
      };
    }
    default:
      throw unknownForm();
  }
}
