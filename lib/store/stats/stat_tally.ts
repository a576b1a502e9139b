import { distinctHash } from "./distinct.ts";
import type { Series } from "./series.ts";
import { Sketch } from "./sketch.ts";
import type { NameCaps } from "./name_caps.ts";
import { idOf } from "./series_ids.ts";

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

const MINUTE_MS = 60_000;

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

const HOUR_MS = 3_600_000;

/** Observations added up by project, series and minute. */
export class StatTally {
  readonly #counts = new Map<string, StatCount>();
  readonly #folded = new Map<string, FoldedNames>();

  /** @param names tells which names may be used. @default all */
  constructor(readonly names: Pick<NameCaps, "admit"> = { admit: () => true }) {}

  get counts(): readonly StatCount[] {
    return [...this.#counts.values()];
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
    const place = `${count.projectId}/${count.minute}/${count.seriesId}`;
    const known = this.#counts.get(place);
    if (known === undefined) this.#counts.set(place, count);
    else merge(known, count);
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
    const minute = Math.floor(seen.time.getTime() / MINUTE_MS) * MINUTE_MS;
    const id = idOf(series);
    const place = `${projectId}/${minute}/${id}`;
    let count = this.#counts.get(place);
    if (count === undefined) {
      count = start(projectId, series, id, minute);
      this.#counts.set(place, count);
    }
    observe(count, seen);
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
