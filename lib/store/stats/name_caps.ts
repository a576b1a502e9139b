import { HOUR_MS } from "../../core/time.ts";
import { withTimeLimit } from "../../core/waiting.ts";
import type { TelemetryRecord } from "../../records/mod.ts";
import type { Sql } from "../database.ts";
import { foldForReading } from "./fold_stats.ts";
import { SERIES_KINDS } from "./series.ts";
import type { CappedKind, NameAdmission } from "./stat_tally.ts";

/** What goes by too many names: it is counted under one. */
export const OTHER_TRANSACTIONS = "(other transactions)";
export const OTHER_SPANS = "(others)";

/** Distinct names that a project may use in one hour. */
const CAPS: Readonly<Record<CappedKind, number>> = {
  transaction: 2_000,
  span: 5_000,
  caller: 10_000,
};

/** Other processes admit names as well: beyond half of a cap, theirs are looked up this often. */
const RELOAD_MS = 60_000;
/** A store that is away must not hold up what is then spooled. */
const LOAD_LIMIT_MS = 1_000;
/** Some 20 MB when all of them use all names. */
const MAX_PROJECTS = 100;

interface ProjectNames {
  readonly hour: number;
  readonly names: Readonly<Record<CappedKind, Set<string>>>;
  loadedAt: number;
  loading: Promise<void>;
}

/**
 * Knows which names a project uses in the present hour, and admits no more than the cap: a name for every user or
 * order would fill tables that are there to stay small. Several processes may go over a cap together for a minute.
 */
export class NameCaps implements NameAdmission {
  /** By project, the one asked for last at the end. */
  readonly #projects = new Map<string, ProjectNames>();

  constructor(
    private readonly sql: Sql,
    private readonly caps = CAPS,
  ) {}

  /** To be awaited before `admit()` is asked about a project. */
  async ready(projectId: string, now = Date.now()): Promise<void> {
    const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
    let project = this.#projects.get(projectId);
    if (project?.hour !== hour) {
      const names = {
        transaction: new Set<string>(),
        span: new Set<string>(),
        caller: new Set<string>(),
      };
      project = { hour, names, loadedAt: 0, loading: Promise.resolve() };
    }
    this.#projects.delete(projectId);
    this.#projects.set(projectId, project);
    const [oldest] = this.#projects.keys();
    if (this.#projects.size > MAX_PROJECTS && oldest !== undefined) this.#projects.delete(oldest);
    if (this.#isDue(project, now)) {
      project.loadedAt = now;
      project.loading = this.#load(projectId, project);
    }
    await project.loading;
  }

  /** Whether a name may be used; it is remembered if so. */
  admit(projectId: string, kind: CappedKind, name: string): boolean {
    const names = this.#projects.get(projectId)?.names[kind];
    if (names === undefined || names.has(name)) return true;
    if (names.size >= this.caps[kind]) return false;
    names.add(name);
    return true;
  }

  /** The records with the names of transactions that are admitted; the others get the common one. */
  fold(projectId: string, records: readonly TelemetryRecord[]): TelemetryRecord[] {
    return records.map((record) => {
      if (record.kind !== "transaction") return record;
      return this.admit(projectId, "transaction", record.name)
        ? record
        : { ...record, name: OTHER_TRANSACTIONS, foldedName: record.name };
    });
  }

  #isDue({ loadedAt, names }: ProjectNames, now: number): boolean {
    if (loadedAt === 0) return true;
    const isNearCap = (Object.keys(this.caps) as CappedKind[])
      .some((kind) => names[kind].size > this.caps[kind] / 2);
    return isNearCap && now - loadedAt > RELOAD_MS;
  }

  /** Never fails: what cannot be looked up is not known to be there. */
  async #load(projectId: string, { hour, names }: ProjectNames): Promise<void> {
    try {
      await foldForReading(this.sql);
      const query = this.sql<{ kind: number; name: string; parent: string }[]>`
        select distinct series.kind, series.name, series.parent
        from stat_hours as counted
        join stat_series as series
          on series.project_id = ${projectId} and series.series_id = counted.series_id
        where counted.project_id = ${projectId} and counted."timestamp" = ${new Date(hour)}
          and counted.kind = any (${[
        SERIES_KINDS.transaction,
        SERIES_KINDS.span,
        SERIES_KINDS.caller,
      ]}::smallint[])
      `;
      for (const { kind, name, parent } of await withTimeLimit(query, LOAD_LIMIT_MS)) {
        if (kind === SERIES_KINDS.transaction) names.transaction.add(name);
        else if (kind === SERIES_KINDS.span) names.span.add(name);
        else names.caller.add(callerName(name, parent));
      }
    } catch {
      // The commit that follows tells what is wrong with the store.
    }
  }
}

/** One text for a group of spans within a transaction. */
export function callerName(name: string, parent: string): string {
  return `${name}\x1f${parent}`;
}
