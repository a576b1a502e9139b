/** Releases that events, transactions and sessions name: each has a row of its own. */
import { HOUR_MS } from "../../core/time.ts";
import { sortableVersion } from "../../records/version.ts";
import type { Table } from "../../store/write_rows.ts";
import { nameOf } from "../../store/values.ts";
import { isEventRow, type RecordRow } from "./rows.ts";

/** A release that was heard of in one hour or more. */
interface HeardRelease {
  readonly projectId: string;
  readonly version: string;
  /** When it was named first, in ms. */
  at: number;
  /** Starts of the hours, in ms. */
  first: number;
  last: number;
}

/** Some 20 MB. */
const MEMORY_CAPACITY = 100_000;

/**
 * Knows which releases are stored already, and since which hour: steady traffic writes one row for a release and hour,
 * whatever it sends. Forgetting costs a write that changes nothing.
 */
export class KnownReleases {
  /** By project and version. */
  readonly #known = new Map<string, { readonly first: number; readonly last: number }>();

  /** Releases of the rows that are not known to be stored as early and as late as that. */
  findNew(rows: readonly RecordRow[]): HeardRelease[] {
    const heard = new Map<string, HeardRelease>();
    for (const row of rows) {
      const named = nameIn(row);
      if (named === null) continue;
      const { version, at } = named;
      const hour = at - at % HOUR_MS;
      const key = `${row.projectId}/${version}`;
      const known = this.#known.get(key);
      if (known !== undefined && hour >= known.first && hour <= known.last) continue;
      const same = heard.get(key);
      if (same === undefined) {
        heard.set(key, { projectId: row.projectId, version, at, first: hour, last: hour });
      } else {
        same.at = Math.min(same.at, at);
        same.first = Math.min(same.first, hour);
        same.last = Math.max(same.last, hour);
      }
    }
    return [...heard.values()];
  }

  /** To be called after the commit, and only then. */
  remember(heard: readonly HeardRelease[]): void {
    if (this.#known.size > MEMORY_CAPACITY) this.#known.clear();
    for (const { projectId, version, first, last } of heard) {
      const key = `${projectId}/${version}`;
      const known = this.#known.get(key);
      this.#known.set(key, {
        first: Math.min(first, known?.first ?? first),
        last: Math.max(last, known?.last ?? last),
      });
    }
  }
}

function nameIn(row: RecordRow): { version: string; at: number } | null {
  if (isEventRow(row)) {
    return row.release === "" ? null : { version: row.release, at: Date.parse(row.timestamp) };
  }
  const { record } = row;
  switch (record.kind) {
    case "session":
    case "transaction":
      return named(record.release, record.timestamp);
    case "sessions": {
      const [first] = record.aggregates;
      return first === undefined ? null : named(record.release, first.startedAt);
    }
    default:
      return null;
  }
}

function named(release: string, at: Date): { version: string; at: number } | null {
  const version = nameOf(release);
  return version === "" ? null : { version, at: at.getTime() };
}

const timeOf = (ms: number) => new Date(ms).toISOString();

/** What a tool made stays a tool's. */
export const RELEASES: Table<HeardRelease> = {
  name: "releases",
  key: ["version"],
  columns: {
    version: ["text", ({ version }) => version],
    sort_key: ["text", ({ version }) => sortableVersion(version), "replace"],
    made_by: ["text", () => "event"],
    // Only the first to name a release says when: a deploy of the same minute must not seem to come after it.
    created_at: ["timestamptz", ({ at }) => timeOf(at)],
    first_event: ["timestamptz", ({ first }) => timeOf(first), "least"],
    last_event: ["timestamptz", ({ last }) => timeOf(last), "greatest"],
  },
};
