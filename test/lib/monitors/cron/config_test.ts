import assert from "node:assert/strict";
import { readConfig, storedConfig } from "@/lib/monitors/cron/config.ts";

const DAILY = { schedule: { type: "crontab", value: "@daily" } };

Deno.test("a config is read in the forms of SDKs and of the API", () => {
  const common = {
    timezone: "Europe/Berlin",
    checkin_margin: 5,
    max_runtime: 30,
    failure_issue_threshold: 2,
    recovery_threshold: 1,
  };
  const expected = {
    ok: true,
    config: { schedule_type: "interval", schedule: [3, "hour"], ...common },
  };
  const nested = { schedule: { type: "interval", value: 3, unit: "hour" }, ...common };
  assert.deepEqual(readConfig(nested, null), expected);
  const flat = { schedule_type: "interval", schedule: [3, "hour"], ...common };
  assert.deepEqual(readConfig(flat, null), expected);
});

Deno.test("what is absent, null or blank has its default, and a zone inside the schedule counts", () => {
  const schedule = { ...DAILY.schedule, timezone: "Asia/Tokyo" };
  const read = readConfig(
    { schedule, timezone: " ", checkin_margin: null, max_runtime: "45" },
    null,
  );
  assert.deepEqual(read, {
    ok: true,
    config: {
      schedule_type: "crontab",
      schedule: "@daily",
      timezone: "Asia/Tokyo",
      checkin_margin: 1,
      max_runtime: 45,
      failure_issue_threshold: 1,
      recovery_threshold: 1,
    },
  });
});

Deno.test("a sparse config changes the schedule alone", () => {
  const former = storedConfig({ ...DAILY, timezone: "Asia/Tokyo", max_runtime: 90 });
  const read = readConfig({ schedule: { type: "crontab", value: "@hourly" } }, former);
  assert.ok(read.ok);
  assert.deepEqual(
    [read.config.schedule, read.config.timezone, read.config.max_runtime],
    ["@hourly", "Asia/Tokyo", 90],
  );
});

Deno.test("each wrong field is told", () => {
  const wrong = [
    [{ schedule: { type: "crontab", value: "* * * * * *" } }, "schedule"],
    [{ schedule: { type: "interval", value: 0, unit: "hour" } }, "schedule"],
    [{ schedule: { type: "interval", value: 1, unit: "second" } }, "schedule"],
    [{ schedule: { type: "interval", value: 1e9, unit: "year" } }, "schedule"],
    [{ schedule: { type: "solar", value: "noon" } }, "schedule"],
    [{}, "schedule"],
    [{ ...DAILY, timezone: "Mars" }, "timezone"],
    [{ ...DAILY, checkin_margin: -1 }, "checkin_margin"],
    [{ ...DAILY, max_runtime: 40_321 }, "max_runtime"],
    [{ ...DAILY, max_runtime: "soon" }, "max_runtime"],
    [{ ...DAILY, failure_issue_threshold: 721 }, "failure_issue_threshold"],
    [{ ...DAILY, recovery_threshold: 1.5 }, "recovery_threshold"],
  ] as const;
  for (const [sent, field] of wrong) {
    const read = readConfig(sent, null);
    assert.ok(!read.ok, JSON.stringify(sent));
    assert.deepEqual(read.problems.map((problem) => problem.field), [field]);
  }
  assert.ok(readConfig({ ...DAILY, checkin_margin: 0 }, null).ok, "Sentry takes 0 for 1");
});
