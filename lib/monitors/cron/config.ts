/** The settings of a monitor in Sentry's words, as SDKs send them, the API shows them and each check-in keeps them. */
import { t } from "../../core/language/translate.ts";
import { asObject, type Raw } from "../../formats/fields.ts";
import {
  crontabProblem,
  INTERVAL_LENGTHS,
  INTERVAL_UNITS,
  type IntervalUnit,
  isTimeZone,
  type Schedule,
} from "./schedule.ts";

export type MonitorConfig = Schedule & {
  /** Minutes after the expected time within which a run still begins in time. */
  readonly checkin_margin: number;
  /** Minutes that a run may take. */
  readonly max_runtime: number;
  /** Failed runs in a row that open an incident. */
  readonly failure_issue_threshold: number;
  /** Good runs in a row that end it. */
  readonly recovery_threshold: number;
};

export type ConfigField =
  | "schedule"
  | "timezone"
  | "checkin_margin"
  | "max_runtime"
  | "failure_issue_threshold"
  | "recovery_threshold";

/** A config, or what is wrong with which field. */
export type ConfigResult =
  | { readonly ok: true; readonly config: MonitorConfig }
  | {
    readonly ok: false;
    readonly problems: readonly { readonly field: ConfigField; readonly message: string }[];
  };

/** Least and most of the numbers, the minutes among them, and what holds where nothing is said. */
export const NUMBERS = {
  checkin_margin: { min: 1, max: 40_320, default: 1 },
  max_runtime: { min: 1, max: 40_320, default: 30 },
  failure_issue_threshold: { min: 1, max: 720, default: 1 },
  recovery_threshold: { min: 1, max: 720, default: 1 },
} as const;

/** Ten years: calendars end. */
const MOST_UNITS: Readonly<Record<IntervalUnit, number>> = {
  minute: 5_256_000,
  hour: 87_600,
  day: 3_650,
  week: 520,
  month: 120,
  year: 10,
};

/**
 * Reads a config as SDKs and the API send it. The schedule always is the one that is sent; of the rest what is absent,
 * null or blank stays as it was, so that a sparse config leaves what somebody set on the page.
 *
 * @param sent `schedule` as `{type, value, unit}`, or as text or `[n, unit]` beside `schedule_type`
 * @param former what held so far, or null
 */
export function readConfig(sent: Raw, former: MonitorConfig | null): ConfigResult {
  const problems: { field: ConfigField; message: string }[] = [];
  const schedule = readSchedule(sent);
  if (typeof schedule === "string") problems.push({ field: "schedule", message: schedule });
  // People put it beside the type of the schedule, too.
  const timezone = textOf(sent.timezone) ?? textOf(asObject(sent.schedule)?.timezone) ??
    former?.timezone ?? "UTC";
  if (!isTimeZone(timezone)) {
    problems.push({
      field: "timezone",
      message: t("There is no time zone {name}: write one as Europe/Berlin or UTC.", {
        name: timezone.slice(0, 60),
      }),
    });
  }
  const numbers = { ...defaults(former) };
  for (const field of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) {
    const { min, max } = NUMBERS[field];
    const value = numberOf(sent[field]);
    if (value === undefined) continue;
    // Sentry takes 0 as the least margin as well.
    const number = field === "checkin_margin" && value === 0 ? min : value;
    if (Number.isInteger(number) && number >= min && number <= max) numbers[field] = number;
    else {
      const message = t("Write a whole number from {min} to {max}.", { min, max });
      problems.push({ field, message });
    }
  }
  if (problems.length > 0 || typeof schedule === "string") return { ok: false, problems };
  return { ok: true, config: { ...schedule, timezone, ...numbers } };
}

function defaults(former: MonitorConfig | null): Record<keyof typeof NUMBERS, number> {
  return {
    checkin_margin: former?.checkin_margin ?? NUMBERS.checkin_margin.default,
    max_runtime: former?.max_runtime ?? NUMBERS.max_runtime.default,
    failure_issue_threshold: former?.failure_issue_threshold ??
      NUMBERS.failure_issue_threshold.default,
    recovery_threshold: former?.recovery_threshold ?? NUMBERS.recovery_threshold.default,
  };
}

type PlainSchedule =
  | { readonly schedule_type: "crontab"; readonly schedule: string }
  | { readonly schedule_type: "interval"; readonly schedule: readonly [number, IntervalUnit] };

/** @returns the schedule, or what is wrong with it */
function readSchedule(sent: Raw): PlainSchedule | string {
  const nested = asObject(sent.schedule);
  const type = nested?.type ?? sent.schedule_type;
  const value = nested ? nested.value : sent.schedule;
  if (type === "interval") {
    return nested
      ? readInterval(value, nested.unit)
      : Array.isArray(value)
      ? readInterval(value[0], value[1])
      : t("Write an interval as a number and a unit.");
  }
  if (type !== "crontab" && type !== undefined) return t("Write crontab or interval as the type.");
  if (typeof value !== "string") return t("Write a schedule.");
  const text = value.trim().replace(/\s+/g, " ");
  const problem = crontabProblem(text);
  return problem ?? { schedule_type: "crontab", schedule: text };
}

function readInterval(count: unknown, unit: unknown): PlainSchedule | string {
  const known = INTERVAL_UNITS.find((each) => each === unit);
  const number = numberOf(count);
  if (known === undefined) {
    return t("Write a unit of {units}.", { units: INTERVAL_UNITS.join(", ") });
  }
  if (number === undefined || !Number.isInteger(number) || number < 1) {
    return t("Write a whole number of at least 1.");
  }
  if (number > MOST_UNITS[known]) {
    return t("Write at most {count}.", {
      count: t(INTERVAL_LENGTHS[known], { n: MOST_UNITS[known] }),
    });
  }
  return { schedule_type: "interval", schedule: [number, known] };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** NaN for what is there and no number. */
function numberOf(value: unknown): number | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  return typeof value === "number" ? value : typeof value === "string" ? Number(value) : NaN;
}

/** A stored config; those of before there was any check may be none. */
export function storedConfig(stored: unknown): MonitorConfig | null {
  const raw = asObject(stored);
  if (raw === undefined) return null;
  const read = readConfig(raw, null);
  return read.ok ? read.config : null;
}
