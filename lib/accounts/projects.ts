import { projectChanged } from "./changes.ts";
import { Denied } from "../core/denied.ts";
import { InvalidInput } from "../core/invalid_input.ts";
import { addKey, newKey } from "./keys.ts";
import { keyOf, prefixOf } from "./kv_keys.ts";
import { checkName } from "./names.ts";
import type { ProjectSettings } from "./project_settings.ts";
import { readIndex, readMany } from "./read_many.ts";
import { isId, nextId } from "./sequence.ts";
import { freeSlug, isSlug } from "./slugs.ts";
import { conflict, untilCommitted } from "./until_committed.ts";

export interface Project {
  /** Decimal, sequential from 1, never used again. */
  readonly id: string;
  /** Never changes. */
  readonly organizationId: string;
  readonly slug: string;
  readonly name: string;
  /** As Sentry names platforms: `node`, `python-django`; `other` when nobody said. */
  readonly platform: string;
  readonly createdAt: Date;
  readonly firstEventAt: Date | null;
  /** What was set; read them with `settingsOf()`. */
  readonly settings?: Partial<ProjectSettings>;
}

export interface NewProject {
  readonly organizationId: string;
  readonly name: string;
  /** `""` counts as `other`. */
  readonly platform: string;
  /** Derived from the name when absent. */
  readonly slug?: string;
}

/**
 * Makes a project with one server key and one browser key, in one commit.
 *
 * @throws {InvalidInput} for a malformed name or platform, or a slug that is malformed or taken
 * @throws {Denied} 404 when there is no such organization
 */
export async function createProject(kv: Deno.Kv, input: NewProject): Promise<Project> {
  const name = checkName("name", input.name);
  const platform = checkPlatform(input.platform);
  const { organizationId } = input;
  const created = await untilCommitted("create the project", async () => {
    const organization = await kv.get(keyOf.organization(organizationId));
    if (organization.value === null) throw new Denied(404, "There is no such organization.");
    const slug = await freeSlug(
      { chosen: input.slug ?? null, name, fallback: "project" },
      isTakenIn(kv, organizationId),
    );
    const next = await nextId(kv, "project");
    const project: Project = {
      id: next.id,
      organizationId,
      slug,
      name,
      platform,
      createdAt: new Date(),
      firstEventAt: null,
    };
    const atomic = next.take(kv.atomic().check(organization))
      .check({ key: keyOf.projectBySlug(organizationId, slug), versionstamp: null })
      .set(keyOf.projectBySlug(organizationId, slug), next.id)
      .set(keyOf.project(next.id), project);
    addKey(atomic, newKey({ projectId: next.id, name: "Server", type: "server" }));
    addKey(atomic, newKey({ projectId: next.id, name: "Browser", type: "browser" }));
    return (await atomic.commit()).ok ? project : conflict;
  });
  projectChanged(kv, created.id);
  return created;
}

/** The project of this id, or null. */
export async function findProject(kv: Deno.Kv, id: string): Promise<Project | null> {
  return isId(id) ? (await kv.get<Project>(keyOf.project(id))).value : null;
}

/** The project of this slug in an organization, or null. */
export async function findProjectBySlug(
  kv: Deno.Kv,
  organizationId: string,
  slug: string,
): Promise<Project | null> {
  if (!isSlug(slug)) return null;
  const { value: id } = await kv.get<string>(keyOf.projectBySlug(organizationId, slug));
  const project = id === null ? null : await findProject(kv, id);
  // Between the two reads the slug may have gone to another project.
  return project?.slug === slug ? project : null;
}

/** The ids of all projects of an organization, by slug. */
export async function listProjectIds(kv: Deno.Kv, organizationId: string): Promise<string[]> {
  return await readIndex(kv, prefixOf.projects(organizationId));
}

/** All projects of an organization, by slug. */
export async function listProjects(kv: Deno.Kv, organizationId: string): Promise<Project[]> {
  const ids = await listProjectIds(kv, organizationId);
  return await readMany<Project>(kv, ids.map((id) => keyOf.project(id)));
}

/**
 * Changes name, slug or platform.
 *
 * @returns the changed project, or null when there is none of this id
 * @throws {InvalidInput} for a malformed value, or a slug that is taken
 */
export function updateProject(
  kv: Deno.Kv,
  id: string,
  changes: { readonly name?: string; readonly slug?: string; readonly platform?: string },
): Promise<Project | null> {
  return untilCommitted<Project | null>("update the project", async () => {
    const entry = await kv.get<Project>(keyOf.project(id));
    if (entry.value === null) return null;
    const { organizationId, name, slug, platform } = entry.value;
    const changed = {
      ...entry.value,
      name: changes.name === undefined ? name : checkName("name", changes.name),
      platform: changes.platform === undefined ? platform : checkPlatform(changes.platform),
      slug: changes.slug === undefined || changes.slug === slug ? slug : await freeSlug(
        { chosen: changes.slug, name, fallback: "project" },
        isTakenIn(kv, organizationId),
      ),
    };
    const atomic = kv.atomic().check(entry).set(entry.key, changed);
    if (changed.slug !== slug) {
      atomic.check({ key: keyOf.projectBySlug(organizationId, changed.slug), versionstamp: null })
        .delete(keyOf.projectBySlug(organizationId, slug))
        .set(keyOf.projectBySlug(organizationId, changed.slug), id);
    }
    if (!(await atomic.commit()).ok) return conflict;
    projectChanged(kv, id);
    return changed;
  });
}

/**
 * Notes when the first record arrived; later calls change nothing. The intake calls it only while the
 * project it has just read says `firstEventAt: null`, so that busy projects cost no write.
 */
export async function markFirstEvent(kv: Deno.Kv, id: string, at: Date): Promise<void> {
  await untilCommitted("note the first event", async () => {
    const entry = await kv.get<Project>(keyOf.project(id));
    if (entry.value === null || entry.value.firstEventAt !== null) return null;
    const marked = { ...entry.value, firstEventAt: at };
    return (await kv.atomic().check(entry).set(entry.key, marked).commit()).ok ? null : conflict;
  });
}

function checkPlatform(text: string): string {
  const platform = text.trim().toLowerCase();
  if (platform === "") return "other";
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(platform)) return platform;
  throw new InvalidInput("platform", "Choose a platform from the list, such as node or python.");
}

/** Whether a slug is taken in an organization. */
export function isTakenIn(kv: Deno.Kv, organizationId: string) {
  return async (slug: string) =>
    (await kv.get(keyOf.projectBySlug(organizationId, slug))).value !== null;
}
