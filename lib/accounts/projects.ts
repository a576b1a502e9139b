import { t } from "../core/language/translate.ts";
import type { Language } from "../core/language/translate.ts";
import { Denied, InvalidInput } from "../core/errors.ts";
import { addKey, newKey } from "./keys.ts";
import {
  changesIntake,
  conflict,
  isId,
  keyOf,
  nextId,
  prefixOf,
  projectChanged,
  readIndex,
  readMany,
  untilCommitted,
} from "./kv.ts";
import { changesBetween } from "../records/audit.ts";
import { addAudit } from "./audit.ts";
import { checkName, freeSlug, isSlug } from "./names.ts";
import type { Organization } from "./organizations.ts";

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

interface NewProject {
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
    const organization = isId(organizationId)
      ? await kv.get(keyOf.organization(organizationId))
      : null;
    if (!organization?.value) throw new Denied(404, t("There is no such organization."));
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
    auditProject(atomic, "project.create", null, project);
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

/** All projects of all organizations that are not deleted. */
export async function* listAllProjects(kv: Deno.Kv): AsyncGenerator<Project> {
  for await (const { value } of kv.list<Project>({ prefix: prefixOf.allProjects() })) yield value;
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
    const atomic = changesIntake(kv.atomic().check(entry).set(entry.key, changed));
    auditProject(atomic, "project.edit", entry.value, changed);
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
    const changed: Project = { ...entry.value, firstEventAt: at };
    const atomic = changesIntake(kv.atomic().check(entry).set(entry.key, changed));
    return (await atomic.commit()).ok ? null : conflict;
  });
}

function checkPlatform(text: string): string {
  const platform = text.trim().toLowerCase();
  if (platform === "") return "other";
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(platform)) return platform;
  throw new InvalidInput("platform", t("Choose a platform from the list, such as node or python."));
}

/** Whether a slug is taken in an organization. */
export function isTakenIn(kv: Deno.Kv, organizationId: string) {
  return async (slug: string) =>
    (await kv.get(keyOf.projectBySlug(organizationId, slug))).value !== null;
}

/** What is taken out of telemetry before it is stored. */
export interface PrivacySettings {
  /** Take out what is secret by its name or its looks. */
  readonly scrubs: boolean;
  /** Names of fields that are secrets here, beside the well-known ones; compared without case and punctuation. */
  readonly extraFields: readonly string[];
  /** Names of fields that are never hidden. */
  readonly safeFields: readonly string[];
  /** False: no address of a user is stored or filled in. */
  readonly keepsAddresses: boolean;
}

/** What a project does not want to hear of: counted as filtered and not stored. */
export interface FilterSettings {
  readonly browserExtensions: boolean;
  readonly localhost: boolean;
  readonly legacyBrowsers: boolean;
  readonly crawlers: boolean;
  /** Patterns with `*`. */
  readonly releases: readonly string[];
  /** Patterns with `*`, matched against messages and `type: value` of exceptions. */
  readonly messages: readonly string[];
  /** Addresses and CIDR ranges. */
  readonly addresses: readonly string[];
}

/** Read with the project on every ingest request: keep it small. */
export interface ProjectSettings {
  /** Requests a second, at most the instance's limit; null for that one. */
  readonly ratePerSec: number | null;
  /** Share of traces whose performance data is kept, 0 to 1. */
  readonly sampleRate: number;
  /** Up to here a transaction's duration satisfies (Apdex), in milliseconds. */
  readonly apdexMs: number;
  /** Where a line of source can be read, with `{file}` and `{line}` to fill in; `""`: nobody said. */
  readonly sourceLink: string;
  /** What paths in profiles begin with, and paths in the repository do not. */
  readonly sourceRoot: string;
  readonly privacy: PrivacySettings;
  readonly filters: FilterSettings;
  /** One rule a line: matchers, `->`, fingerprint. */
  readonly fingerprintRules: string;
  /** Issues that have not happened for so many days are resolved; 0: none is. */
  readonly resolveAfterDays: number;
  /** Of what its channels are told; people are told in their own. */
  readonly language: Language;
  /** For how many days each kind of data is kept; those that are absent for as long as the instance keeps anything. */
  readonly retention: Readonly<Partial<Record<RetentionKind, number>>>;
}

/** Kinds of data that a project may keep for less time than the instance does. */
export const RETENTION_KINDS = [
  "errors",
  "transactions",
  "profiles",
  "metrics",
  "logs",
  "sessions",
  "attachments",
  "checks",
] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

/**
 * A project as intake must see it: its organization may be stricter than itself, and never laxer.
 *
 * @param organization null when it is gone
 */
export function underOrganization(
  project: Project,
  organization: Pick<Organization, "settings"> | null,
): Project {
  const settings = settingsOf(project);
  const isStricter = organization?.settings?.keepsAddresses === false;
  if (!isStricter || !settings.privacy.keepsAddresses) return project;
  const privacy = { ...settings.privacy, keepsAddresses: false };
  return { ...project, settings: { ...project.settings, privacy } };
}

/** The project of this id as intake must see it, or null. */
export async function findIntakeProject(kv: Deno.Kv, id: string): Promise<Project | null> {
  const project = await findProject(kv, id);
  if (project === null) return null;
  const { value } = await kv.get<Organization>(keyOf.organization(project.organizationId));
  return underOrganization(project, value);
}

export const DEFAULT_SETTINGS: ProjectSettings = Object.freeze({
  ratePerSec: null,
  sampleRate: 1,
  apdexMs: 300,
  sourceLink: "",
  sourceRoot: "",
  privacy: Object.freeze({
    scrubs: true,
    extraFields: [],
    safeFields: [],
    keepsAddresses: true,
  }),
  filters: Object.freeze({
    browserExtensions: false,
    localhost: false,
    legacyBrowsers: false,
    crawlers: false,
    releases: [],
    messages: [],
    addresses: [],
  }),
  fingerprintRules: "",
  resolveAfterDays: 0,
  language: "en",
  retention: Object.freeze({}),
});

/** The settings of a project: what was never set has its default. */
export function settingsOf({ settings = {} }: Pick<Project, "settings">): ProjectSettings {
  return {
    ...DEFAULT_SETTINGS,
    ...settings,
    privacy: { ...DEFAULT_SETTINGS.privacy, ...settings.privacy },
    filters: { ...DEFAULT_SETTINGS.filters, ...settings.filters },
  };
}

/**
 * Changes settings of a project; the parts named replace those before. Values are the caller's to check.
 *
 * @returns the changed project, or null when there is none of this id
 */
export async function updateSettings(
  kv: Deno.Kv,
  projectId: string,
  changes: Partial<ProjectSettings>,
): Promise<Project | null> {
  return await untilCommitted<Project | null>("update the settings", async () => {
    const entry = await kv.get<Project>(keyOf.project(projectId));
    if (entry.value === null) return null;
    const changed: Project = {
      ...entry.value,
      settings: { ...entry.value.settings, ...changes },
    };
    const atomic = changesIntake(kv.atomic().check(entry).set(entry.key, changed));
    auditProject(atomic, "project.edit", entry.value, changed);
    if (!(await atomic.commit()).ok) return conflict;
    projectChanged(kv, projectId);
    return changed;
  });
}

/** Tells the audit log of a project: of its settings one by one, those that were never set as their defaults. */
export function auditProject(
  atomic: Deno.AtomicOperation,
  event: string,
  before: Project | null,
  after: Project | null,
): Deno.AtomicOperation {
  const project = after ?? before;
  const changes = changesBetween(before && shownOf(before), after && shownOf(after));
  if (project === null || event === "project.edit" && Object.keys(changes).length === 0) {
    return atomic;
  }
  return addAudit(atomic, {
    event,
    organizationId: project.organizationId,
    projectId: project.id,
    target: { kind: "project", id: project.id, label: project.name },
    changes,
  });
}

function shownOf(project: Project) {
  const { name, slug, platform } = project;
  const { privacy, filters, retention, ...settings } = settingsOf(project);
  const named = (group: string, values: object) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [`${group}.${key}`, value]));
  return {
    name,
    slug,
    platform,
    ...settings,
    ...named("privacy", privacy),
    ...named("filters", filters),
    ...named("retention", retention),
  };
}
