import { HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import { distinctHash } from "./distinct.ts";
import { type Series, seriesId, seriesKey, totalOf, wholeOf } from "./series.ts";
import { Sketch } from "./sketch.ts";

/** One measurement of a series. */
export interface Observation {
  readonly time: Date;
  /** Milliseconds, or the score of a vital. */
  readonly value: number;
  readonly isFailed: boolean;
  /** How many it stands for. */
  readonly weight: number;
  readonly httpStatus: number | null;
  readonly user: string | null;
  readonly traceId: string;
}

/** What a commit adds to one series in one minute. */
export interface StatCount {
  readonly projectId: string;
  readonly series: Series;
  readonly seriesId: string;
  /** Start of the minute, in milliseconds since 1970. */
  readonly minute: number;
  count: number;
  failures: number;
  weight: number;
  sum: number;
  /** Of HTTP answers 2xx to 5xx. */
  readonly statuses: [number, number, number, number];
  readonly sketch: Sketch;
  /** From `distinctHash()`. */
  readonly users: Uint8Array[];
  traceId: string;
}

/** Transactions of a project and hour that were counted under the common name. */
export interface FoldedNames {
  readonly projectId: string;
  /** Start of the hour, in milliseconds since 1970. */
  readonly hour: number;
  transactions: number;
  /** From `distinctHash()`. */
  readonly names: Uint8Array[];
  /** One of the names. */
  example: string;
}

/** Names of which a project may use only so many in an hour. */
export type CappedKind = "transaction" | "span" | "caller";

/** Tells whether a project may use one more name. */
export interface NameAdmission {
  admit(projectId: string, kind: CappedKind, name: string): boolean;
}

/** Observations added up by project, series and minute. */
export class StatTally {
  readonly #counts = new Map<string, Map<number, Map<string, StatCount>>>();
  readonly #all: StatCount[] = [];
  readonly #folded = new Map<string, FoldedNames>();

  /** @param names tells which names may be used. @default all */
  constructor(readonly names: NameAdmission = { admit: () => true }) {}

  /** In the order in which they came. */
  get counts(): readonly StatCount[] {
    return this.#all;
  }

  get folded(): readonly FoldedNames[] {
    return [...this.#folded.values()];
  }

  addFolded(projectId: string, time: Date, name: string): void {
    const hour = Math.floor(time.getTime() / HOUR_MS) * HOUR_MS;
    const key = `${projectId}/${hour}`;
    const folded = this.#folded.get(key) ??
      { projectId, hour, transactions: 0, names: [], example: name };
    this.#folded.set(key, folded);
    folded.transactions++;
    folded.names.push(distinctHash(name));
    folded.example = name;
  }

  /** Adds what another tally has counted; the object is taken over. */
  addCount(count: StatCount): void {
    const counts = this.#countsOf(count.projectId, count.minute);
    const known = counts.get(count.seriesId);
    if (known !== undefined) return merge(known, count);
    counts.set(count.seriesId, count);
    this.#all.push(count);
  }

  /** The same of folded names. */
  addFoldedNames(folded: FoldedNames): void {
    const key = `${folded.projectId}/${folded.hour}`;
    const known = this.#folded.get(key);
    if (known === undefined) {
      this.#folded.set(key, folded);
      return;
    }
    known.transactions += folded.transactions;
    known.names.push(...folded.names);
    known.example = folded.example;
  }

  add(projectId: string, series: Series, seen: Observation): void {
    this.addTo(projectId, { series, seriesId: idOf(series) }, seen);
  }

  /** The same for a series whose id is known. */
  addTo(projectId: string, named: NamedSeries, seen: Observation): void {
    const minute = Math.floor(seen.time.getTime() / MINUTE_MS) * MINUTE_MS;
    observe(this.#countOf(projectId, minute, named), seen);
  }

  #countOf(projectId: string, minute: number, { series, seriesId }: NamedSeries): StatCount {
    const counts = this.#countsOf(projectId, minute);
    let count = counts.get(seriesId);
    if (count === undefined) {
      counts.set(seriesId, count = start(projectId, series, seriesId, minute));
      this.#all.push(count);
    }
    return count;
  }

  #countsOf(projectId: string, minute: number): Map<string, StatCount> {
    let minutes = this.#counts.get(projectId);
    if (minutes === undefined) this.#counts.set(projectId, minutes = new Map());
    let counts = minutes.get(minute);
    if (counts === undefined) minutes.set(minute, counts = new Map());
    return counts;
  }
}

function start(
  projectId: string,
  series: Series,
  seriesId: string,
  minute: number,
): StatCount {
  return {
    projectId,
    series,
    seriesId,
    minute,
    count: 0,
    failures: 0,
    weight: 0,
    sum: 0,
    statuses: [0, 0, 0, 0],
    sketch: new Sketch(),
    users: [],
    traceId: "",
  };
}

function merge(count: StatCount, other: StatCount): void {
  count.count += other.count;
  count.failures += other.failures;
  count.weight += other.weight;
  count.sum += other.sum;
  for (const at of [0, 1, 2, 3] as const) count.statuses[at] += other.statuses[at];
  count.sketch.merge(other.sketch);
  count.users.push(...other.users);
  count.traceId = other.traceId;
}

function observe(count: StatCount, seen: Observation): void {
  count.count++;
  if (seen.isFailed) count.failures++;
  count.weight += seen.weight;
  count.sum += seen.value;
  count.sketch.add(seen.value);
  if (seen.user !== null) count.users.push(distinctHash(seen.user));
  count.traceId = seen.traceId;
  const statusClass = Math.floor((seen.httpStatus ?? 0) / 100) - 2;
  if (statusClass >= 0 && statusClass < 4) {
    count.statuses[statusClass as 0 | 1 | 2 | 3]++;
  }
}

/** Some 10 MB. */
const CAPACITY = 20_000;

/** Ids by key: hashing costs more than all the rest of counting. */
const ids = new Map<string, string>();
/** By the id of the series that they hold. */
const sums = new Map<string, readonly NamedSeries[]>();

/** A series and its id. */
export interface NamedSeries {
  readonly series: Series;
  readonly seriesId: string;
}

/** The id of a series. Those asked for lately are remembered. */
export function idOf(series: Series): string {
  const key = seriesKey(series);
  let id = ids.get(key);
  if (id === undefined) {
    if (ids.size >= CAPACITY) ids.clear();
    ids.set(key, id = seriesId(key));
  }
  return id;
}

/** The series that one is part of, with their ids: of all environments and releases, and of all names. */
export function sumsWithId({ series, seriesId }: NamedSeries): readonly NamedSeries[] {
  let found = sums.get(seriesId);
  if (found === undefined) {
    if (sums.size >= CAPACITY) sums.clear();
    found = [wholeOf(series), totalOf(series)].flatMap((sum) =>
      sum === null ? [] : [{ series: sum, seriesId: idOf(sum) }]
    );
    sums.set(seriesId, found);
  }
  return found;
}
