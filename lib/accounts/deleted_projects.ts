/**
 * Deleting in two steps: a project is put aside with everything that belongs to it, and forgotten when its telemetry has
 * been purged. What is put aside can be restored.
 */
import {
  changesIntake,
  conflict,
  isId,
  keyOf,
  prefixOf,
  projectChanged,
  readIndex,
  readMany,
  untilCommitted,
} from "./kv.ts";
import { dropKeys, listKeys } from "./keys.ts";
import { auditProject, isTakenIn, type Project } from "./projects.ts";
import { freeSlug } from "./names.ts";

interface DeletedProject {
  /** As it was. */
  readonly project: Project;
  readonly deletedAt: Date;
  /** Who did it, as people know them. */
  readonly deletedBy: string;
  /** Its telemetry is going: it cannot be restored any more. */
  readonly isPurging: boolean;
}

/**
 * Puts a project aside: nobody finds it, and what still sends with its keys is answered with 401 from the next request
 * on. Its telemetry is the caller's: `deleteProject()`.
 *
 * @returns false when there was none of this id
 */
export function putAside(kv: Deno.Kv, id: string, deletedBy: string): Promise<boolean> {
  return untilCommitted<boolean>("delete the project", async () => {
    const entry = await kv.get<Project>(keyOf.project(id));
    if (entry.value === null) return false;
    const { organizationId, slug } = entry.value;
    const aside: DeletedProject = {
      project: entry.value,
      deletedAt: new Date(),
      deletedBy,
      isPurging: false,
    };
    const atomic = auditProject(kv.atomic().check(entry), "project.remove", entry.value, null);
    const committed = await changesIntake(atomic)
      .delete(entry.key)
      .delete(keyOf.projectBySlug(organizationId, slug))
      .set(keyOf.deletedProject(id), aside)
      .set(keyOf.deletedProjectOf(organizationId, id), id)
      .commit();
    return committed.ok ? true : conflict;
  });
}

/** Puts a project aside in a control store that was made again. */
export async function putAsideAgain(
  kv: Deno.Kv,
  project: Project,
  { deletedAt, deletedBy, isPurging }: Omit<DeletedProject, "project">,
): Promise<void> {
  const aside: DeletedProject = { project, deletedAt, deletedBy, isPurging };
  await kv.atomic().set(keyOf.deletedProject(project.id), aside)
    .set(keyOf.deletedProjectOf(project.organizationId, project.id), project.id).commit();
}

/** A project that was put aside, or null. */
export async function findDeletedProject(kv: Deno.Kv, id: string): Promise<DeletedProject | null> {
  return isId(id) ? (await kv.get<DeletedProject>(keyOf.deletedProject(id))).value : null;
}

/** What an organization has put aside, the latest first. */
export async function listDeletedProjects(
  kv: Deno.Kv,
  organizationId: string,
): Promise<DeletedProject[]> {
  const ids = await readIndex(kv, prefixOf.deletedProjects(organizationId));
  const found = await readMany<DeletedProject>(kv, ids.map((id) => keyOf.deletedProject(id)));
  return found.sort((a, b) => b.deletedAt.getTime() - a.deletedAt.getTime());
}

/**
 * Brings a project back as it was, with its keys. It gets another slug when somebody has taken its own meanwhile.
 *
 * @param organizationId whose it must be
 * @returns null when there is none to restore, or its purge has begun
 */
export function bringBack(
  kv: Deno.Kv,
  organizationId: string,
  id: string,
): Promise<Project | null> {
  if (!isId(id)) return Promise.resolve(null);
  return untilCommitted<Project | null>("restore the project", async () => {
    const entry = await kv.get<DeletedProject>(keyOf.deletedProject(id));
    const aside = entry.value;
    if (aside === null || aside.isPurging || aside.project.organizationId !== organizationId) {
      return null;
    }
    const isTaken = isTakenIn(kv, organizationId);
    const slug = await isTaken(aside.project.slug)
      ? await freeSlug({ chosen: null, name: aside.project.name, fallback: "project" }, isTaken)
      : aside.project.slug;
    const project = { ...aside.project, slug };
    const atomic = auditProject(kv.atomic().check(entry), "project.restore", null, project);
    const committed = await atomic
      .check({ key: keyOf.projectBySlug(organizationId, slug), versionstamp: null })
      .check({ key: keyOf.project(id), versionstamp: null })
      .set(keyOf.project(id), project)
      .set(keyOf.projectBySlug(organizationId, slug), id)
      .delete(entry.key)
      .delete(keyOf.deletedProjectOf(organizationId, id))
      .commit();
    if (!committed.ok) return conflict;
    projectChanged(kv, id);
    return project;
  });
}

/** `alive`: restored, or never deleted. `kept`: deleted anew, so that its grace runs. */
type PurgeStart = "begun" | "alive" | "kept";

/**
 * Ends the time in which a project can be restored.
 *
 * @param isDue whether the grace is over; asked while nobody restores the project and deletes it anew
 */
export function beginPurge(
  kv: Deno.Kv,
  id: string,
  isDue: () => Promise<boolean>,
): Promise<PurgeStart> {
  return untilCommitted<PurgeStart>("begin the purge", async () => {
    const [live, aside] = await kv.getMany<[Project, DeletedProject]>([
      keyOf.project(id),
      keyOf.deletedProject(id),
    ]);
    if (live.value !== null) return "alive";
    if (!await isDue()) return "kept";
    // Nothing is left of it when the control store was made again.
    if (aside.value === null || aside.value.isPurging) return "begun";
    const committed = await kv.atomic().check(live, aside)
      .set(aside.key, { ...aside.value, isPurging: true })
      .commit();
    return committed.ok ? "begun" : conflict;
  });
}

/** Forgets a project that was put aside, and its keys, for good. */
export async function forgetProject(kv: Deno.Kv, id: string): Promise<void> {
  await untilCommitted("forget the project", async () => {
    const entry = await kv.get<DeletedProject>(keyOf.deletedProject(id));
    if (entry.value === null) return null;
    const publicKeys = await readIndex(kv, prefixOf.ingestKeys(id));
    const atomic = dropKeys(kv.atomic().check(entry), id, publicKeys);
    for (const key of await listKeys(kv, id)) atomic.delete(keyOf.ingestKeyById(key.id));
    for (const hash of await readIndex(kv, prefixOf.recoveredKeys(id))) {
      atomic.delete(keyOf.recoveredKey(hash)).delete(keyOf.recoveredKeyOf(id, hash));
    }
    auditProject(atomic, "project.purge", entry.value.project, null);
    const committed = await atomic
      .delete(entry.key)
      .delete(keyOf.deletedProjectOf(entry.value.project.organizationId, id))
      .commit();
    return committed.ok ? null : conflict;
  });
}
