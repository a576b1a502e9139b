/** The copy of organizations, projects and keys from which a lost control store can be made again. */
import { NO_PROJECT } from "../records/mod.ts";
import type { Queryable, Sql } from "./database.ts";
import { projectsIn } from "./sharding.ts";

interface OrganizationCopy {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly createdAt: Date;
}

export interface KeyCopy {
  readonly projectId: string;
  readonly hash: string;
  /** What else is known of the key, as JSON. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface ProjectCopy {
  readonly id: string;
  readonly organizationId: string;
  readonly slug: string;
  readonly name: string;
  readonly platform: string;
  readonly createdAt: Date;
  readonly settings: Readonly<Record<string, unknown>>;
}

interface ControlCopy {
  readonly organizations: readonly OrganizationCopy[];
  readonly projects: readonly ProjectCopy[];
  readonly keys: readonly KeyCopy[];
}

/** Stores these organizations and projects, whose keys become exactly those given. Others stay as they are. */
export async function saveCopy(
  sql: Sql,
  { organizations, projects, keys }: ControlCopy,
): Promise<void> {
  await sql.begin(async (tx) => {
    for (const each of organizations) await saveOrganization(tx, each);
    for (const each of projects) await saveProject(tx, each);
    await tx`
      delete from control_keys where project_id = any (${projects.map(({ id }) => id)}::bigint[])
        and key_hash <> all (${keys.map(({ hash }) => hash)}::text[])
    `;
    for (const { projectId, hash, details } of keys) {
      await tx`
        insert into control_keys (project_id, key_hash, details)
        values (${projectId}, ${hash}, ${JSON.stringify(details)}::text::jsonb)
        on conflict (project_id, key_hash) do update set details = excluded.details
        where control_keys.details <> excluded.details
      `;
    }
  });
}

async function saveOrganization(
  tx: Queryable,
  { id, slug, name, createdAt }: OrganizationCopy,
): Promise<void> {
  await tx`
    insert into control_organizations (id, slug, name, created_at)
    values (${id}, ${slug}, ${name}, ${createdAt})
    on conflict (id) do update set slug = excluded.slug, name = excluded.name
    where (control_organizations.slug, control_organizations.name) <> (excluded.slug, excluded.name)
  `;
}

async function saveProject(
  tx: Queryable,
  { id, organizationId, slug, name, platform, createdAt, settings }: ProjectCopy,
): Promise<void> {
  await tx`
    insert into control_projects as kept (
      project_id, organization_id, slug, name, platform, created_at, settings
    )
    values (
      ${id}, ${organizationId}, ${slug}, ${name}, ${platform}, ${createdAt},
      ${JSON.stringify(settings)}::text::jsonb
    )
    on conflict (project_id) do update set
      slug = excluded.slug, name = excluded.name, platform = excluded.platform,
      settings = excluded.settings
    where (kept.slug, kept.name, kept.platform, kept.settings)
      <> (excluded.slug, excluded.name, excluded.platform, excluded.settings)
  `;
}

/** All that is kept. */
export async function readCopy(sql: Sql): Promise<ControlCopy> {
  const [organizations, projects, keys] = await Promise.all([
    sql<OrganizationCopy[]>`
      select id, slug, name, created_at as "createdAt" from control_organizations order by id
    `,
    sql<ProjectCopy[]>`
      select project_id as id, organization_id as "organizationId", slug, name, platform,
        created_at as "createdAt", settings
      from control_projects order by project_id
    `,
    sql<KeyCopy[]>`
      select project_id as "projectId", key_hash as hash, details from control_keys
      order by project_id, key_hash
    `,
  ]);
  return { organizations, projects, keys };
}

/** A project that has anything has something in one of these. */
const FOUND_BY = [
  "issues",
  "outcome_hours",
  "attachments",
  "profiles",
  "dashboards",
  "metrics",
  "notification_channels",
  "alert_rules",
] as const;

/** The ids of all projects that something is stored of, whatever the control store says. */
export async function projectsWithTelemetry(sql: Sql): Promise<string[]> {
  const found = new Set<string>();
  // A database of an earlier version lacks some.
  const tables = await sql<{ name: string }[]>`
    select name from unnest(${FOUND_BY.map(String)}::text[]) as tables (name)
    where to_regclass(name) is not null
  `;
  for (const { name: table } of tables) {
    for (const projectId of await projectsIn(sql, table)) {
      if (projectId !== NO_PROJECT) found.add(projectId);
    }
  }
  return [...found];
}
