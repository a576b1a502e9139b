import {
  conflict,
  isId,
  keyOf,
  nextId,
  prefixOf,
  readIndex,
  readMany,
  untilCommitted,
} from "./kv.ts";
import { addMembership } from "./members.ts";
import { checkName, freeSlug, isSlug } from "./names.ts";

export interface Organization {
  /** Decimal, sequential from 1. */
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly createdAt: Date;
}

/**
 * Adds the writes of a new organization to a commit, which fails when its id or slug is taken meanwhile.
 *
 * @param input a name that `checkName` let pass, and who owns it
 */
export async function addOrganization(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  { name, ownerId }: { name: string; ownerId: string },
): Promise<{ atomic: Deno.AtomicOperation; organization: Organization }> {
  const slug = await freeSlug({ chosen: null, name, fallback: "organization" }, isTakenIn(kv));
  const next = await nextId(kv, "organization");
  const organization: Organization = { id: next.id, slug, name, createdAt: new Date() };
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
  return { atomic, organization };
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

/**
 * Changes name or slug.
 *
 * @returns the changed organization, or null when there is none of this id
 * @throws {InvalidInput} for a malformed name, or a slug that is malformed or taken
 */
export function updateOrganization(
  kv: Deno.Kv,
  id: string,
  changes: { readonly name?: string; readonly slug?: string },
): Promise<Organization | null> {
  return untilCommitted<Organization | null>("update the organization", async () => {
    const entry = await kv.get<Organization>(keyOf.organization(id));
    if (entry.value === null) return null;
    const { name, slug } = entry.value;
    const changed = {
      ...entry.value,
      name: changes.name === undefined ? name : checkName("name", changes.name),
      slug: changes.slug === undefined || changes.slug === slug
        ? slug
        : await freeSlug({ chosen: changes.slug, name, fallback: "organization" }, isTakenIn(kv)),
    };
    const atomic = kv.atomic().check(entry).set(entry.key, changed);
    if (changed.slug !== slug) {
      atomic.check({ key: keyOf.organizationBySlug(changed.slug), versionstamp: null })
        .delete(keyOf.organizationBySlug(slug))
        .set(keyOf.organizationBySlug(changed.slug), id);
    }
    return (await atomic.commit()).ok ? changed : conflict;
  });
}

function isTakenIn(kv: Deno.Kv) {
  return async (slug: string) => (await kv.get(keyOf.organizationBySlug(slug))).value !== null;
}

function byName(a: Organization, b: Organization): number {
  return a.name.localeCompare(b.name);
}
