import {
  changesIntake,
  conflict,
  isId,
  keyOf,
  nextId,
  prefixOf,
  readIndex,
  readMany,
  untilCommitted,
} from "./kv.ts";
import { Denied } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { changesBetween } from "../records/audit.ts";
import { addAudit } from "./audit.ts";
import { addMembership } from "./members.ts";
import { checkName, freeSlug, isSlug } from "./names.ts";

export interface Organization {
  /** Decimal, sequential from 1. */
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly createdAt: Date;
  /** What was set; read them with `organizationSettingsOf()`. */
  readonly settings?: Partial<OrganizationSettings>;
  /** From when on its members need a second factor: see `second_factor_rule.ts`. */
  readonly secondFactorFrom?: Date;
  /** Id of the provider that members have to sign in by; absent: any way does. */
  readonly signInBy?: string;
}

export interface OrganizationSettings {
  /** Members join and leave teams as they like; otherwise they ask. */
  readonly hasOpenTeams: boolean;
  /** Members and viewers see only the projects of their teams. */
  readonly showsOnlyTeamProjects: boolean;
  /** False: no project stores the address of a person, whatever it says itself. */
  readonly keepsAddresses: boolean;
}

const DEFAULT_SETTINGS: OrganizationSettings = Object.freeze({
  hasOpenTeams: true,
  showsOnlyTeamProjects: false,
  // Of organizations from before there was such a setting; new ones are made without.
  keepsAddresses: true,
});

/** The settings of an organization: what was never set has its default. */
export function organizationSettingsOf(
  { settings = {} }: Pick<Organization, "settings">,
): OrganizationSettings {
  return { ...DEFAULT_SETTINGS, ...settings };
}

/** What new organizations begin with where that is not the default of old ones. */
const NEW_SETTINGS: Partial<OrganizationSettings> = Object.freeze({ keepsAddresses: false });

/**
 * Adds the writes of a new organization to a commit, which fails when its id or slug is taken meanwhile.
 *
 * @param input a name that `checkName` let pass, and who owns it
 */
export async function addOrganization(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  { name, ownerId, slug: chosen = null, settings = NEW_SETTINGS }: {
    readonly name: string;
    readonly ownerId: string;
    readonly slug?: string | null;
    readonly settings?: Partial<OrganizationSettings>;
  },
): Promise<{ atomic: Deno.AtomicOperation; organization: Organization }> {
  const slug = await freeSlug(
    { chosen, name, fallback: "organization" },
    isOrganizationSlugTaken(kv),
  );
  const next = await nextId(kv, "organization");
  const organization: Organization = {
    id: next.id,
    slug,
    name,
    createdAt: new Date(),
    settings,
  };
  next.take(atomic)
    .check({ key: keyOf.organizationBySlug(slug), versionstamp: null })
    .set(keyOf.organizationBySlug(slug), next.id)
    .set(keyOf.organization(next.id), organization);
  addMembership(atomic, {
    organizationId: next.id,
    userId: ownerId,
    role: "owner",
    addedAt: organization.createdAt,
  });
  addOrganizationAudit(atomic, "org.create", null, organization);
  return { atomic, organization };
}

/**
 * Makes an organization, whose owner is who asks for it.
 *
 * @param slug made of the name when it is null
 * @throws {InvalidInput} for a malformed name, or a slug that is malformed or taken
 * @throws {Denied} 404 when there is no such account
 */
export function createOrganization(
  kv: Deno.Kv,
  { name, slug, ownerId }: {
    readonly name: string;
    readonly slug: string | null;
    readonly ownerId: string;
  },
): Promise<Organization> {
  const checked = checkName("name", name);
  return untilCommitted<Organization>("create the organization", async () => {
    const owner = await kv.get(keyOf.user(ownerId));
    if (owner.value === null) throw new Denied(404, t("There is no such account."));
    const input = { name: checked, slug, ownerId };
    const { atomic, organization } = await addOrganization(kv, kv.atomic().check(owner), input);
    return (await atomic.commit()).ok ? organization : conflict;
  });
}

/** The organization of this id, or null. */
export async function findOrganization(kv: Deno.Kv, id: string): Promise<Organization | null> {
  return isId(id) ? (await kv.get<Organization>(keyOf.organization(id))).value : null;
}

/** The organization of this slug, or null. */
export async function findOrganizationBySlug(
  kv: Deno.Kv,
  slug: string,
): Promise<Organization | null> {
  if (!isSlug(slug)) return null;
  const { value: id } = await kv.get<string>(keyOf.organizationBySlug(slug));
  const organization = id === null ? null : await findOrganization(kv, id);
  // Between the two reads the slug may have gone to another organization.
  return organization?.slug === slug ? organization : null;
}

/** The organizations that a user is a member of, by name. */
export async function listOrganizationsOf(kv: Deno.Kv, userId: string): Promise<Organization[]> {
  const ids = await readIndex(kv, prefixOf.memberships(userId));
  const found = await readMany<Organization>(kv, ids.map((id) => keyOf.organization(id)));
  return found.sort(byName);
}

/** Every organization of the instance, by name. */
export async function listAllOrganizations(kv: Deno.Kv): Promise<Organization[]> {
  const entries = kv.list<Organization>({ prefix: prefixOf.organizations() });
  return (await Array.fromAsync(entries, ({ value }) => value)).sort(byName);
}

/** What can be changed of an organization; what is absent stays as it is. */
export interface OrganizationChanges {
  readonly name?: string;
  readonly slug?: string;
  /** Those named replace those before; values are the caller's to check. */
  readonly settings?: Partial<OrganizationSettings>;
}

/**
 * Changes name, slug or settings.
 *
 * @returns the changed organization, or null when there is none of this id
 * @throws {InvalidInput} for a malformed name, or a slug that is malformed or taken
 */
export function updateOrganization(
  kv: Deno.Kv,
  id: string,
  changes: OrganizationChanges,
): Promise<Organization | null> {
  return untilCommitted<Organization | null>("update the organization", async () => {
    const entry = await kv.get<Organization>(keyOf.organization(id));
    if (entry.value === null) return null;
    const { name, slug } = entry.value;
    const changed: Organization = {
      ...entry.value,
      name: changes.name === undefined ? name : checkName("name", changes.name),
      slug: changes.slug === undefined || changes.slug === slug ? slug : await freeSlug(
        { chosen: changes.slug, name, fallback: "organization" },
        isOrganizationSlugTaken(kv),
      ),
      ...changes.settings && { settings: { ...entry.value.settings, ...changes.settings } },
    };
    const atomic = changesIntake(kv.atomic().check(entry).set(entry.key, changed));
    if (changed.slug !== slug) {
      atomic.check({ key: keyOf.organizationBySlug(changed.slug), versionstamp: null })
        .delete(keyOf.organizationBySlug(slug))
        .set(keyOf.organizationBySlug(changed.slug), id);
    }
    addOrganizationAudit(atomic, "org.edit", entry.value, changed);
    return (await atomic.commit()).ok ? changed : conflict;
  });
}

/** Tells of a change in the commit that makes it; of none, nothing. */
export function addOrganizationAudit(
  atomic: Deno.AtomicOperation,
  event: string,
  before: Organization | null,
  after: Organization,
): void {
  const changes = changesBetween(before && told(before), told(after));
  if (event === "org.edit" && Object.keys(changes).length === 0) return;
  addAudit(atomic, {
    event,
    organizationId: after.id,
    target: { kind: "organization", id: after.id, label: after.name },
    changes,
  });
}

/** As the audit log shows it: each setting by itself. */
function told({ name, slug, settings }: Organization): object {
  return { name, slug, ...organizationSettingsOf({ ...settings && { settings } }) };
}

/** Whether an organization has a slug. */
export function isOrganizationSlugTaken(kv: Deno.Kv) {
  return async (slug: string) => (await kv.get(keyOf.organizationBySlug(slug))).value !== null;
}

function byName(a: Organization, b: Organization): number {
  return a.name.localeCompare(b.name);
}
