/**
 * Deleting an organization in two steps: it is put aside, with all that belongs to it, and forgotten when its projects are
 * gone for good. What is put aside can be restored by its owners. Its projects are the caller's.
 */
import { addAudit } from "./audit.ts";
import {
  changesIntake,
  conflict,
  isId,
  keyOf,
  prefixOf,
  readIndex,
  readMany,
  untilCommitted,
} from "./kv.ts";
import { roleOf } from "./members.ts";
import { freeSlug } from "./names.ts";
import {
  addOrganizationAudit,
  isOrganizationSlugTaken,
  type Organization,
} from "./organizations.ts";

export interface DeletedOrganization {
  /** As it was. */
  readonly organization: Organization;
  readonly deletedAt: Date;
  /** Who did it, as people know them. */
  readonly deletedBy: string;
  /** Those that were deleted with it, and come back with it. */
  readonly projectIds: readonly string[];
  /** It is going for good: it cannot be restored any more. */
  readonly isPurging: boolean;
}

/**
 * Puts an organization aside: from the next request on it is there for nobody, nor are its tokens.
 *
 * @param projectIds those that were deleted for it
 * @returns false when there was none of this id
 */
export function putOrganizationAside(
  kv: Deno.Kv,
  id: string,
  deletedBy: string,
  projectIds: readonly string[],
): Promise<boolean> {
  return untilCommitted<boolean>("delete the organization", async () => {
    const entry = await kv.get<Organization>(keyOf.organization(id));
    if (entry.value === null) return false;
    const aside: DeletedOrganization = {
      organization: entry.value,
      deletedAt: new Date(),
      deletedBy,
      projectIds,
      isPurging: false,
    };
    const atomic = changesIntake(kv.atomic().check(entry))
      .delete(entry.key)
      .delete(keyOf.organizationBySlug(entry.value.slug))
      .set(keyOf.deletedOrganization(id), aside);
    addOrganizationAudit(atomic, "org.remove", entry.value, entry.value);
    return (await atomic.commit()).ok ? true : conflict;
  });
}

/** An organization that was put aside, or null. @param id what a client sent */
export async function findDeletedOrganization(
  kv: Deno.Kv,
  id: string,
): Promise<DeletedOrganization | null> {
  if (!isId(id)) return null;
  return (await kv.get<DeletedOrganization>(keyOf.deletedOrganization(id))).value;
}

/** All that are put aside. */
export async function listAllDeletedOrganizations(kv: Deno.Kv): Promise<DeletedOrganization[]> {
  const prefix = prefixOf.deletedOrganizations();
  return await Array.fromAsync(kv.list<DeletedOrganization>({ prefix }), ({ value }) => value);
}

/** Those that a user was an owner of and can restore, the latest first. */
export async function listDeletedOrganizationsOf(
  kv: Deno.Kv,
  userId: string,
): Promise<DeletedOrganization[]> {
  const ids = await readIndex(kv, prefixOf.memberships(userId));
  const found = await readMany<DeletedOrganization>(
    kv,
    ids.map((id) => keyOf.deletedOrganization(id)),
  );
  const roles = await Promise.all(
    found.map(({ organization }) => roleOf(kv, organization.id, userId)),
  );
  return found.filter(({ isPurging }, index) => !isPurging && roles[index] === "owner")
    .sort((a, b) => b.deletedAt.getTime() - a.deletedAt.getTime());
}

/**
 * Brings an organization back as it was, without its projects. It gets another slug when somebody has taken its own.
 *
 * @returns null when there is none to restore, or it is going for good already
 */
export function bringOrganizationBack(
  kv: Deno.Kv,
  id: string,
): Promise<DeletedOrganization | null> {
  return untilCommitted<DeletedOrganization | null>("restore the organization", async () => {
    const entry = await kv.get<DeletedOrganization>(keyOf.deletedOrganization(id));
    if (entry.value === null || entry.value.isPurging) return null;
    const { organization: former } = entry.value;
    const isTaken = isOrganizationSlugTaken(kv);
    const slug = await isTaken(former.slug)
      ? await freeSlug({ chosen: null, name: former.name, fallback: "organization" }, isTaken)
      : former.slug;
    const organization = { ...former, slug };
    const atomic = changesIntake(kv.atomic().check(entry))
      .check({ key: keyOf.organizationBySlug(slug), versionstamp: null })
      .check({ key: keyOf.organization(id), versionstamp: null })
      .set(keyOf.organization(id), organization)
      .set(keyOf.organizationBySlug(slug), id)
      .delete(entry.key);
    addOrganizationAudit(atomic, "org.restore", former, organization);
    return (await atomic.commit()).ok ? { ...entry.value, organization } : conflict;
  });
}

/** Ends the time in which an organization can be restored. @returns false when somebody has just restored it */
export function beginOrganizationPurge(kv: Deno.Kv, id: string): Promise<boolean> {
  return untilCommitted<boolean>("begin to forget the organization", async () => {
    const entry = await kv.get<DeletedOrganization>(keyOf.deletedOrganization(id));
    if (entry.value === null) return false;
    if (entry.value.isPurging) return true;
    const purging = { ...entry.value, isPurging: true };
    return (await kv.atomic().check(entry).set(entry.key, purging).commit()).ok ? true : conflict;
  });
}

/** Kinds of records whose second part of the key is the organization's id; all but members, which need care. */
const KINDS = [
  "invite_of",
  "join_policy",
  "join_request",
  "scim",
  "scim_group",
  "team",
  "team_by_slug",
  "deleted_project_of",
  "api_token_of",
  "organization_token_of",
  "quota",
  "quota_use",
  "status_page",
  "status_logo",
  "status_post",
  "status_revision",
  "status_snapshot",
  "status_snapshot_part",
  "status_subscriber",
  "status_mail",
] as const;

/** The store takes more in one commit; these are small. */
const DELETED_AT_ONCE = 100;

/** Forgets an organization that was put aside, with its members, teams, invitations and tokens, for good. */
export async function forgetOrganization(kv: Deno.Kv, id: string): Promise<void> {
  const aside = await findDeletedOrganization(kv, id);
  if (aside === null) return;
  await deleteAll(kv, await namedByIndexes(kv, id));
  for (const kind of KINDS) await deleteAll(kv, await keysBelow(kv, [kind, id]));
  const members = await keysBelow(kv, prefixOf.members(id));
  const memberships = members.map((key) => keyOf.membership(String(key.at(-1)), id));
  await deleteAll(kv, [...memberships, ...members]);
  const atomic = kv.atomic().delete(keyOf.deletedOrganization(id));
  const target = { kind: "organization", id, label: aside.organization.name };
  // Nobody is left who could read it as the organization's: the instance does.
  addAudit(atomic, { event: "org.purge", organizationId: null, target });
  await atomic.commit();
}

/** What lies under a name of its own, and is known by an index of the organization. */
async function namedByIndexes(kv: Deno.Kv, id: string): Promise<Deno.KvKey[]> {
  const [invites, apiTokens, organizationTokens, policy, scim, page] = await Promise.all([
    readIndex(kv, prefixOf.invites(id)),
    readIndex(kv, prefixOf.apiTokens(id)),
    readIndex(kv, prefixOf.organizationTokens(id)),
    kv.get<{ domains: readonly string[] }>(keyOf.joinPolicy(id)),
    kv.get<{ tokenHash: string }>(keyOf.scim(id)),
    kv.get<{ slug: string; host: string | null }>(keyOf.statusPage(id)),
  ]);
  return [
    ...invites.map((hash) => keyOf.invite(hash)),
    ...apiTokens.map((token) => keyOf.apiToken(token)),
    ...organizationTokens.map((hash) => keyOf.organizationToken(hash)),
    ...(policy.value?.domains ?? []).map((domain) => keyOf.joinDomain(domain, id)),
    ...scim.value === null ? [] : [keyOf.scimToken(scim.value.tokenHash)],
    ...page.value === null ? [] : [keyOf.statusPageBySlug(page.value.slug)],
    ...page.value?.host ? [keyOf.statusPageByHost(page.value.host)] : [],
  ];
}

async function keysBelow(kv: Deno.Kv, prefix: Deno.KvKey): Promise<Deno.KvKey[]> {
  const below = await Array.fromAsync(kv.list({ prefix }), ({ key }) => key);
  // A prefix is not among what is below it.
  const itself = await kv.get(prefix);
  return itself.value === null ? below : [...below, prefix];
}

async function deleteAll(kv: Deno.Kv, keys: readonly Deno.KvKey[]): Promise<void> {
  for (let start = 0; start < keys.length; start += DELETED_AT_ONCE) {
    const atomic = kv.atomic();
    for (const key of keys.slice(start, start + DELETED_AT_ONCE)) atomic.delete(key);
    await atomic.commit();
  }
}
