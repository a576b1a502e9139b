/** The uptime monitors of projects, as people make and change them. */
import type postgres from "postgres";
import { InvalidInput, storable, storableJson } from "../../core/errors.ts";
import { listChannels } from "../../alerts/mod.ts";
import { auditChange, type AuditedKind, inTransaction } from "../../store/audit.ts";
import type { Queryable, Sql, Transaction } from "../../store/database.ts";
import type { Target } from "../probes/target.ts";
import {
  domainOfTarget,
  hostOfTarget,
  MAX_MONITORS,
  type Monitor,
  type MonitorInput,
} from "./monitor.ts";
import {
  isSameReceiver,
  joinSecrets,
  keepsSecrets,
  openSecrets,
  sealSecrets,
  type SealStores,
  splitSecrets,
} from "./secrets.ts";
import { t } from "../../core/language/translate.ts";

/** What making and changing monitors needs. */
export interface MonitorStores extends SealStores {
  readonly sql: Sql;
}

/** All monitors of a project, by name. */
export async function listMonitors(sql: Queryable, projectId: string): Promise<Monitor[]> {
  return await sql<Monitor[]>`
    select ${monitorColumns(sql)} from uptime_monitors
    where project_id = ${projectId} order by lower(name), monitor_id
  `;
}

/** The monitor of this id, or null when the project has none. */
export async function findMonitor(
  sql: Queryable,
  projectId: string,
  monitorId: string,
): Promise<Monitor | null> {
  if (!isMonitorId(monitorId)) return null;
  const [monitor] = await sql<Monitor[]>`
    select ${monitorColumns(sql)} from uptime_monitors
    where project_id = ${projectId} and monitor_id = ${monitorId}
  `;
  return monitor ?? null;
}

/**
 * Makes a monitor; it is checked for the first time at once.
 *
 * @param by e-mail address of whoever makes it
 * @throws {InvalidInput}
 */
export async function createMonitor(
  stores: MonitorStores,
  projectId: string,
  input: MonitorInput,
  by: string,
  now: Date = new Date(),
): Promise<Monitor> {
  const { sql } = stores;
  await refuseUnknownChannels(sql, projectId, input.channelIds);
  if (keepsSecrets(input.target)) throw noSecret();
  const monitorId = crypto.randomUUID();
  const { shown, secrets } = splitSecrets(input.target);
  const sealed = await sealSecrets(stores, projectId, monitorId, secrets);
  const monitor = await inTransaction(sql, async (tx) => {
    const made = await insertMonitor(tx, { projectId, monitorId, shown, sealed, input, by, now });
    await auditChange(tx, "monitor.add", AUDITED, null, made);
    return made;
  });
  if (monitor === null) {
    throw new InvalidInput(
      "",
      t(
        "A project has at most {n} uptime monitor. Delete one that nobody needs.|A project has at most {n} uptime monitors. Delete one that nobody needs.",
        { n: MAX_MONITORS },
      ),
    );
  }
  return monitor;
}

const AUDITED: AuditedKind<Monitor> = {
  kind: "uptime-monitor",
  of: ({ projectId, monitorId, name }) => ({ projectId, id: monitorId, label: name }),
  shown: ({
    name,
    target,
    intervalSec,
    failureThreshold,
    recoveryThreshold,
    certificateDays,
    windows,
    channelIds,
    isPaused,
  }) => ({
    name,
    target,
    intervalSec,
    failureThreshold,
    recoveryThreshold,
    certificateDays,
    windows,
    channelIds,
    isPaused,
  }),
};

interface NewMonitor {
  readonly projectId: string;
  readonly monitorId: string;
  /** Without its secrets, which are sealed. */
  readonly shown: Target;
  readonly sealed: Uint8Array | null;
  readonly input: MonitorInput;
  readonly by: string;
  readonly now: Date;
}

/** Null when the project has as many as it may. */
async function insertMonitor(
  tx: Transaction,
  { projectId, monitorId, shown, sealed, input, by, now }: NewMonitor,
): Promise<Monitor | null> {
  const made = await tx`
    insert into uptime_monitors (
      project_id, monitor_id, name, kind, target, sealed, host, domain, interval_sec, failure_threshold,
      recovery_threshold, certificate_days, windows, channel_ids, is_paused, created_at, updated_at,
      updated_by, due_at, since
    )
    select ${projectId}, ${monitorId}::uuid, ${input.name}::text, ${shown.kind}::text,
      ${storableJson(shown)}::text::jsonb, ${sealed}::bytea, ${hostOfTarget(shown)}::text,
      ${
    domainOfTarget(shown)
  }::text, ${input.intervalSec}::int, ${input.failureThreshold}::int, ${input.recoveryThreshold}::int,
      ${[...input.certificateDays]}::int[], ${storableJson(input.windows)}::text::jsonb,
      ${[...input.channelIds]}::uuid[], ${input.isPaused}::boolean, ${now}::timestamptz,
      ${now}::timestamptz, ${storable(by)}::text, ${now}::timestamptz, ${now}::timestamptz
    where ${MAX_MONITORS} > (select count(*) from uptime_monitors where project_id = ${projectId})
  `;
  // Citus takes no subquery in `returning`.
  return made.count === 0 ? null : await findMonitor(tx, projectId, monitorId);
}

/**
 * Changes a monitor; it is checked at once. An incident that is open stays until a check succeeds.
 *
 * @param input may have `HIDDEN` where a secret is kept
 * @returns null when somebody has deleted it meanwhile
 * @throws {InvalidInput}
 */
export async function changeMonitor(
  stores: MonitorStores,
  monitor: Monitor,
  input: MonitorInput,
  by: string,
  now: Date = new Date(),
): Promise<Monitor | null> {
  const { sql } = stores;
  const { projectId, monitorId } = monitor;
  await refuseUnknownChannels(sql, projectId, input.channelIds);
  const target = await wholeTarget(stores, monitor, input.target);
  const { shown, secrets } = splitSecrets(target);
  const sealed = await sealSecrets(stores, projectId, monitorId, secrets);
  const isResumed = monitor.isPaused && !input.isPaused;
  const isOther = sql`target is distinct from ${storableJson(shown)}::text::jsonb`;
  return await changeRow(
    sql,
    monitor,
    sql`
      name = ${input.name},
      kind = ${shown.kind},
      target = ${storableJson(shown)}::text::jsonb,
      sealed = ${sealed},
      host = ${hostOfTarget(shown)},
      domain = ${domainOfTarget(shown)},
      interval_sec = ${input.intervalSec},
      failure_threshold = ${input.failureThreshold},
      recovery_threshold = ${input.recoveryThreshold},
      certificate_days = ${[...input.certificateDays]}::int[],
      windows = ${storableJson(input.windows)}::text::jsonb,
      channel_ids = ${[...input.channelIds]}::uuid[],
      is_paused = ${input.isPaused},
      updated_at = ${now},
      updated_by = ${storable(by)},
      due_at = ${now},
      failures = case when ${isOther} then 0 else failures end,
      certificate = case when ${isOther} then null else certificate end
      ${isResumed ? sql`, counted_until = ${now}` : sql``}
  `,
  );
}

/** Null when somebody has deleted it meanwhile. */
async function changeRow(
  sql: Sql,
  { projectId, monitorId }: Pick<Monitor, "projectId" | "monitorId">,
  assignments: postgres.Fragment,
): Promise<Monitor | null> {
  return await inTransaction(sql, async (tx) => {
    const before = await findMonitor(tx, projectId, monitorId);
    await tx`
      update uptime_monitors set ${assignments}, version = version + 1
      where project_id = ${projectId} and monitor_id = ${monitorId}
    `;
    // Citus takes no subquery in `returning`.
    const changed = await findMonitor(tx, projectId, monitorId);
    if (before === null || changed === null) return null;
    await auditChange(tx, "monitor.edit", AUDITED, before, changed);
    return changed;
  });
}

/**
 * Has a monitor checked no more, or again and at once. Time in which it is paused stands in no sum.
 *
 * @returns null when there is none
 */
export async function pauseMonitor(
  sql: Sql,
  monitor: Pick<Monitor, "projectId" | "monitorId">,
  isPaused: boolean,
  by: string,
  now: Date = new Date(),
): Promise<Monitor | null> {
  return await changeRow(
    sql,
    monitor,
    sql`
      is_paused = ${isPaused}, due_at = ${now}, updated_at = ${now}, updated_by = ${storable(by)},
      counted_until = case when is_paused and not ${isPaused} then ${now} else counted_until end
    `,
  );
}

/** Changes the maintenance windows of a monitor. Null when there is none. */
export async function setWindows(
  sql: Sql,
  monitor: Pick<Monitor, "projectId" | "monitorId">,
  windows: Monitor["windows"],
  by: string,
): Promise<Monitor | null> {
  return await changeRow(
    sql,
    monitor,
    sql`windows = ${storableJson(windows)}::text::jsonb, updated_at = now(), updated_by = ${
      storable(by)
    }`,
  );
}

/** Deletes a monitor with its incidents and sums; its checks go with the retention. */
export async function deleteMonitor(
  sql: Sql,
  { projectId, monitorId }: Pick<Monitor, "projectId" | "monitorId">,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await auditChange(
      tx,
      "monitor.remove",
      AUDITED,
      await findMonitor(tx, projectId, monitorId),
      null,
    );
    for (
      const table of ["uptime_monitors", "uptime_incidents", "uptime_hours", "uptime_days"]
    ) {
      await tx`
        delete from ${tx(table)} where project_id = ${projectId} and monitor_id = ${monitorId}
      `;
    }
  });
}

/**
 * The target with its secrets, those that are kept included.
 *
 * @param monitor whose secrets may be kept; null for a new one
 * @throws {InvalidInput} when a secret that is to be kept is none, or would go to somebody else
 */
export async function wholeTarget(
  stores: SealStores,
  monitor: Monitor | null,
  entered: Target,
): Promise<Target> {
  if (!keepsSecrets(entered)) return entered;
  if (monitor === null) throw noSecret();
  if (!isSameReceiver(monitor.target, entered)) {
    throw new InvalidInput(
      "target.url",
      t("With another host, enter the values of headers and the password again: the old ones belong to the old host."),
    );
  }
  const secrets = await openSecrets(stores, monitor);
  if (secrets === null) {
    throw new InvalidInput(
      "target.headers",
      t("The stored secrets cannot be read: SERVICE_SECRET_KEY has changed. Enter them again."),
    );
  }
  return joinSecrets(entered, secrets);
}

function noSecret(): InvalidInput {
  return new InvalidInput("target.headers", t("Enter the values of headers and the password."));
}

async function refuseUnknownChannels(
  sql: Sql,
  projectId: string,
  channelIds: readonly string[],
): Promise<void> {
  if (channelIds.length === 0) return;
  const known = new Set((await listChannels(sql, projectId)).map(({ channelId }) => channelId));
  if (channelIds.every((id) => known.has(id))) return;
  throw new InvalidInput("channelIds", t("There is no such channel in this project."));
}

/** Whether a text can be the id of a monitor or an incident. */
export function isMonitorId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** The columns of `uptime_monitors` that make a {@linkcode Monitor}. */
export function monitorColumns(sql: Queryable): postgres.Fragment {
  return sql`
    uptime_monitors.project_id::text as "projectId", uptime_monitors.monitor_id::text as "monitorId",
    name, target, sealed, host, interval_sec as "intervalSec",
    failure_threshold as "failureThreshold", recovery_threshold as "recoveryThreshold",
    certificate_days as "certificateDays", windows, channel_ids::text[] as "channelIds",
    is_paused as "isPaused", created_at as "createdAt", updated_at as "updatedAt",
    updated_by as "updatedBy", version, due_at as "dueAt", state, since, failures, successes,
    turning_since as "turningSince", is_network_failure as "isNetworkFailure",
    is_cut_off as "isCutOff", incident_id::text as "incidentId", checked_at as "checkedAt",
    succeeded_at as "succeededAt", last_ms as "lastMs", last_error as "lastError",
    counted_until as "countedUntil", certificate, told_fingerprint as "toldFingerprint",
    told_days as "toldDays", domain, ${ofDomain(sql, "ends_at")} as "domainEndsAt",
    ${ofDomain(sql, "due_at")} as "domainDueAt"
  `;
}

function ofDomain(sql: Queryable, column: "ends_at" | "due_at"): postgres.Fragment {
  return sql`(
    select ${sql(`uptime_domains.${column}`)} from uptime_domains
    where uptime_domains.project_id = uptime_monitors.project_id
      and uptime_domains.domain = uptime_monitors.domain
  )`;
}
