import { nameOf } from "../../ingest/writer/rows.ts";
import type { Transaction } from "../database.ts";
import { compactDistinct, joinedSets } from "./distinct.ts";
import { DAY_MS, HOUR_MS, KINDS_WITHOUT_MINUTES } from "./periods.ts";
import { type Series, SERIES_KINDS } from "./series.ts";
import { Sketch } from "./sketch.ts";
import type { FoldedNames, StatCount, StatTally } from "./stat_tally.ts";

/** From these sizes on a row's sketch and set are written anew, without repeats. */
const LOOSE = { sketch: 1_000, users: 2_560 };

/** Adds counts to those of their minutes, hours and days. */
export async function saveStats(
  tx: Transaction,
  { counts, folded }: StatTally,
  fresh: readonly NewSeries[],
): Promise<void> {
  if (counts.length === 0) return;
  const minutes = minuteRows(counts);
  const hours = rowsByPeriod(minutes, HOUR_MS);
  const kept = minutes.filter(hasMinutes);
  // Sent one after the other without waiting: a round trip for all of them.
  await Promise.all([
    fresh.length > 0 && saveSeries(tx, fresh),
    folded.length > 0 && saveFolded(tx, folded),
    kept.length > 0 && saveRows(tx, "stat_minutes", kept),
    saveRows(tx, "stat_hours", hours),
    saveRows(tx, "stat_days", rowsByPeriod(hours, DAY_MS)),
  ]);
}

function hasMinutes({ series }: StatRow): boolean {
  return !KINDS_WITHOUT_MINUTES.has(series.kind);
}

async function saveFolded(tx: Transaction, folded: readonly FoldedNames[]): Promise<void> {
  const loose = await tx<{ projectId: string; hour: Date; names: Uint8Array }[]>`
    with written as (
      insert into folded_names as known (project_id, hour, transactions, names, example)
      select project_id, hour, transactions, decode(names, 'hex'), example
      from unnest(
        ${folded.map(({ projectId }) => projectId)}::bigint[],
        ${folded.map(({ hour }) => new Date(hour).toISOString())}::text[]::timestamptz[],
        ${folded.map(({ transactions }) => transactions)}::bigint[],
        ${folded.map(({ names }) => hex(compactDistinct(joinedSets(names))))}::text[],
        ${folded.map(({ example }) => nameOf(example))}::text[]
      ) as incoming (project_id, hour, transactions, names, example)
      order by project_id, hour
      on conflict (project_id, hour) do update set
        transactions = known.transactions + excluded.transactions,
        names = known.names || excluded.names,
        example = excluded.example
      returning project_id, hour, names
    )
    select project_id as "projectId", hour, names from written
    where octet_length(names) > ${LOOSE.users}
  `;
  for (const { projectId, hour, names } of loose) {
    await tx`
      update folded_names set names = decode(${hex(compactDistinct(names))}, 'hex')
      where project_id = ${projectId} and hour = ${hour}
    `;
  }
}

async function saveSeries(tx: Transaction, fresh: readonly NewSeries[]): Promise<void> {
  const texts = (of: (each: NewSeries) => string) => fresh.map(of);
  await tx`
    insert into stat_series as known (
      project_id, series_id, kind, environment, release, service, name, op, category, parent, http_method,
      route, protocol, browser, device, country, seen_on
    )
    select * from unnest(
      ${texts(({ projectId }) => projectId)}::bigint[],
      ${texts(({ seriesId }) => seriesId)}::bigint[],
      ${fresh.map(({ series }) => SERIES_KINDS[series.kind])}::smallint[],
      ${texts(({ series }) => series.environment)}::text[],
      ${texts(({ series }) => series.release)}::text[],
      ${texts(({ series }) => series.service)}::text[],
      ${texts(({ series }) => series.name)}::text[],
      ${texts(({ series }) => series.op)}::text[],
      ${texts(({ series }) => series.category)}::text[],
      ${texts(({ series }) => series.parent)}::text[],
      ${texts(({ series }) => series.httpMethod)}::text[],
      ${texts(({ series }) => series.route)}::text[],
      ${texts(({ series }) => series.protocol)}::text[],
      ${texts(({ series }) => series.browser)}::text[],
      ${texts(({ series }) => series.device)}::text[],
      ${texts(({ series }) => series.country)}::text[],
      ${texts(({ day }) => day)}::text[]::date[]
    ) as incoming (
      project_id, series_id, kind, environment, release, service, name, op, category, parent, http_method,
      route, protocol, browser, device, country, seen_on
    )
    order by project_id, series_id
    on conflict (project_id, series_id) do update set seen_on = excluded.seen_on
      where known.seen_on < excluded.seen_on
  `;
}

interface LooseRow {
  readonly projectId: string;
  readonly kind: number;
  readonly timestamp: Date;
  readonly seriesId: string;
  readonly sketch: Uint8Array;
  readonly users: Uint8Array;
}

async function saveRows(
  tx: Transaction,
  table: string,
  rows: readonly StatRow[],
): Promise<void> {
  const numbers = (of: (row: StatRow) => number) => rows.map(of);
  const loose = await tx<LooseRow[]>`
    with written as (
      insert into ${tx(table)} as known (
        project_id, kind, "timestamp", series_id, count, failures, weight, sum, status_2xx, status_3xx,
        status_4xx, status_5xx, sketch, users, trace_id
      )
      select
        project_id, kind, "timestamp", series_id, count, failures, weight, sum, status_2xx, status_3xx,
        status_4xx, status_5xx, decode(sketch, 'hex'), decode(users, 'hex'), trace_id
      from unnest(
        ${rows.map(({ projectId }) => projectId)}::bigint[],
        ${numbers(({ series }) => SERIES_KINDS[series.kind])}::smallint[],
        ${rows.map(({ time }) => new Date(time).toISOString())}::text[]::timestamptz[],
        ${rows.map(({ seriesId }) => seriesId)}::bigint[],
        ${numbers(({ count }) => count)}::bigint[],
        ${numbers(({ failures }) => failures)}::bigint[],
        ${numbers(({ weight }) => weight)}::double precision[],
        ${numbers(({ sum }) => sum)}::double precision[],
        ${numbers(({ statuses }) => statuses[0])}::integer[],
        ${numbers(({ statuses }) => statuses[1])}::integer[],
        ${numbers(({ statuses }) => statuses[2])}::integer[],
        ${numbers(({ statuses }) => statuses[3])}::integer[],
        ${rows.map(({ sketch }) => hex(sketch))}::text[],
        ${rows.map(({ users }) => hex(users))}::text[],
        ${rows.map(({ traceId }) => traceId)}::uuid[]
      ) as incoming (
        project_id, kind, "timestamp", series_id, count, failures, weight, sum, status_2xx, status_3xx,
        status_4xx, status_5xx, sketch, users, trace_id
      )
      order by project_id, kind, "timestamp", series_id
      on conflict (project_id, kind, "timestamp", series_id) do update set
        count = known.count + excluded.count,
        failures = known.failures + excluded.failures,
        weight = known.weight + excluded.weight,
        sum = known.sum + excluded.sum,
        status_2xx = known.status_2xx + excluded.status_2xx,
        status_3xx = known.status_3xx + excluded.status_3xx,
        status_4xx = known.status_4xx + excluded.status_4xx,
        status_5xx = known.status_5xx + excluded.status_5xx,
        sketch = known.sketch || excluded.sketch,
        users = known.users || excluded.users,
        trace_id = excluded.trace_id
      returning project_id, kind, "timestamp", series_id, sketch, users
    )
    select project_id as "projectId", kind, "timestamp", series_id as "seriesId", sketch, users
    from written
    where octet_length(sketch) > ${LOOSE.sketch} or octet_length(users) > ${LOOSE.users}
  `;
  if (loose.length > 0) await tighten(tx, table, loose);
}

/** Writes sketches and sets anew that have grown by being appended to; their rows are locked already. */
async function tighten(tx: Transaction, table: string, rows: readonly LooseRow[]): Promise<void> {
  await tx`
    update ${tx(table)} as known
    set sketch = decode(tight.sketch, 'hex'), users = decode(tight.users, 'hex')
    from unnest(
      ${rows.map(({ projectId }) => projectId)}::bigint[],
      ${rows.map(({ kind }) => kind)}::smallint[],
      ${rows.map(({ timestamp }) => timestamp.toISOString())}::text[]::timestamptz[],
      ${rows.map(({ seriesId }) => seriesId)}::bigint[],
      ${rows.map(({ sketch }) => hex(Sketch.of(sketch).toBytes()))}::text[],
      ${rows.map(({ users }) => hex(compactDistinct(users)))}::text[]
    ) as tight (project_id, kind, "timestamp", series_id, sketch, users)
    where known.project_id = tight.project_id and known.kind = tight.kind
      and known."timestamp" = tight."timestamp" and known.series_id = tight.series_id
  `;
}

function hex(bytes: Uint8Array): string {
  return bytes.toHex();
}

/** One row of a table of counts: those of several minutes together, where its periods are longer. */
export interface StatRow extends Omit<StatCount, "minute" | "sketch" | "users"> {
  /** Start of the period, in milliseconds since 1970. */
  readonly time: number;
  readonly sketch: Uint8Array;
  readonly users: Uint8Array;
}

/** The counts as rows of their minutes. */
export function minuteRows(counts: readonly StatCount[]): StatRow[] {
  return counts.map(({ minute, sketch, users, ...count }) => ({
    ...count,
    time: minute,
    sketch: sketch.toBytes(),
    users: setOf(users),
  }));
}

/** Rows of longer periods, made of rows of shorter ones: each series once in each. */
export function rowsByPeriod(rows: readonly StatRow[], periodMs: number): StatRow[] {
  const startOf = (time: number) => Math.floor(time / periodMs) * periodMs;
  const groups = Map.groupBy(
    rows,
    ({ projectId, seriesId, time }) => `${projectId}/${startOf(time)}/${seriesId}`,
  );
  return [...groups.values()].map((group) => {
    const row = sumOf(group);
    return { ...row, time: startOf(row.time) };
  });
}

function sumOf(group: readonly StatRow[]): StatRow {
  const [first] = group;
  if (first === undefined) throw new RangeError("Cannot add up counts: there are none");
  // Most often, as what is added up at once has happened in the same minute.
  if (group.length === 1) return first;
  const sum = (of: (row: StatRow) => number) => group.reduce((total, row) => total + of(row), 0);
  return {
    ...first,
    count: sum(({ count }) => count),
    failures: sum(({ failures }) => failures),
    weight: sum(({ weight }) => weight),
    sum: sum(({ sum }) => sum),
    statuses: [
      sum(({ statuses }) => statuses[0]),
      sum(({ statuses }) => statuses[1]),
      sum(({ statuses }) => statuses[2]),
      sum(({ statuses }) => statuses[3]),
    ],
    sketch: Sketch.of(...group.map(({ sketch }) => sketch)).toBytes(),
    users: setOf(group.map(({ users }) => users)),
  };
}

function setOf(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 0 ? new Uint8Array() : compactDistinct(joinedSets(parts));
}

/** A series that may not be stored yet, or not as seen on this day (`YYYY-MM-DD`, UTC). */
interface NewSeries {
  readonly projectId: string;
  readonly seriesId: string;
  readonly series: Series;
  readonly day: string;
}

/** Some 10 MB. */
const CAPACITY = 50_000;

/**
 * Knows which series are stored already, so that steady traffic writes each of them once a day. Forgetting costs a
 * write that changes nothing; it never costs a series.
 */
export class SeriesMemory {
  readonly #known = new Set<string>();

  /** The series of counts that are not known to be stored, each once. */
  findNew(counts: readonly StatCount[]): NewSeries[] {
    const fresh = new Map<string, NewSeries>();
    for (const { projectId, series, seriesId, minute } of counts) {
      if (this.#known.has(memoryKey(projectId, seriesId, minute))) continue;
      const day = new Date(minute).toISOString().slice(0, 10);
      const place = `${projectId}/${seriesId}`;
      const other = fresh.get(place);
      if (other !== undefined && other.day >= day) continue;
      fresh.set(place, { projectId, seriesId, series, day });
    }
    return [...fresh.values()];
  }

  /** To be called after the commit, and only then. */
  remember(counts: readonly StatCount[]): void {
    if (this.#known.size > CAPACITY) this.#known.clear();
    for (const { projectId, seriesId, minute } of counts) {
      this.#known.add(memoryKey(projectId, seriesId, minute));
    }
  }
}

function memoryKey(projectId: string, seriesId: string, minute: number): string {
  return `${Math.floor(minute / DAY_MS)}/${projectId}/${seriesId}`;
}
