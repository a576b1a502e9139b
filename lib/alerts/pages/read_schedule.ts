import type { Schedule } from "../rule.ts";
import { FIELDS } from "./form_params.ts";
import { textOf } from "./form_text.ts";

const DAY_MINUTES = 1_440;

/**
 * Reads when notices go out; null for always.
 *
 * @param errors takes a sentence for each field that is wrong
 */
export function readSchedule(
  form: URLSearchParams,
  errors: Record<string, string>,
): Schedule | null {
  if (form.get(FIELDS.scheduled) !== "on") return null;
  const days = [...new Set(form.getAll(FIELDS.day))].filter((day) => /^[0-6]$/.test(day))
    .map(Number).sort((a, b) => a - b);
  if (days.length === 0) errors[FIELDS.day] = "Choose at least one day.";
  const fromMinute = readClock(form, FIELDS.from, errors);
  const toMinute = readClock(form, FIELDS.to, errors);
  const timeZone = textOf(form, FIELDS.timeZone);
  if (!isTimeZone(timeZone)) {
    errors[FIELDS.timeZone] = "This is no time zone: write one as Europe/Berlin or UTC.";
  }
  return {
    days,
    fromMinute,
    // Midnight at the end is the end of the day.
    toMinute: toMinute === 0 ? DAY_MINUTES : toMinute,
    timeZone,
  };
}

function readClock(form: URLSearchParams, field: string, errors: Record<string, string>): number {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)(?::\d\d)?$/.exec(textOf(form, field)) ??
    [];
  if (hours !== undefined) return Number(hours) * 60 + Number(minutes);
  errors[field] = "Enter a time of the day, such as 09:00.";
  return 0;
}

function isTimeZone(name: string): boolean {
  if (name === "") return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
