import assert from "node:assert/strict";
import fc from "fast-check";
import {
  crontabProblem,
  daylightWarning,
  INTERVAL_UNITS,
  isTimeZone,
  nextAfter,
  nextTimes,
} from "@/lib/monitors/cron/schedule.ts";

/** The times of a crontab in a zone after a moment, in UTC without what is always the same. */
function times(crontab: string, timezone: string, from: string, count: number): string[] {
  const schedule = { schedule_type: "crontab", schedule: crontab, timezone } as const;
  return nextTimes(schedule, new Date(from), count).map((at) => at.toISOString().slice(5, 16));
}

Deno.test("a fixed time that the clock leaves out comes right after the gap", () => {
  assert.deepEqual(times("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 2), [
    "03-29T01:00",
    "03-30T00:30",
  ]);
  assert.deepEqual(times("30 2 * * 0", "America/New_York", "2026-03-07T12:00Z", 2), [
    "03-08T07:00",
    "03-15T06:30",
  ]);
  assert.deepEqual(times("30 0 * * *", "America/Santiago", "2026-09-05T12:00Z", 2), [
    "09-06T04:00",
    "09-07T03:30",
  ]);
});

Deno.test("a fixed time that the clock repeats comes once, the first time", () => {
  assert.deepEqual(times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 2), [
    "10-25T00:30",
    "10-26T01:30",
  ]);
  assert.deepEqual(times("30 1 * * *", "America/New_York", "2026-10-31T12:00Z", 2), [
    "11-01T05:30",
    "11-02T06:30",
  ]);
});

Deno.test("steps of minutes come at each real time of a repeated hour", () => {
  assert.deepEqual(times("*/30 1-3 * * *", "Europe/Berlin", "2026-10-24T22:30Z", 8), [
    "10-24T23:00",
    "10-24T23:30",
    "10-25T00:00",
    "10-25T00:30",
    "10-25T01:00",
    "10-25T01:30",
    "10-25T02:00",
    "10-25T02:30",
  ]);
});

/** The nights of 2026 in which clocks change, each as the noon before in UTC. */
const NIGHTS: readonly (readonly [zone: string, noon: string])[] = [
  ["Europe/Berlin", "2026-03-28T12:00Z"],
  ["Europe/Berlin", "2026-10-24T12:00Z"],
  ["America/New_York", "2026-03-07T12:00Z"],
  ["America/New_York", "2026-10-31T12:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T06:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T06:00Z"],
  ["America/Santiago", "2026-04-04T12:00Z"],
  ["America/Santiago", "2026-09-05T12:00Z"],
  ["UTC", "2026-03-28T12:00Z"],
  ["UTC", "2026-10-24T12:00Z"],
];

Deno.test("what runs every hour or half hour runs so on both nights of the year, in five zones", () => {
  for (const [timezone, noon] of NIGHTS) {
    for (
      const [crontab, minutes, count] of [["*/30 * * * *", 30, 48], [
        "*/10 * * * *",
        10,
        144,
      ]] as const
    ) {
      const schedule = { schedule_type: "crontab", schedule: crontab, timezone } as const;
      const found = nextTimes(schedule, new Date(noon), count).map((at) => at.getTime());
      const expected = Array.from(
        { length: count },
        (_, index) => Date.parse(noon) + (index + 1) * minutes * 60_000,
      );
      assert.deepEqual(found, expected, `${crontab} ${timezone} ${noon}`);
    }
  }
});

Deno.test("what runs once a day runs once on each of these nights, in five zones", () => {
  for (const [timezone, noon] of NIGHTS) {
    for (const crontab of ["15 1 * * *", "30 2 * * *", "45 0 * * *", "0 3 * * *"]) {
      const schedule = { schedule_type: "crontab", schedule: crontab, timezone } as const;
      const end = Date.parse(noon) + 3 * 86_400_000;
      const found = nextTimes(schedule, new Date(noon), 9).filter((at) => at.getTime() < end);
      assert.equal(found.length, 3, `${crontab} ${timezone} ${noon}: ${found}`);
    }
  }
});

Deno.test("day of the month and day of the week mean either", () => {
  assert.deepEqual(times("0 0 13 * 5", "UTC", "2026-11-01T00:00Z", 3), [
    "11-06T00:00",
    "11-13T00:00",
    "11-20T00:00",
  ]);
});

Deno.test("crontabs have exactly five fields, or are an alias, and come true", () => {
  for (
    const good of ["@daily", "@Hourly", " 0  0 1 1 * ", "0 9 * * WED", "0 0 L * *", "0 0 29 2 *"]
  ) {
    assert.equal(crontabProblem(good), null, good);
  }
  const bad = ["", "* * * *", "* * * * * *", "@reboot", "? * * * *", "0 9 15W * *", "61 * * * *"];
  for (const text of [...bad, "*/0 * * * *", "0 0 31 2 *", "x", `${"1,".repeat(130)}1 * * * *`]) {
    assert.notEqual(crontabProblem(text), null, text);
  }
});

Deno.test("intervals are calendar arithmetic in the zone of the monitor", () => {
  const next = (count: number, unit: (typeof INTERVAL_UNITS)[number], from: string) =>
    nextAfter(
      { schedule_type: "interval", schedule: [count, unit], timezone: "Europe/Berlin" },
      new Date(from),
    )?.toISOString();
  assert.equal(next(1, "month", "2026-01-31T10:00Z"), "2026-02-28T10:00:00.000Z");
  assert.equal(next(1, "day", "2026-03-28T11:00:30Z"), "2026-03-29T10:00:00.000Z");
  assert.equal(next(24, "hour", "2026-03-28T11:00Z"), "2026-03-29T11:00:00.000Z");
  assert.equal(next(5, "minute", "2026-03-28T11:00:59Z"), "2026-03-28T11:05:00.000Z");
});

Deno.test("a fixed time in the hours of change is warned of, where clocks change at all", () => {
  const warning = (schedule: string, timezone: string) =>
    daylightWarning({ schedule_type: "crontab", schedule, timezone }, new Date("2026-06-01"));
  assert.match(warning("30 2 * * *", "Europe/Berlin") ?? "", /Europe\/Berlin/);
  assert.match(warning("@daily", "America/Santiago") ?? "", /once/);
  assert.equal(warning("30 2 * * *", "UTC"), null);
  assert.equal(warning("30 4 * * *", "Europe/Berlin"), null);
  assert.equal(warning("30 * * * *", "Europe/Berlin"), null);
});

Deno.test("zones are names of the IANA", () => {
  assert.ok(["UTC", "Europe/Berlin", "Australia/Lord_Howe"].every(isTimeZone));
  assert.ok(!["", "Berlin", "+02:00", "x".repeat(500), "Europe/Berlin "].some(isTimeZone));
});

Deno.test("any text is a crontab or has its problem, and a next time lies ahead", () => {
  const field = fc.constantFrom(
    "*",
    "*/7",
    "1",
    "0-5",
    "3,9",
    "L",
    "MON",
    "59",
    "W",
    "?",
    "#2",
    "-",
  );
  const crontab = fc.oneof(
    fc.string(),
    fc.tuple(field, field, field, field, field).map((all) => all.join(" ")),
  );
  const now = new Date("2026-11-23T12:00:00Z");
  fc.assert(
    fc.property(crontab, (text) => {
      if (crontabProblem(text, now) !== null) return;
      const schedule = {
        schedule_type: "crontab",
        schedule: text,
        timezone: "America/Santiago",
      } as const;
      const next = nextAfter(schedule, now);
      assert.ok(next === null || next > now);
    }),
    { numRuns: 200 },
  );
});
