/**
 * Members whom a directory makes, changes, disables and removes. A disabled one keeps role and teams and is a member no more
 * until the directory says otherwise; the account itself, which may be in other organizations, stays as it is.
 */
import { Denied, InvalidInput } from "../core/errors.ts";
import { changesBetween } from "../records/audit.ts";
import { addAudit } from "./audit.ts";
import { conflict, keyOf, prefixOf, readMany, untilCommitted } from "./kv.ts";
import { addMembership, type Membership, type Role } from "./members.ts";
import { checkEmail, checkName } from "./names.ts";
import { addLeavingTeams } from "./teams.ts";
import { findUserByEmail, type User } from "./users.ts";

/** A member as a directory sees them: also one who is disabled. */
export interface ProvisionedMember extends Membership {
  readonly user: User;
}

/** What a directory says of somebody; absent: nothing. */
export interface Provision {
  /** By which the directory knows them; the address, mostly. */
  readonly userName?: string;
  readonly externalId?: string | null;
  readonly name?: string;
  readonly isActive?: boolean;
  readonly role?: Role;
}

/** All members, disabled ones as well, by email. */
export async function listProvisioned(
  kv: Deno.Kv,
  organizationId: string,
): Promise<ProvisionedMember[]> {
  const entries = kv.list<Membership>({ prefix: prefixOf.members(organizationId) });
  const memberships = await Array.fromAsync(entries, ({ value }) => value);
  const users = await readMany<User>(kv, memberships.map(({ userId }) => keyOf.user(userId)));
  const userOf = new Map(users.map((user) => [user.id, user]));
  return memberships
    .flatMap((membership) => {
      const user = userOf.get(membership.userId);
      return user === undefined ? [] : [{ ...membership, user }];
    })
    .sort((a, b) => a.user.email < b.user.email ? -1 : 1);
}

/** One member, disabled or not, or null. @param userId what a client sent, whatever it is */
export async function findProvisioned(
  kv: Deno.Kv,
  organizationId: string,
  userId: string,
): Promise<ProvisionedMember | null> {
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
 * Makes somebody a member: with the account that their confirmed address has, or with a new one without a password, into
 * which a provider or a reset leads them.
 *
 * @param email their address
 * @throws {InvalidInput} `taken` for who is a member already, disabled or not, and for an address whose account has not
 *   confirmed it: whoever made that account need not be who the directory means
 * @throws {Denied} 404 when there is no such organization
 */
export async function provisionMember(
  kv: Deno.Kv,
  organizationId: string,
  email: string,
  { userName, externalId = null, name, isActive = true, role = "member" }: Provision,
): Promise<ProvisionedMember> {
  const address = checkEmail(email);
  return await untilCommitted<ProvisionedMember>("provision the member", async () => {
    const organization = await kv.get(keyOf.organization(organizationId));
    if (organization.value === null) throw new Denied(404, "There is no such organization.");
    const known = await findUserByEmail(kv, address);
    const user = known ?? newUser(address, name);
    const [account, member] = await kv.getMany<[User, Membership]>([
      keyOf.user(user.id),
      keyOf.member(organizationId, user.id),
    ]);
    if (member.value !== null) {
      throw new InvalidInput("userName", "There is a member of this address already.", "taken");
    }
    if (known !== null && known.emailVerifiedAt === undefined) {
      throw new InvalidInput(
        "userName",
        "The account of this address has not confirmed it: invite the person, or have them confirm it.",
        "taken",
      );
    }
    const membership: Membership = {
      organizationId,
      userId: user.id,
      role,
      addedAt: new Date(),
      directory: { userName: userName ?? address, externalId, madeAccount: known === null },
      ...isActive ? {} : { disabledAt: new Date() },
    };
    const atomic = kv.atomic().check(organization, account, member);
    if (known === null) addAccount(atomic, user);
    write(atomic, membership);
    tellOf(atomic, "member.add", user, null, membership);
    return (await atomic.commit()).ok ? { ...membership, user } : conflict;
  });
}

function newUser(email: string, name: string | undefined): User {
  return {
    id: crypto.randomUUID(),
    email,
    name: checkName("name", name ?? email.split("@")[0] ?? email),
    createdAt: new Date(),
    isInstanceAdmin: false,
  };
}

/** Without a credential: nobody can guess a password that there is not. */
function addAccount(atomic: Deno.AtomicOperation, user: User): void {
  atomic.check({ key: keyOf.userByEmail(user.email), versionstamp: null })
    .set(keyOf.userByEmail(user.email), user.id)
    .set(keyOf.user(user.id), user);
}

/**
 * Makes what a directory says of a member true. The name changes only of an account that this directory made.
 *
 * @throws {Denied} 404 for who is no member
 * @throws {InvalidInput} when it would leave the organization without an owner
 */
export async function updateProvisioned(
  kv: Deno.Kv,
  organizationId: string,
  userId: string,
  provision: Provision,
): Promise<ProvisionedMember> {
  return await untilCommitted<ProvisionedMember>("update the member", async () => {
    const [account, entry] = await kv.getMany<[User, Membership]>([
      keyOf.user(userId),
      keyOf.member(organizationId, userId),
    ]);
    if (entry.value === null || account.value === null) throw noMember();
    const before = entry.value;
    const after = changed(before, account.value, provision);
    const user = renamed(before, account.value, provision.name);
    const atomic = kv.atomic().check(account, entry);
    await keepAnOwner(kv, atomic, before, isOwner(after));
    write(atomic, after);
    if (user !== account.value) atomic.set(account.key, user);
    tellOf(atomic, "member.edit", user, before, after);
    return (await atomic.commit()).ok ? { ...after, user } : conflict;
  });
}

/** Takes a member out of the organization and its teams; the account stays. @throws as `updateProvisioned()` */
export async function unprovision(
  kv: Deno.Kv,
  organizationId: string,
  userId: string,
): Promise<void> {
  await untilCommitted("remove the member", async () => {
    const member = await findProvisioned(kv, organizationId, userId);
    const entry = await kv.get<Membership>(keyOf.member(organizationId, userId));
    if (member === null || entry.value === null) throw noMember();
    const atomic = kv.atomic().check(entry);
    await keepAnOwner(kv, atomic, entry.value, false);
    await addLeavingTeams(kv, atomic, organizationId, userId);
    atomic.delete(entry.key).delete(keyOf.membership(userId, organizationId));
    tellOf(atomic, "member.remove", member.user, entry.value, null);
    return (await atomic.commit()).ok ? null : conflict;
  });
}

function changed(before: Membership, user: User, provision: Provision): Membership {
  const { directory, disabledAt, ...rest } = before;
  const { userName, externalId, isActive = disabledAt === undefined, role } = provision;
  return {
    ...rest,
    role: role ?? before.role,
    directory: {
      userName: userName ?? directory?.userName ?? user.email,
      externalId: externalId === undefined ? directory?.externalId ?? null : externalId,
      madeAccount: directory?.madeAccount ?? false,
    },
    ...isActive ? {} : { disabledAt: disabledAt ?? new Date() },
  };
}

function renamed({ directory }: Membership, user: User, name: string | undefined): User {
  if (name === undefined || !directory?.madeAccount || name === user.name) return user;
  return { ...user, name: checkName("name", name) };
}

/** The index makes people see the organization: who is disabled is not in it. */
function write(atomic: Deno.AtomicOperation, membership: Membership): void {
  const { organizationId, userId, disabledAt } = membership;
  addMembership(atomic, membership);
  if (disabledAt !== undefined) atomic.delete(keyOf.membership(userId, organizationId));
}

function isOwner({ role, disabledAt }: Membership): boolean {
  return role === "owner" && disabledAt === undefined;
}

/** One commit changes what the other one checks: two owners cannot end each other at the same moment. */
async function keepAnOwner(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  before: Membership,
  staysOwner: boolean,
): Promise<void> {
  if (!isOwner(before) || staysOwner) return;
  const { organizationId, userId } = before;
  for await (const entry of kv.list<Membership>({ prefix: prefixOf.members(organizationId) })) {
    if (isOwner(entry.value) && entry.value.userId !== userId) return void atomic.check(entry);
  }
  throw new InvalidInput("active", "The last owner of an organization stays its owner.");
}

function tellOf(
  atomic: Deno.AtomicOperation,
  event: string,
  { id, email }: User,
  before: Membership | null,
  after: Membership | null,
): void {
  const told = (membership: Membership | null) =>
    membership && {
      role: membership.role,
      isActive: membership.disabledAt === undefined,
      externalId: membership.directory?.externalId ?? null,
    };
  const changes = changesBetween(told(before), told(after));
  if (event === "member.edit" && Object.keys(changes).length === 0) return;
  addAudit(atomic, {
    event,
    organizationId: (after ?? before)?.organizationId ?? null,
    target: { kind: "member", id, label: email },
    changes,
  });
}

function noMember(): Denied {
  return new Denied(404, "There is no such member.");
}
