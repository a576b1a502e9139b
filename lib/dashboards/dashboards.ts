/** The dashboards of a project. */
import { t } from "../core/language/translate.ts";
import { InvalidInput } from "../core/errors.ts";
import { type DashboardContent, LIMITS } from "./content.ts";
import { ContentSchema, type NamedContent } from "./document.ts";
import { auditChange, type AuditedKind, inTransaction } from "../store/audit.ts";
import type { Queryable, Sql } from "../store/database.ts";

/** A dashboard as lists show it. */
export interface DashboardSummary {
  readonly dashboardId: string;
  readonly name: string;
  /** How many panels it has. */
  readonly panels: number;
  readonly updatedAt: Date;
  /** User id of who changed it last; null for the holder of the instance's token. */
  readonly updatedBy: string | null;
}

export interface Dashboard extends NamedContent {
  readonly dashboardId: string;
  /** Counts up with every change. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly updatedBy: string | null;
}

/** Somebody else has changed the dashboard since it was read: nothing was saved. */
export class DashboardChanged extends Error {
  override name = "DashboardChanged";

  /** @param current what it is now */
  constructor(readonly current: Dashboard) {
    super("Somebody changed this dashboard in the meantime.");
  }
}

const DASHBOARD_ID = /^[0-9a-f]{16}$/;
const ID_BYTES = 8;

interface Row extends Omit<Dashboard, "content"> {
  readonly content: unknown;
}

/** All dashboards of a project, by name. */
export async function listDashboards(sql: Sql, projectId: string): Promise<DashboardSummary[]> {
  return await sql<DashboardSummary[]>`
    select dashboard_id as "dashboardId", name, panels, updated_at as "updatedAt",
      updated_by as "updatedBy"
    from dashboards
    where project_id = ${projectId}
    order by lower(name), dashboard_id
    limit ${LIMITS.dashboards}
  `;
}

/**
 * One dashboard, or null when the project has none of this id.
 *
 * @param dashboardId what a client sent, whatever it is
 */
export async function findDashboard(
  sql: Queryable,
  projectId: string,
  dashboardId: string,
): Promise<Dashboard | null> {
  if (!DASHBOARD_ID.test(dashboardId)) return null;
  const [row] = await sql<Row[]>`
    select ${columns(sql)} from dashboards
    where project_id = ${projectId} and dashboard_id = ${dashboardId}
  `;
  return row === undefined ? null : dashboardOf(row);
}

/**
 * Keeps a new dashboard. Its content has been checked.
 *
 * @throws {InvalidInput} when the project has as many as it may
 */
export async function createDashboard(
  sql: Sql,
  projectId: string,
  { name, content }: NamedContent,
  userId: string | null,
): Promise<Dashboard> {
  const dashboardId = crypto.getRandomValues(new Uint8Array(ID_BYTES)).toHex();
  const made = await inTransaction(sql, async (tx) => {
    const [row] = await tx<Row[]>`
      insert into dashboards (project_id, dashboard_id, name, panels, content, updated_by)
      select ${projectId}, ${dashboardId}, ${name}, ${content.panels.length},
        ${JSON.stringify(content)}::text::jsonb, ${userId}
      where (select count(*) from dashboards where project_id = ${projectId}) < ${LIMITS.dashboards}
      returning ${columns(tx)}
    `;
    if (row === undefined) return null;
    const dashboard = dashboardOf(row);
    await auditChange(tx, "dashboard.create", audited(projectId), null, dashboard);
    return dashboard;
  });
  if (made !== null) return made;
  throw new InvalidInput(
    "",
    t(
      "A project has at most {most} dashboards. Delete one that nobody needs first.",
      { most: LIMITS.dashboards },
    ),
  );
}

/**
 * Saves a changed dashboard, unless somebody else was faster.
 *
 * @param version the one that was changed
 * @returns the dashboard with its new version, or null when it is gone
 * @throws {DashboardChanged} when it has another version by now
 */
export async function saveDashboard(
  sql: Sql,
  projectId: string,
  dashboardId: string,
  version: number,
  { name, content }: NamedContent,
  userId: string | null,
): Promise<Dashboard | null> {
  if (!DASHBOARD_ID.test(dashboardId)) return null;
  const saved = await inTransaction(sql, async (tx) => {
    const before = await findDashboard(tx, projectId, dashboardId);
    const [row] = await tx<Row[]>`
      update dashboards set name = ${name}, panels = ${content.panels.length},
        content = ${JSON.stringify(content)}::text::jsonb, version = version + 1,
        updated_at = now(), updated_by = ${userId}
      where project_id = ${projectId} and dashboard_id = ${dashboardId}
        -- Whatever number somebody sends is compared.
        and version = ${version}::float8
      returning ${columns(tx)}
    `;
    if (row === undefined) return null;
    const dashboard = dashboardOf(row);
    await auditChange(tx, "dashboard.edit", audited(projectId), before, dashboard);
    return dashboard;
  });
  if (saved !== null) return saved;
  const current = await findDashboard(sql, projectId, dashboardId);
  if (current === null) return null;
  throw new DashboardChanged(current);
}

/** Deletes a dashboard. @returns whether there was one */
export async function deleteDashboard(
  sql: Sql,
  projectId: string,
  dashboardId: string,
): Promise<boolean> {
  if (!DASHBOARD_ID.test(dashboardId)) return false;
  return await inTransaction(sql, async (tx) => {
    const before = await findDashboard(tx, projectId, dashboardId);
    const rows = await tx`
      delete from dashboards where project_id = ${projectId} and dashboard_id = ${dashboardId}
      returning 1
    `;
    if (rows.length === 0) return false;
    await auditChange(tx, "dashboard.remove", audited(projectId), before, null);
    return true;
  });
}

function audited(projectId: string): AuditedKind<Dashboard> {
  return {
    kind: "dashboard",
    of: ({ dashboardId, name }) => ({ projectId, id: dashboardId, label: name }),
    shown: ({ name, content }) => ({ name, ...content }),
  };
}

/** Of a row. */
function columns(sql: Queryable) {
  return sql`
    dashboard_id as "dashboardId", name, version, content, created_at as "createdAt",
    updated_at as "updatedAt", updated_by as "updatedBy"
  `;
}

/** What earlier versions of this service did not know yet gets its default. */
function dashboardOf(row: Row): Dashboard {
  const content: DashboardContent = ContentSchema.parse(row.content);
  return { ...row, content };
}
