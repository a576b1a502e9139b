import { DAY_MS } from "../../core/time.ts";
import { withTimeLimit } from "../../core/waiting.ts";
import type { Outcome, TelemetryRecord } from "../../records/mod.ts";
import type { Sql } from "../../store/database.ts";
import { SERIES_KINDS } from "../../store/stats/series.ts";

/** What comes from too many environments or releases is stored under one. */
export const OTHER_ENVIRONMENTS = "(other environments)";
export const OTHER_RELEASES = "(other releases)";

const OTHERS: Partial<Record<string, string>> = {
  environment: OTHER_ENVIRONMENTS,
  release: OTHER_RELEASES,
};

/** Distinct values that a project may have within its retention: pages list them, and many tables have a row for each. */
const CAPS = { environment: 500, release: 10_000, tag_key: 1_000 } as const;
type Capped = keyof typeof CAPS;
const KINDS = Object.keys(CAPS) as Capped[];

/** Why a value is not kept, as Usage counts it. */
const REASONS = {
  environment: "too_many_environments",
  release: "too_many_releases",
  tag_key: "too_many_tag_keys",
} as const satisfies Record<Capped, string>;

/** What other processes have stored, and what has expired, is looked up this often. */
const RELOAD_MS = 60 * 60_000;
/** After a store that was away. */
const RETRY_MS = 10_000;
/** Such a store must not hold up what is then spooled. */
const LOAD_LIMIT_MS = 1_000;
/** Some 100 MB when all of them have as much as they may. */
const MAX_PROJECTS = 100;

interface ProjectValues {
  values: Record<Capped, Set<string>>;
  staleAt: number;
  loading: Promise<void>;
}

/** Records as they are stored, and what of them was too many. */
interface CappedRecords {
  readonly records: readonly TelemetryRecord[];
  readonly outcomes: readonly Outcome[];
}

/**
 * Knows the environments, releases and tag keys of projects, and admits no more than the caps: a build number for each
 * request as release, or an id in a tag's key, would fill tables and pickers that are there to stay small. An event
 * keeps all of them in its payload. Several processes may go over a cap together for an hour.
 */
export class ValueCaps {
  /** By project, the one asked for last at the end. */
  readonly #projects = new Map<string, ProjectValues>();

  constructor(
    private readonly sql: Sql,
    private readonly caps: Readonly<Record<Capped, number>> = CAPS,
  ) {}

  /** The records with what is admitted; the rest of it is told. */
  async cap(
    projectId: string,
    records: readonly TelemetryRecord[],
    now = Date.now(),
  ): Promise<CappedRecords> {
    if (!records.some(hasValues)) return { records, outcomes: [] };
    const { values } = await this.#ready(projectId, now);
    const refused: Record<Capped, number> = { environment: 0, release: 0, tag_key: 0 };
    const admits = (kind: Capped, value: string) => {
      if (value === "" || this.#admit(values[kind], kind, value)) return true;
      refused[kind]++;
      return false;
    };
    const capped = records.map((record) => withAdmitted(record, admits));
    const outcomes = KINDS.filter((kind) => refused[kind] > 0).map((kind) => ({
      category: kind,
      kind: "refused" as const,
      reason: REASONS[kind],
      quantity: refused[kind],
    }));
    return { records: capped, outcomes };
  }

  #admit(values: Set<string>, kind: Capped, value: string): boolean {
    if (values.has(value) || value === OTHERS[kind]) return true;
    if (values.size >= this.caps[kind]) return false;
    values.add(value);
    return true;
  }

  async #ready(projectId: string, now: number): Promise<ProjectValues> {
    let project = this.#projects.get(projectId);
    if (project === undefined) {
      const values = {
        environment: new Set<string>(),
        release: new Set<string>(),
        tag_key: new Set<string>(),
      };
      project = { values, staleAt: 0, loading: Promise.resolve() };
      project.loading = this.#load(projectId, project, now);
    } else if (now > project.staleAt) {
      // Beside what goes on: only the first look is waited for.
      void this.#load(projectId, project, now);
    }
    this.#projects.delete(projectId);
    this.#projects.set(projectId, project);
    const [oldest] = this.#projects.keys();
    if (this.#projects.size > MAX_PROJECTS && oldest !== undefined) this.#projects.delete(oldest);
    await project.loading;
    return project;
  }

  /** Never fails: what cannot be looked up is not known to be there. */
  async #load(projectId: string, project: ProjectValues, now: number): Promise<void> {
    project.staleAt = now + RELOAD_MS;
    try {
      const rows = await withTimeLimit(storedValues(this.sql, projectId, this.caps), LOAD_LIMIT_MS);
      const of = (kind: Capped) =>
        new Set(
          rows.filter((row) => row.kind === kind && row.value !== OTHERS[kind])
            .map(({ value }) => value),
        );
      // What was admitted and not stored yet comes again when it is sent again.
      project.values = {
        environment: of("environment"),
        release: of("release"),
        tag_key: of("tag_key"),
      };
    } catch {
      // The commit that follows tells what is wrong with the store.
      project.staleAt = now + RETRY_MS;
    }
  }
}

function hasValues(record: TelemetryRecord): boolean {
  return ("environment" in record && (record.environment !== "" || record.release !== "")) ||
    (record.kind === "error" && record.tags.length > 0);
}

type Admits = (kind: Capped, value: string) => boolean;

function withAdmitted(record: TelemetryRecord, admits: Admits): TelemetryRecord {
  if (!("environment" in record)) return record;
  const environment = admits("environment", record.environment)
    ? record.environment
    : OTHER_ENVIRONMENTS;
  const release = admits("release", record.release) ? record.release : OTHER_RELEASES;
  const isSame = environment === record.environment && release === record.release;
  if (record.kind !== "error") return isSame ? record : { ...record, environment, release };
  const tags = record.tags.filter(([key]) => admits("tag_key", key));
  if (isSame && tags.length === record.tags.length) return record;
  return { ...record, environment, release, tags };
}

async function storedValues(
  sql: Sql,
  projectId: string,
  caps: Readonly<Record<Capped, number>>,
): Promise<{ kind: Capped; value: string }[]> {
  // Keys by hops from one to the next: there are few among many rows.
  return await sql<{ kind: Capped; value: string }[]>`
    with recursive keys as (
      (select key from issue_tags where project_id = ${projectId} order by key limit 1)
      union all
      select (
        select key from issue_tags
        where project_id = ${projectId} and key > keys.key
        order by key limit 1
      )
      from keys where keys.key is not null
    ),
    named as (
      select key as kind, value from issue_tags
      where project_id = ${projectId} and key in ('environment', 'release')
      union
      select 'environment', environment from stat_series
      where project_id = ${projectId} and kind = ${SERIES_KINDS.total}
      union
      select 'release', release from stat_series
      where project_id = ${projectId} and kind = ${SERIES_KINDS.total}
      union
      select 'environment', environment from session_hours where project_id = ${projectId}
      union
      select 'release', release from session_hours where project_id = ${projectId}
    )
    (select 'tag_key' as kind, key as value from keys where key is not null limit ${caps.tag_key})
    union all
    (select kind, value from named
      where kind = 'environment' and value <> '' limit ${caps.environment})
    union all
    (select kind, value from named where kind = 'release' and value <> '' limit ${caps.release})
  `;
}

/** Names that a project's clients may make up on a UTC day; SDKs know some twenty reasons and as many categories. */
const MAX_NAMES = 200;

/**
 * Bounds what clients can name. Categories and reasons in client reports are whatever a client says, and every new
 * one is a row for each hour: anybody who knows a browser's key could make millions. The first ones of a day are
 * kept as they are; those beyond are counted as `other`.
 */
export class ClientNames {
  readonly #seen = new Map<string, Set<string>>();
  #day = 0;

  /** The same outcomes; those whose names are too many keep their quantity only. */
  boundAll(projectId: string, outcomes: readonly Outcome[], now = Date.now()): readonly Outcome[] {
    if (!outcomes.some(isOfClient)) return outcomes;
    const names = this.#namesOf(projectId, Math.floor(now / DAY_MS));
    return outcomes.map((outcome) => {
      if (!isOfClient(outcome)) return outcome;
      const name = `${outcome.category}/${outcome.reason}`;
      if (!names.has(name) && names.size >= MAX_NAMES) {
        return { ...outcome, category: "default", reason: "other" };
      }
      names.add(name);
      return outcome;
    });
  }

  #namesOf(projectId: string, day: number): Set<string> {
    if (day !== this.#day) {
      this.#seen.clear();
      this.#day = day;
    }
    const known = this.#seen.get(projectId);
    if (known !== undefined) return known;
    const names = new Set<string>();
    this.#seen.set(projectId, names);
    return names;
  }
}

function isOfClient({ kind }: Outcome): boolean {
  return kind === "client_discard";
}
