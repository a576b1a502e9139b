import assert from "node:assert/strict";
import {
  type ErrorEvent,
  LEVELS,
  type MetricBatch,
  type TelemetryRecord,
} from "@/lib/records/mod.ts";

/** Longest texts of the columns, in UTF-16 units. */
const COLUMNS = {
  platform: 64,
  environment: 64,
  release: 200,
  dist: 64,
  transaction: 200,
  title: 230,
  culprit: 200,
  sdk: 401,
} as const;

/** In JSON: NUL and lone surrogates. Not `\\ud800`, which is a backslash and five letters. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])|\0/;

/** Of `decodeContext()`. */
const RETENTION_MS = 90 * 86_400_000;
const MAX_FUTURE_MS = 60_000;
/** Profiles are in no partition. */
const MAX_FUTURE_OF_PROFILES_MS = 10 * 60_000;

/** Of points, which nobody moves to another time. */
const MAX_FUTURE_OF_POINTS_MS = 3_600_000;

/** What the store relies on for every record, whatever was sent. */
export function assertStorable(record: TelemetryRecord): void {
  assertPartitioned(record.timestamp, record, maxFutureOf(record));
  if (record.kind === "transaction") assertPartitioned(record.startedAt, record);
  if (record.kind === "error") assertErrorStorable(record);
  else assertClean(record);
  if (record.kind === "metrics") assertMetrics(record);
}

/** Series of good numbers, each once. */
function assertMetrics({ series, pointCount }: MetricBatch): void {
  const identities = series.map(({ metric: { name, kind, unit }, temporality, labels }) =>
    JSON.stringify([name, kind, unit, temporality, labels])
  );
  assert.equal(new Set(identities).size, series.length);
  assert.equal(series.reduce((sum, { points }) => sum + points.length, 0), pointCount);
  for (const { metric, labels, points } of series) {
    assertText(metric.name, 255);
    assertText(metric.unit, 63);
    assert.notEqual(metric.name, "");
    assert.ok(labels.length <= 64);
    for (const point of points) {
      const numbers = "value" in point ? [point.value] : [point.count, point.sum ?? 0];
      for (const number of [point.timeMs, point.startMs, ...numbers]) {
        assert.ok(Number.isFinite(number));
      }
    }
  }
}

function maxFutureOf({ kind }: TelemetryRecord): number {
  if (kind === "metrics") return MAX_FUTURE_OF_POINTS_MS;
  return kind === "profile" ? MAX_FUTURE_OF_PROFILES_MS : MAX_FUTURE_MS;
}

/** Nobody makes partitions for days that are over or far ahead. */
function assertPartitioned(
  time: Date,
  { receivedAt }: TelemetryRecord,
  maxFutureMs = MAX_FUTURE_MS,
): void {
  const age = receivedAt.getTime() - time.getTime();
  assert.ok(age >= -maxFutureMs && age <= RETENTION_MS, `${time} is in no partition`);
}

/** Texts that Postgres takes, and JSON where JSON belongs. */
function assertClean(record: Exclude<TelemetryRecord, ErrorEvent>): void {
  const { blob: _, original: __, ...rest } = { blob: null, original: null, ...record };
  const text = JSON.stringify(
    rest,
    (_, value) => typeof value === "bigint" ? String(value) : value,
  );
  assert.doesNotMatch(text, UNSTORABLE);
  for (const field of ["payload", "attributes", "monitorConfig"]) {
    const value = Object.entries(rest).find(([name]) => name === field)?.[1];
    if (typeof value === "string" && value !== "") {
      assert.doesNotMatch(value, UNSTORABLE);
      assert.equal(typeof JSON.parse(value), "object");
    }
  }
}

function assertErrorStorable(record: ErrorEvent): void {
  assert.match(record.eventId, /^[0-9a-f]{32}$/);
  assert.ok(record.traceId === null || /^[0-9a-f]{32}$/.test(record.traceId));
  assert.ok(record.spanId === null || /^[0-9a-f]{16}$/.test(record.spanId));
  assert.ok(["error", "default", "csp"].includes(record.type));
  assert.ok(LEVELS.includes(record.level));
  for (const [column, limit] of Object.entries(COLUMNS)) {
    assertText(record[column as keyof typeof COLUMNS], limit);
  }
  assert.notEqual(record.title, "");
  assert.notEqual(record.platform, "");
  for (const text of Object.values(record.metadata)) assertText(text, 1_024);
  if (record.user !== null) assertText(record.user, 220);
  assertTags(record);
  assertTimes(record);
  assert.ok(record.grouping.hashes.every((hash) => /^[0-9a-f]{32}$/.test(hash)));
  assert.doesNotMatch(record.payload, UNSTORABLE);
  assert.ok(record.payload.isWellFormed());
  const payload = JSON.parse(record.payload);
  assert.equal(payload.event_id, record.eventId);
}

function assertText(text: string, limit: number): void {
  assert.equal(typeof text, "string");
  assert.ok(text.length <= limit, `${text.length} > ${limit}: ${text.slice(0, 80)}`);
  assert.ok(text.isWellFormed());
  assert.ok(!text.includes("\0"));
}

function assertTags({ tags }: ErrorEvent): void {
  assert.ok(tags.length <= 100);
  assert.equal(new Set(tags.map(([key]) => key)).size, tags.length);
  for (const tag of tags) {
    assert.equal(tag.length, 2);
    for (const text of tag) {
      assertText(text, 200);
      assert.notEqual(text, "");
      assert.doesNotMatch(text, /\n/);
    }
  }
}

const DAY_MS = 86_400_000;

function assertTimes({ timestamp, receivedAt }: ErrorEvent): void {
  const age = receivedAt.getTime() - timestamp.getTime();
  assert.ok(age >= -61_000 && age <= 91 * DAY_MS, `age ${age} ms`);
}
