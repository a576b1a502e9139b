import assert from "node:assert/strict";
import { chartPiece, piecesOf } from "@/lib/store/stats/periods.ts";

const NOW = new Date("2026-11-20T12:34:56Z");
const stretch = (start: string, end: string) => ({ start: new Date(start), end: new Date(end) });
const lines = (pieces: ReturnType<typeof piecesOf>) =>
  pieces.map(({ table, start, end }) =>
    `${table} ${start.toISOString().slice(0, 16)} ${end.toISOString().slice(0, 16)}`
  );

Deno.test("a short and recent stretch is read by the minute", () => {
  assert.deepEqual(
    lines(piecesOf(stretch("2026-11-20T11:34:56Z", "2026-11-20T12:35:56Z"), "total", NOW)),
    [
      "stat_minutes 2026-11-20T11:34 2026-11-20T12:35",
    ],
  );
});

Deno.test("a short stretch whose minutes may be gone is read by the hour", () => {
  assert.deepEqual(
    lines(piecesOf(stretch("2026-11-10T11:34:56Z", "2026-11-10T12:10:00Z"), "total", NOW)),
    [
      "stat_hours 2026-11-10T11:00 2026-11-10T12:10",
    ],
  );
});

Deno.test("a day is read by the hour", () => {
  assert.deepEqual(
    lines(piecesOf(stretch("2026-11-19T12:34:56Z", "2026-11-20T12:35:56Z"), "total", NOW)),
    [
      "stat_hours 2026-11-19T12:00 2026-11-20T12:35",
    ],
  );
});

Deno.test("a month is read by whole days, and by hours at its edges", () => {
  assert.deepEqual(
    lines(piecesOf(stretch("2026-10-21T12:34:56Z", "2026-11-20T12:35:56Z"), "total", NOW)),
    [
      "stat_hours 2026-10-21T12:00 2026-10-22T00:00",
      "stat_days 2026-10-22T00:00 2026-11-20T00:00",
      "stat_hours 2026-11-20T00:00 2026-11-20T12:35",
    ],
  );
});

Deno.test("whole days alone need no hours, and an empty stretch nothing", () => {
  assert.deepEqual(
    lines(piecesOf(stretch("2026-11-01T00:00:00Z", "2026-11-11T00:00:00Z"), "total", NOW)),
    [
      "stat_days 2026-11-01T00:00 2026-11-11T00:00",
    ],
  );
  assert.deepEqual(
    piecesOf(stretch("2026-11-01T00:00:00Z", "2026-11-01T00:00:00Z"), "total", NOW),
    [],
  );
});

Deno.test("a chart begins at the start of a step", () => {
  const day = stretch("2026-11-19T12:34:56Z", "2026-11-20T12:35:56Z");
  assert.deepEqual(lines([chartPiece(day, 6 * 3_600_000, NOW)]), [
    "stat_hours 2026-11-19T12:00 2026-11-20T12:35",
  ]);
  const hour = stretch("2026-11-20T11:34:56Z", "2026-11-20T12:35:56Z");
  assert.deepEqual(lines([chartPiece(hour, 5 * 60_000, NOW)]), [
    "stat_minutes 2026-11-20T11:30 2026-11-20T12:35",
  ]);
});

Deno.test("callers are read by the hour, since they are not counted by the minute", () => {
  const hour = stretch("2026-11-20T11:34:56Z", "2026-11-20T12:35:56Z");
  assert.deepEqual(lines(piecesOf(hour, "caller", NOW)), [
    "stat_hours 2026-11-20T11:00 2026-11-20T12:35",
  ]);
});

Deno.test("a chart with steps of days is read by the day", () => {
  const month = stretch("2026-10-21T12:34:56Z", "2026-11-20T12:35:56Z");
  assert.deepEqual(lines([chartPiece(month, 48 * 3_600_000, NOW)]), [
    "stat_days 2026-10-20T00:00 2026-11-20T12:35",
  ]);
});
