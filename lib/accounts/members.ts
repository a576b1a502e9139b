import { Denied, InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { addAudit } from "./audit.ts";
import { conflict, keyOf, prefixOf, readMany, untilCommitted } from "./kv.ts";
import { type Role, roleChangeProblem } from "./roles.ts";
import { addLeavingTeams } from "./teams.ts";
import type { User } from "./users.ts";

export {
  type InstancePermission,
  isRole,
  type Permission,
  PERMISSIONS,
  type Role,
  roleAllows,
  roleChangeProblem,
  ROLES,
  SCOPES,
  scopesAllow,
} from "./roles.ts";

/** What somebody is in an organization. */
export interface Membership {
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  readonly addedAt: Date;
  /** Id of the provider of single sign-on whose groups made it: what they say changes and ends it. */
  readonly managed?: string;
  /** The teams that those groups put them into. */
  readonly managedTeams?: readonly string[];
  /** Since when a directory has them disabled: no member until it says otherwise. Absent: a member. */
  readonly disabledAt?: Date;
  /** How the directory that provisions the organization knows them. */
  readonly directory?: {
    readonly userName: string;
    readonly externalId: string | null;
    /** The account is of its making, so that it may change the name. */
    readonly madeAccount: boolean;
  };
}

export interface Member extends Membership {
  readonly user: User;
}

/** Who changes a member; what `authorize` answers fits. */
export interface Changer {
  readonly role: Role;
  /** Null for the bootstrap token. */
  readonly userId: string | null;
}

/** The role of a user in an organization, or null for strangers. */
export async function roleOf(
  kv: Deno.Kv,
  organizationId: string,
  userId: string,
): Promise<Role | null> {
  const { value } = await kv.get<Membership>(keyOf.member(organizationId, userId));
  return value === null || value.disabledAt !== undefined ? null : value.role;
}

/**
 * What a user acts as in an organization: their role as a member, or null for strangers. Who runs the
 * instance acts as owner everywhere, so that no organization is ever left without one.
 */
export async function effectiveRole(
  kv: Deno.Kv,
  organizationId: string,
  user: User,
): Promise<Role | null> {
  return user.isInstanceAdmin ? "owner" : await roleOf(kv, organizationId, user.id);
}

/** All members with their accounts, by email; those whom a directory disabled are none. */
export async function listMembers(kv: Deno.Kv, organizationId: string): Promise<Member[]> {
  const memberships = await readMemberships(kv, organizationId);
  const users = await readMany<User>(kv, memberships.map(({ userId }) => keyOf.user(userId)));
  const userOf = new Map(users.map((user) => [user.id, user]));
  return memberships
    .flatMap((membership) => {
      const user = userOf.get(membership.userId);
      const isGone = user === undefined || membership.disabledAt !== undefined;
      return isGone ? [] : [{ ...membership, user }];
    })
    .sort((a, b) => a.user.email < b.user.email ? -1 : 1);
}

/** A member with their account, or null. @param userId what a client sent, whatever it is */
export async function findMember(
  kv: Deno.Kv,
  organizationId: string,
  userId: string,
): Promise<Member | null> {
  const member = await findEvenDisabled(kv, organizationId, userId);
  return member?.disabledAt === undefined ? member : null;
}

/** {@linkcode findMember}, or whom a directory has disabled. */
export async function findEvenDisabled(
  kv: Deno.Kv,
  organizationId: string,
  userId: string,
): Promise<Member | null> {
  if (userId.length > MAX_ID_LENGTH) return null;
  const [membership, user] = await kv.getMany<[Membership, User]>([
    keyOf.member(organizationId, userId),
    keyOf.user(userId),
  ]);
  return membership.value && user.value && { ...membership.value, user: user.value };
}

/** Longer than any id; Deno KV throws at keys of 2 KB. */
const MAX_ID_LENGTH = 100;

/**
 * Makes a user a member.
 *
 * @param also adds to the same commit, such as the end of the invitation
 * @throws {Denied} 403 when `by` may not give this role, 404 when there is no such user or organization
 * @throws {InvalidInput} when the user is a member already
 */
export function addMember(
  kv: Deno.Kv,
  by: Changer,
  organizationId: string,
  userId: string,
  role: Role,
  also: (atomic: Deno.AtomicOperation) => Promise<void> = () => Promise.resolve(),
): Promise<Membership> {
  return untilCommitted("add the member", async () => {
    const [organization, user, member] = await kv.getMany<[unknown, User, Membership]>([
      keyOf.organization(organizationId),
      keyOf.user(userId),
      keyOf.member(organizationId, userId),
    ]);
    if (organization.value === null || user.value === null) {
      throw new Denied(404, t("There is no such person or organization."));
    }
    if (member.value !== null) {
      throw new InvalidInput(
        "email",
        t("This person is a member already: change the role."),
        "taken",
      );
    }
    refuseUnlessAllowed(by, userId, null, role);
    const membership = { organizationId, userId, role, addedAt: new Date() };
    const atomic = kv.atomic().check(organization, user, member);
    addMemberAudit(atomic, "member.add", organizationId, user.value, null, role);
    await also(atomic);
    return (await addMembership(atomic, membership).commit()).ok ? membership : conflict;
  });
}

/** Adds the writes of a membership to a commit. */
export function addMembership(
  atomic: Deno.AtomicOperation,
  membership: Membership,
): Deno.AtomicOperation {
  const { organizationId, userId } = membership;
  return atomic
    .set(keyOf.member(organizationId, userId), membership)
    .set(keyOf.membership(userId, organizationId), organizationId);
}

/**
 * Changes the role of a member.
 *
 * @throws {Denied} 403 when `by` may not make this change, 404 when the user is no member
 * @throws {InvalidInput} when the organization would be left without an owner
 */
export function setRole(
  kv: Deno.Kv,
  by: Changer,
  organizationId: string,
  userId: string,
  role: Role,
): Promise<Membership> {
  return changeMember(kv, by, organizationId, userId, role, async (atomic, member) => {
    const changed = { ...member, role };
    atomic.set(keyOf.member(organizationId, userId), changed);
    const user = await findNamed(kv, userId);
    addMemberAudit(atomic, "member.edit", organizationId, user, member.role, role);
    return changed;
  });
}

/**
 * Takes a member out of the organization and its teams; everybody but the last owner may leave.
 * Sessions and tokens need no care: every request asks for the role anew.
 *
 * @throws {Denied} 403 when `by` may not remove this member, 404 when the user is no member
 * @throws {InvalidInput} for the last owner
 */
export async function removeMember(
  kv: Deno.Kv,
  by: Changer,
  organizationId: string,
  userId: string,
): Promise<void> {
  await changeMember(kv, by, organizationId, userId, null, async (atomic, { role }) => {
    await addLeavingTeams(kv, atomic, organizationId, userId);
    const user = await findNamed(kv, userId);
    addMemberAudit(atomic, "member.remove", organizationId, user, role, null);
    atomic
      .delete(keyOf.member(organizationId, userId))
      .delete(keyOf.membership(userId, organizationId));
    return null;
  });
}

/**
 * Hands an organization over: another member becomes its owner, and who does it steps down to manager, in one commit.
 *
 * @param fromId who does it, an owner
 * @throws {Denied} 403 for who is no owner, 404 when the other one is no member
 * @throws {InvalidInput} for an owner who is meant to succeed themselves
 */
export async function transferOwnership(
  kv: Deno.Kv,
  organizationId: string,
  fromId: string,
  toId: string,
): Promise<void> {
  if (fromId === toId) {
    throw new InvalidInput("user", t("Choose somebody else: you are the owner."));
  }
  await untilCommitted<void>("hand the organization over", async () => {
    const [from, to] = await kv.getMany<[Membership, Membership]>([
      keyOf.member(organizationId, fromId),
      keyOf.member(organizationId, toId),
    ]);
    if (from.value?.role !== "owner") {
      throw new Denied(403, t("Only an owner can hand the organization over."));
    }
    if (to.value === null) throw new Denied(404, t("This person is not a member."));
    const [giver, heir] = [await findNamed(kv, fromId), await findNamed(kv, toId)];
    const atomic = kv.atomic().check(from, to)
      .set(to.key, { ...to.value, role: "owner" })
      .set(from.key, { ...from.value, role: "manager" });
    addMemberAudit(atomic, "member.edit", organizationId, heir, to.value.role, "owner");
    addMemberAudit(atomic, "member.edit", organizationId, giver, "owner", "manager");
    return (await atomic.commit()).ok ? undefined : conflict;
  });
}

/** What the audit log calls a person by. */
async function findNamed(kv: Deno.Kv, userId: string): Promise<Pick<User, "id" | "email">> {
  return (await kv.get<User>(keyOf.user(userId))).value ?? { id: userId, email: userId };
}

function addMemberAudit(
  atomic: Deno.AtomicOperation,
  event: "member.add" | "member.edit" | "member.remove",
  organizationId: string,
  { id, email }: Pick<User, "id" | "email">,
  from: Role | null,
  to: Role | null,
): void {
  const target = { kind: "user", id, label: email };
  if (from === to) return;
  addAudit(atomic, { event, organizationId, target, changes: { role: [from, to] } });
}

function changeMember<T>(
  kv: Deno.Kv,
  by: Changer,
  organizationId: string,
  userId: string,
  to: Role | null,
  write: (atomic: Deno.AtomicOperation, member: Membership) => T | Promise<T>,
): Promise<T> {
  return untilCommitted<T>("change the member", async () => {
    const entry = await kv.get<Membership>(keyOf.member(organizationId, userId));
    if (entry.value === null) throw new Denied(404, t("This person is not a member."));
    refuseUnlessAllowed(by, userId, entry.value.role, to);
    const { managed } = entry.value;
    // What a provider that is gone has made is as if made by hand.
    if (managed !== undefined && to !== null && await isThere(kv, keyOf.provider(managed))) {
      throw new InvalidInput(
        "role",
        t("This role comes from the groups of single sign-on: change the group there."),
      );
    }
    const atomic = kv.atomic().check(entry);
    if (entry.value.role === "owner" && to !== "owner") {
      atomic.check(await anotherOwner(kv, organizationId, userId));
    }
    const result = await write(atomic, entry.value);
    return (await atomic.commit()).ok ? result : conflict;
  });
}

async function isThere(kv: Deno.Kv, key: Deno.KvKey): Promise<boolean> {
  return (await kv.get(key)).value !== null;
}

/**
 * The witness that an owner stays. Its check makes two owners who unmake each other at the same moment
 * meet: one commit changes what the other one checks.
 */
async function anotherOwner(
  kv: Deno.Kv,
  organizationId: string,
  userId: string,
): Promise<Deno.KvEntry<Membership>> {
  for await (const entry of kv.list<Membership>({ prefix: prefixOf.members(organizationId) })) {
    const { role, disabledAt } = entry.value;
    if (role === "owner" && disabledAt === undefined && entry.value.userId !== userId) return entry;
  }
  throw new InvalidInput("role", t("Make somebody else an owner first: this is the last one."));
}

function refuseUnlessAllowed(
  by: Changer,
  userId: string,
  from: Role | null,
  to: Role | null,
): void {
  const problem = roleChangeProblem({ by: by.role, isSelf: by.userId === userId, from, to });
  if (problem !== null) throw new Denied(403, problem);
}

async function readMemberships(kv: Deno.Kv, organizationId: string): Promise<Membership[]> {
  const entries = kv.list<Membership>({ prefix: prefixOf.members(organizationId) });
  return await Array.fromAsync(entries, ({ value }) => value);
}
