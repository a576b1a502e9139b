/** Monitors as they are kept: what each is set to, and how its environments stand. */
import { t } from "../../core/language/translate.ts";
import { InvalidInput, storable } from "../../core/errors.ts";
import { auditChange, type AuditedKind, insertAudit, inTransaction } from "../../store/audit.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { MAX_MONITORS } from "./apply.ts";
import { type MonitorConfig, storedConfig } from "./config.ts";
import { expectAgain } from "./expected.ts";

export type EnvironmentStatus = "active" | "ok" | "error";

export interface MonitorEnvironment {
  readonly environment: string;
  /** `active`: nothing has ended yet; `error`: an incident is open. */
  readonly status: EnvironmentStatus;
  /** Nothing has ended yet, and a run is under way. */
  readonly isFirstRunning: boolean;
  readonly isMuted: boolean;
  readonly createdAt: Date;
  readonly lastCheckInAt: Date | null;
  readonly nextAt: Date | null;
  readonly latestAt: Date | null;
  readonly incident: {
    readonly incidentId: string;
    readonly startedAt: Date;
    readonly issueId: string | null;
  } | null;
}

export interface Monitor {
  readonly projectId: string;
  /** UUID. */
  readonly monitorId: string;
  readonly slug: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly isMuted: boolean;
  /** Null: it has no schedule yet, so that no run can be missed. */
  readonly config: MonitorConfig | null;
  readonly pingNonce: string;
  readonly createdAt: Date;
  /** In the order of their names. */
  readonly environments: readonly MonitorEnvironment[];
}

interface MonitorRow extends Omit<Monitor, "config" | "environments"> {
  readonly config: unknown;
}

/** All monitors of some projects, in the order of their names. */
export async function listMonitors(
  sql: Queryable,
  projectIds: readonly string[],
): Promise<Monitor[]> {
  return await readMonitors(sql, sql`project_id = any (${[...projectIds]}::bigint[])`);
}

/**
 * One monitor.
 *
 * @param asked its slug or its id
 */
export async function findMonitor(
  sql: Queryable,
  projectId: string,
  asked: string,
): Promise<Monitor | null> {
  const name = storable(asked);
  const found = await readMonitors(
    sql,
    sql`project_id = ${projectId} and (slug = ${name} or monitor_id::text = ${name.toLowerCase()})`,
  );
  return found.find(({ slug }) => slug === name) ?? found[0] ?? null;
}

async function readMonitors(
  sql: Queryable,
  condition: ReturnType<Queryable>,
): Promise<Monitor[]> {
  const rows = await sql<MonitorRow[]>`
    select project_id as "projectId", monitor_id as "monitorId", slug, name,
      status = 'active' as "isActive", is_muted as "isMuted", config, ping_nonce as "pingNonce",
      first_seen as "createdAt"
    from monitors where ${condition} order by lower(name), slug, project_id
  `;
  if (rows.length === 0) return [];
  const environments = await readEnvironments(sql, rows);
  return rows.map((row) => ({
    ...row,
    config: storedConfig(row.config),
    environments: environments.get(`${row.projectId}/${row.slug}`) ?? [],
  }));
}

interface EnvironmentRow extends Omit<MonitorEnvironment, "incident"> {
  readonly projectId: string;
  readonly slug: string;
  readonly incidentId: string | null;
  readonly startedAt: Date | null;
  readonly issueId: string | null;
}

async function readEnvironments(
  sql: Queryable,
  monitors: readonly MonitorRow[],
): Promise<ReadonlyMap<string, MonitorEnvironment[]>> {
  const rows = await sql<EnvironmentRow[]>`
    select state.project_id as "projectId", state.slug, state.environment, state.status,
      state.is_muted as "isMuted", created_at as "createdAt",
      state.status = 'active' and exists (
        select 1 from check_ins run
        where run.project_id = state.project_id and run.monitor_slug = state.slug
          and run.environment = state.environment and run.status = 'in_progress'
          and run.started_at > now() - interval '1 day'
      ) as "isFirstRunning",
      last_check_in_at as "lastCheckInAt", next_at as "nextAt", latest_at as "latestAt",
      state.incident_id as "incidentId", incident.started_at as "startedAt",
      incident.issue_id as "issueId"
    from monitor_environments state
    left join monitor_incidents incident
      on incident.project_id = state.project_id and incident.incident_id = state.incident_id
    where (state.project_id, state.slug) in (
      select * from unnest(
        ${monitors.map(({ projectId }) => projectId)}::bigint[],
        ${monitors.map(({ slug }) => slug)}::text[]
      )
    )
    order by state.environment
  `;
  const found = new Map<string, MonitorEnvironment[]>();
  for (const { projectId, slug, incidentId, startedAt, issueId, ...state } of rows) {
    const incident = incidentId && startedAt ? { incidentId, startedAt, issueId } : null;
    const key = `${projectId}/${slug}`;
    found.set(key, [...found.get(key) ?? [], { ...state, incident }]);
  }
  return found;
}

/** What people may set. */
export interface MonitorInput {
  readonly name: string;
  readonly config: MonitorConfig | null;
  readonly isActive: boolean;
  readonly isMuted: boolean;
}

const MAX_NAME = 128;

/** @throws {InvalidInput} for no name, or one that is too long */
export function checkName(text: string): string {
  const name = text.trim().replaceAll("\0", "").toWellFormed();
  if (name === "") throw new InvalidInput("name", t("Give it a name."));
  if (name.length <= MAX_NAME) return name;
  throw new InvalidInput("name", t("Write at most {n} characters.", { n: MAX_NAME }));
}

/** Addresses of pages: a job of this name is opened by its id. */
const RESERVED = "new";

/**
 * Checks what jobs will report as.
 *
 * @throws {InvalidInput} for anything but 1 to 50 lower-case letters, digits, `-` and `_`
 */
export function checkSlug(text: string): string {
  if (/^[a-z0-9_-]{1,50}$/.test(text) && !/^\d+$/.test(text) && text !== RESERVED) return text;
  throw new InvalidInput(
    "slug",
    t("Write 1 to 50 lower-case letters, digits, - and _, with a letter among them; not new."),
  );
}

/** What a name becomes in addresses: `Nightly Backup` → `nightly-backup`. */
export function slugOfName(name: string): string {
  return name.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "").slice(0, 50);
}

/**
 * Makes a monitor.
 *
 * @throws {InvalidInput} when the slug is taken, or the project has too many
 */
export async function createMonitor(
  sql: Sql,
  projectId: string,
  slug: string,
  { name, config, isActive, isMuted }: MonitorInput,
  now: Date = new Date(),
): Promise<Monitor> {
  return await inTransaction(sql, async (tx) => {
    const monitor = await insertMonitor(
      tx,
      projectId,
      slug,
      { name, config, isActive, isMuted },
      now,
    );
    await auditChange(tx, "monitor.add", AUDITED, null, monitor);
    return monitor;
  });
}

const AUDITED: AuditedKind<Monitor> = {
  kind: "cron-monitor",
  of: ({ projectId, monitorId, name }) => ({ projectId, id: monitorId, label: name }),
  shown: ({ slug, name, config, isActive, isMuted }) => ({ slug, name, config, isActive, isMuted }),
};

async function insertMonitor(
  sql: Queryable,
  projectId: string,
  slug: string,
  { name, config, isActive, isMuted }: MonitorInput,
  now: Date,
): Promise<Monitor> {
  const [count] = await sql<{ count: number }[]>`
    select count(*)::int as count from monitors where project_id = ${projectId}
  `;
  if ((count?.count ?? 0) >= MAX_MONITORS) {
    throw new InvalidInput(
      "",
      t("A project may have {n} monitors. Delete some first.", { n: MAX_MONITORS }),
    );
  }
  const made = await sql`
    insert into monitors (project_id, slug, name, status, is_muted, config, first_seen, last_seen)
    values (
      ${projectId}, ${slug}, ${name}, ${statusOf(isActive)}, ${isMuted}, ${
    jsonOf(config)
  }::text::jsonb,
      ${now}, ${now}
    )
    on conflict do nothing returning slug
  `;
  if (made.length === 0) {
    throw new InvalidInput(
      "slug",
      t("There is a monitor {slug} in this project already.", { slug }),
      "taken",
    );
  }
  const monitor = await findMonitor(sql, projectId, slug);
  if (monitor === null) throw new InvalidInput("", t("Somebody has deleted it in the meantime."));
  return monitor;
}

/** Ends that are tried for a slug that is taken. */
const MAX_TRIES = 20;

/** Makes a monitor that has no slug of its own yet: it is made of the name, with a number where that is taken. */
export async function createNamed(
  sql: Sql,
  projectId: string,
  input: MonitorInput,
): Promise<Monitor> {
  const base = slugOfName(input.name);
  for (let number = 1;; number++) {
    const slug = number === 1 ? base : `${base.slice(0, 46)}-${number}`;
    try {
      return await createMonitor(sql, projectId, checkSlug(slug), input);
    } catch (error) {
      const isTaken = error instanceof InvalidInput && error.reason === "taken";
      if (!isTaken || number >= MAX_TRIES) throw error;
    }
  }
}

function statusOf(isActive: boolean): string {
  return isActive ? "active" : "disabled";
}

function jsonOf(config: MonitorConfig | null): string | null {
  return config === null ? null : JSON.stringify(config);
}

/** Changes a monitor; a new schedule says at once when the next run is expected. @returns null when it is gone */
export async function updateMonitor(
  sql: Sql,
  { projectId, slug }: Pick<Monitor, "projectId" | "slug">,
  { name, config, isActive, isMuted }: MonitorInput,
  now: Date = new Date(),
): Promise<Monitor | null> {
  return await inTransaction(sql, async (tx) => {
    const [former] = await tx<{ config: unknown; status: string }[]>`
      select config, status from monitors
      where project_id = ${projectId} and slug = ${slug} for update
    `;
    if (former === undefined) return null;
    const monitor = await findMonitor(tx, projectId, slug);
    await tx`
      update monitors set name = ${name}, status = ${statusOf(isActive)}, is_muted = ${isMuted},
        config = ${jsonOf(config)}::text::jsonb
      where project_id = ${projectId} and slug = ${slug}
    `;
    // What was due while it was off is not missed.
    const isBack = isActive && former.status !== "active";
    const before = isBack ? null : storedConfig(former.config);
    if (config !== null) await expectAgain(tx, { projectId, slug, config }, before, now);
    const changed = await findMonitor(tx, projectId, slug);
    await auditChange(tx, "monitor.edit", AUDITED, monitor, changed);
    return changed;
  });
}

/** Mutes one environment, or no longer. @returns whether there is such an environment */
export async function muteEnvironment(
  sql: Sql,
  { projectId, slug }: Pick<Monitor, "projectId" | "slug">,
  environment: string,
  isMuted: boolean,
): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    const monitor = await findMonitor(tx, projectId, slug);
    const { count } = await tx`
      update monitor_environments set is_muted = ${isMuted}
      where project_id = ${projectId} and slug = ${slug} and environment = ${storable(environment)}
    `;
    if (count === 0 || monitor === null) return false;
    await insertAudit(tx, {
      event: "monitor.environment.edit",
      projectId,
      target: { kind: AUDITED.kind, id: monitor.monitorId, label: monitor.name },
      changes: { [`${environment}.isMuted`]: [!isMuted, isMuted] },
    });
    return true;
  });
}

/** Gives a monitor another address for pings; the old one is unknown from now on. */
export async function renewPing(
  sql: Sql,
  { projectId, slug }: Pick<Monitor, "projectId" | "slug">,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const monitor = await findMonitor(tx, projectId, slug);
    if (monitor === null) return;
    await tx`
      update monitors set ping_nonce = substr(md5(gen_random_uuid()::text), 1, 8)
      where project_id = ${projectId} and slug = ${slug}
    `;
    await insertAudit(tx, {
      event: "monitor.edit",
      projectId,
      target: { kind: AUDITED.kind, id: monitor.monitorId, label: monitor.name },
      changes: { pingAddress: ["[secret]", "[secret]"] },
    });
  });
}

/**
 * Deletes a monitor with its runs and incidents, or of it what belongs to some environments. Issues stay.
 *
 * @param environments null: all of it
 */
export async function deleteMonitor(
  sql: Sql,
  { projectId, slug }: Pick<Monitor, "projectId" | "slug">,
  environments: readonly string[] | null = null,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await tx`
      select 1 from monitors where project_id = ${projectId} and slug = ${slug} for update
    `;
    const monitor = await findMonitor(tx, projectId, slug);
    if (environments === null) await auditChange(tx, "monitor.remove", AUDITED, monitor, null);
    else if (monitor !== null) {
      await insertAudit(tx, {
        event: "monitor.environment.remove",
        projectId,
        target: { kind: AUDITED.kind, id: monitor.monitorId, label: monitor.name },
        changes: { environments: [environments, null] },
      });
    }
    const chosen = environments === null
      ? tx``
      : tx`and environment = any (${environments.map(storable)}::text[])`;
    await tx`
      delete from check_ins where project_id = ${projectId} and monitor_slug = ${slug} ${chosen}
    `;
    await tx`
      delete from monitor_notes where project_id = ${projectId} and incident_id in (
        select incident_id from monitor_incidents
        where project_id = ${projectId} and slug = ${slug} ${chosen}
      )
    `;
    for (const table of ["monitor_incidents", "monitor_errors", "monitor_environments"]) {
      await tx`
        delete from ${tx(table)} where project_id = ${projectId} and slug = ${slug} ${chosen}
      `;
    }
    if (environments === null) {
      await tx`delete from monitors where project_id = ${projectId} and slug = ${slug}`;
    }
  });
}
