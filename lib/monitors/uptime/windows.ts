/** Maintenance windows: times in which a monitor may fail without anybody being told. */
import { z } from "zod";
import { DAY_MS } from "../../core/time.ts";
import { inSchedule, isTimeZone, scheduleWords } from "../../alerts/mod.ts";
import { t } from "../../core/language/translate.ts";

const DAY_MINUTES = 1_440;
/** Longer ones are a pause. */
const MAX_LENGTH_MS = 31 * DAY_MS;
export const MAX_WINDOWS = 20;

const note = z.string().trim().max(200, { error: () => t("A note has at most 200 characters.") })
  .default("");

const Once = z.object({
  kind: z.literal("once"),
  start: z.iso.datetime({ offset: true, error: () => t("Write a time as 2026-11-30T22:00:00Z.") }),
  /** Exclusive. */
  end: z.iso.datetime({ offset: true, error: () => t("Write a time as 2026-11-30T23:00:00Z.") }),
  note,
}).superRefine(({ start, end }, ctx) => {
  const length = Date.parse(end) - Date.parse(start);
  if (length <= 0) ctx.addIssue({ code: "custom", message: t("A window ends after it begins.") });
  if (length > MAX_LENGTH_MS) {
    ctx.addIssue({
      code: "custom",
      message: t("A window lasts 31 days at most; pause the monitor instead."),
    });
  }
});

const Weekly = z.object({
  kind: z.literal("weekly"),
  /** 0 is Sunday. */
  days: z.array(z.int().min(0).max(6)).min(1, { error: () => t("Choose at least one day.") }).max(7)
    .transform((days) => [...new Set(days)].sort()),
  /** Minutes of the day in `timeZone`. */
  fromMinute: z.int({ error: () => t("Write a time of the day, as 22:00.") }).min(0).max(
    DAY_MINUTES - 1,
  ),
  /** Exclusive. Not above `fromMinute`: until then on the day after. */
  toMinute: z.int({ error: () => t("Write a time of the day, as 23:00.") }).min(0).max(DAY_MINUTES),
  /** IANA name. */
  timeZone: z.string().refine(isTimeZone, {
    error: () => t("Name a time zone, as Europe/Berlin."),
  }),
  note,
});

export const WindowInput = z.discriminatedUnion("kind", [Once, Weekly], {
  error: () => t("A window is once or weekly."),
});
export type MaintenanceWindow = z.output<typeof WindowInput>;

/** The window that a moment lies in, or null. */
export function windowAt(
  windows: readonly MaintenanceWindow[],
  at: Date,
): MaintenanceWindow | null {
  return windows.find((window) => isWithin(window, at)) ?? null;
}

function isWithin(window: MaintenanceWindow, at: Date): boolean {
  if (window.kind === "weekly") return inSchedule(window, at);
  return at.getTime() >= Date.parse(window.start) && at.getTime() < Date.parse(window.end);
}

/** Whether nothing of a window is left. */
export function isOver(window: MaintenanceWindow, now: Date): boolean {
  return window.kind === "once" && Date.parse(window.end) <= now.getTime();
}

/** `Mon–Fri 22:00–23:00, Europe/Berlin`, or the two times of one that is once. */
export function windowWords(window: MaintenanceWindow): string {
  if (window.kind === "weekly") return scheduleWords(window);
  const words = (text: string) => new Date(text).toISOString().slice(0, 16).replace("T", " ");
  return `${words(window.start)} – ${words(window.end)} UTC`;
}
