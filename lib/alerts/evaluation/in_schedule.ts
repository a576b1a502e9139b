import type { Schedule } from "../rule.ts";

const DAYS: Readonly<Record<string, number>> = {
  Sun: 0,
  Mon: 1,
  Tue: 2,
  Wed: 3,
  Thu: 4,
  Fri: 5,
  Sat: 6,
};

/** Whether notices go out at a time. A night that begins on a chosen day belongs to it until its end. */
export function inSchedule(schedule: Schedule | null, at: Date): boolean {
  if (schedule === null) return true;
  const { days, fromMinute, toMinute, timeZone } = schedule;
  const { day, minute } = localTime(at, timeZone);
  if (fromMinute < toMinute) {
    return days.includes(day) && minute >= fromMinute && minute < toMinute;
  }
  const yesterday = (day + 6) % 7;
  return (days.includes(day) && minute >= fromMinute) ||
    (days.includes(yesterday) && minute < toMinute);
}

/** The day of the week and the minute of the day on clocks of a time zone. */
function localTime(at: Date, timeZone: string): { day: number; minute: number } {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((each) => each.type === type)?.value ?? "";
  return {
    day: DAYS[part("weekday")] ?? 0,
    minute: Number(part("hour")) * 60 + Number(part("minute")),
  };
}
