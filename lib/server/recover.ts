/** What `deno task recover` does: one store was lost, the others are right. */
import type { Stores } from "../store/stores.ts";
import type { Config } from "../core/config.ts";
import { forgetProject, putAside, putAsideAgain } from "../accounts/deleted_projects.ts";
import { keyOf, nextId, raiseSequence } from "../accounts/kv.ts";
import {
  hashOfKey,
  listKeys,
  putRecoveredKey,
  type RecoveredKey,
  updateKey,
} from "../accounts/keys.ts";
import { findOrganization } from "../accounts/organizations.ts";
import { findProject, type Project } from "../accounts/projects.ts";
import {
  checkMarks,
  judge,
  type Marks,
  readMarks,
  type StoreName,
  writeMark,
} from "./instance_marks.ts";
import type { Logger } from "../core/log.ts";
import {
  type KeyCopy,
  type ProjectCopy,
  projectsWithTelemetry,
  readCopy,
} from "../store/control_copy.ts";
import { migrate } from "../store/migrate.ts";
import { listTombstones } from "../store/deleted_projects.ts";

const LOST_WITH_KV =
  "Accounts, members, tokens, quotas and status pages are lost: the next start makes the first " +
  "administrator as on a fresh installation, who sees all organizations.";
/** Name of the organization that gets projects of which nothing but telemetry is left. */
const FOUND_ORGANIZATION = "Recovered";

/**
 * Makes a lost store belong to the others again: KV from the copy in Postgres, the others with what they hold now.
 *
 * @param store which one was lost
 * @returns what was done, or why nothing was, as a sentence
 */
export async function recover(stores: Stores, store: StoreName, log: Logger): Promise<string> {
  const marks = await readMarks(stores);
  const verdict = judge(marks);
  if (verdict.kind !== "lost") {
    return verdict.kind === "mixed"
      ? "Nothing is done: the stores belong to different installations."
      : "Nothing is done: no store is lost.";
  }
  if (verdict.store !== store) {
    return `Nothing is done: it is the store "${verdict.store}" that is lost.`;
  }
  await migrate(stores.sql, log);
  const done = store === "kv" && marks.kv.isEmpty ? await addMissing(stores) : null;
  const id = idOf(marks);
  // Without any, the next start founds one for all.
  if (id !== null) await writeMark(stores, store, id);
  if (done !== null) return `${done} ${LOST_WITH_KV}`;
  return "The store belongs to this installation again; what it has lost stays lost.";
}

function idOf({ kv, postgres, objects }: Marks): string | null {
  return kv.id ?? postgres.id ?? objects.id;
}

/**
 * Adds what Postgres knows of and KV lacks: organizations, projects and keys of the copy, and projects of which
 * telemetry alone is left. What was deleted after this KV was saved is deleted again, and keys that the copy lacks,
 * because they were revoked since, are disabled.
 *
 * @returns what was added, as a sentence
 */
export async function addMissing({ kv, sql }: Pick<Stores, "kv" | "sql">): Promise<string> {
  const { organizations, projects, keys } = await readCopy(sql);
  const tombstones = new Map((await listTombstones(sql)).map((each) => [each.id, each]));
  const known = new Set([...projects.map(({ id }) => id), ...tombstones.keys()]);
  const strays: string[] = [];
  for (const id of await projectsWithTelemetry(sql)) {
    if (!known.has(id) && await findProject(kv, id) === null) strays.push(id);
  }
  for (const each of organizations) {
    if (await findOrganization(kv, each.id) !== null) continue;
    await kv.atomic().set(keyOf.organization(each.id), each)
      .set(keyOf.organizationBySlug(each.slug), each.id).commit();
  }
  await keepIdsApart({ kv, sql });
  const found = strays.length > 0 ? await putFoundOrganization(kv) : "";
  const all = [...projects.map(projectOf), ...strays.map((id) => strayProject(id, found))];
  let added = 0;
  for (const project of all) {
    if (await findProject(kv, project.id) !== null) continue;
    const tombstone = tombstones.get(project.id);
    if (tombstone === undefined) await putProject(kv, project);
    else if (tombstone.purgedAt === null) await putAsideAgain(kv, project, tombstone);
    if (tombstone === undefined) added++;
  }
  for (const { id, deletedBy, purgedAt } of tombstones.values()) {
    await putAside(kv, id, deletedBy);
    if (purgedAt !== null) await forgetProject(kv, id);
  }
  for (const { id } of projects) {
    await matchKeys(kv, id, keys.filter(({ projectId }) => projectId === id));
  }
  return `Made again from Postgres: ${added} projects, ${strays.length} of them by their telemetry alone.`;
}

/**
 * Goes on with a copy of KV that was put back: adds what it lacks, after a look whether it belongs to the other stores.
 * Those of another installation would give it their projects, and delete its own of the same ids.
 *
 * @throws {ConfigError} before anything is changed
 */
export async function goOnWithCopy(config: Config, stores: Stores, log: Logger): Promise<string> {
  await checkMarks(config, stores);
  await migrate(stores.sql, log);
  return await addMissing(stores);
}

/** Raises the highest ids given out in KV above all that Postgres knows: no project gets another one's telemetry. */
export async function keepIdsApart({ kv, sql }: Pick<Stores, "kv" | "sql">): Promise<void> {
  const [row] = await sql<{ organization: number; project: number }[]>`
    select
      (select coalesce(max(id), 0)::float8 from control_organizations) as organization,
      greatest(
        (select max(project_id)::float8 from control_projects),
        (select max(id)::float8 from deleted_projects), 0
      ) as project
  `;
  const strays = (await projectsWithTelemetry(sql)).map(Number);
  await raiseSequence(kv, "organization", row?.organization ?? 0);
  await raiseSequence(kv, "project", Math.max(row?.project ?? 0, ...strays));
}

async function matchKeys(kv: Deno.Kv, projectId: string, copies: KeyCopy[]): Promise<void> {
  const have = new Map(
    (await listKeys(kv, projectId)).map((key) => [hashOfKey(key.publicKey), key]),
  );
  const wanted = new Set(copies.map(({ hash }) => hash));
  for (const copy of copies) {
    if (!have.has(copy.hash)) await putRecoveredKey(kv, keyFrom(copy));
  }
  for (const [hash, { publicKey }] of have) {
    if (!wanted.has(hash)) await updateKey(kv, publicKey, { isActive: false });
  }
}

async function putProject(kv: Deno.Kv, project: Project): Promise<void> {
  await kv.atomic().set(keyOf.project(project.id), project)
    .set(keyOf.projectBySlug(project.organizationId, project.slug), project.id).commit();
}

async function putFoundOrganization(kv: Deno.Kv): Promise<string> {
  const { id, take } = await nextId(kv, "organization");
  const slug = `recovered-${id}`;
  const organization = { id, slug, name: FOUND_ORGANIZATION, createdAt: new Date() };
  await take(kv.atomic()).set(keyOf.organization(id), organization)
    .set(keyOf.organizationBySlug(slug), id).commit();
  return id;
}

function projectOf({ settings, ...project }: ProjectCopy): Project {
  // The next event notes itself as the first; until then the pages wait for one.
  return { ...project, firstEventAt: null, settings };
}

function strayProject(id: string, organizationId: string): Project {
  return {
    id,
    organizationId,
    slug: `project-${id}`,
    name: `Project ${id}`,
    platform: "other",
    createdAt: new Date(),
    firstEventAt: null,
  };
}

/** As `copyControl()` wrote it. */
function keyFrom({ projectId, hash, details }: KeyCopy): RecoveredKey {
  const key = details as Omit<RecoveredKey, "projectId" | "hash" | "createdAt"> & {
    readonly createdAt: string;
  };
  return { ...key, createdAt: new Date(key.createdAt), projectId, hash };
}
