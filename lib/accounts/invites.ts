/**
 * Invitations: how people become members. The answer to whoever invites is the same whether or not the address has an
 * account, and nothing is shown of one. Who joins is decided by who holds the link, never by the address, which nobody has
 * verified: an account that somebody made for another person's address gets nothing by it.
 */
import { t } from "../core/language/translate.ts";
import { DAY_MS } from "../core/time.ts";
import { countAttempt } from "./attempts.ts";
import { Denied, InvalidInput } from "../core/errors.ts";
import { conflict, keyOf, prefixOf, readIndex, readMany, untilCommitted } from "./kv.ts";
import {
  addMember,
  addMembership,
  type Changer,
  effectiveRole,
  type Role,
  roleAllows,
  roleChangeProblem,
  roleOf,
} from "./members.ts";
import { checkEmail, normalizeEmail } from "./names.ts";
import { findOrganization, type Organization } from "./organizations.ts";
import { newSecret, sha256 } from "./secrets.ts";
import { createUser, findUser, findUserByEmail, type NewUser, type User } from "./users.ts";

const LIFETIME_MS = 7 * DAY_MS;
/** Of one organization; more is no team that is invited by hand. */
const MAX_OPEN = 500;
/** Accounts that one link may try to make: each try tells whether its address has an account. */
const MAX_TRIES = 20;

export interface Invite {
  readonly organizationId: string;
  /** As it was typed, lower case. Tells the members whom they wait for; it gives nobody a right. */
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** An invitation that holds. */
export interface OpenInvite {
  readonly invite: Invite;
  readonly organization: Organization;
  /** Who invited, in the role that they have by now. */
  readonly by: Changer;
}

/**
 * Invites somebody; an open invitation of the same address is replaced.
 *
 * @param now milliseconds since 1970
 * @returns with the token for the link, which the store does not know
 * @throws {InvalidInput} for a malformed address, that of a member, and a role that `by` may not give
 * @throws {Denied} 403 for who is no person
 */
export async function createInvite(
  kv: Deno.Kv,
  by: Changer,
  organizationId: string,
  input: { readonly email: string; readonly role: Role },
  now: number = Date.now(),
): Promise<{ invite: Invite; token: string }> {
  if (by.userId === null) throw new Denied(403, "Only people can invite.");
  const email = checkEmail(input.email);
  const problem = roleChangeProblem({ by: by.role, isSelf: false, from: null, to: input.role });
  if (problem !== null) throw new InvalidInput("role", problem);
  const known = await findUserByEmail(kv, email);
  if (await roleOf(kv, organizationId, known?.id ?? "nobody") !== null) {
    throw new InvalidInput("email", "This person is a member already: change the role.", "taken");
  }
  if ((await readIndex(kv, prefixOf.invites(organizationId))).length >= MAX_OPEN) {
    throw new InvalidInput("email", `${MAX_OPEN} invitations are open: withdraw some first.`);
  }
  const token = newSecret();
  const invite: Invite = {
    organizationId,
    email,
    role: input.role,
    invitedBy: by.userId,
    createdAt: new Date(now),
    expiresAt: new Date(now + LIFETIME_MS),
  };
  await untilCommitted("invite somebody", async () => {
    const former = await kv.get<string>(keyOf.inviteOf(organizationId, email));
    const id = sha256(token);
    const atomic = kv.atomic().check(former);
    if (former.value !== null) atomic.delete(keyOf.invite(former.value));
    const committed = await atomic
      .set(former.key, id, { expireIn: LIFETIME_MS })
      .set(keyOf.invite(id), invite, { expireIn: LIFETIME_MS })
      .commit();
    return committed.ok ? null : conflict;
  });
  return { invite, token };
}

/** The open invitations of an organization, by address. */
export async function listInvites(
  kv: Deno.Kv,
  organizationId: string,
  now: number = Date.now(),
): Promise<Invite[]> {
  const ids = await readIndex(kv, prefixOf.invites(organizationId));
  const invites = await readMany<Invite>(kv, ids.map((id) => keyOf.invite(id)));
  return invites.filter(({ expiresAt }) => expiresAt.getTime() > now)
    .sort((a, b) => a.email < b.email ? -1 : 1);
}

/**
 * Takes an invitation back; does nothing when there is none.
 *
 * @throws {Denied} 403 for who may not decide about members
 */
export async function withdrawInvite(
  kv: Deno.Kv,
  by: Changer,
  organizationId: string,
  email: string,
): Promise<void> {
  if (!roleAllows(by.role, "member:write")) {
    throw new Denied(403, t("Only admins, managers and owners can change members."));
  }
  const index = await kv.get<string>(keyOf.inviteOf(organizationId, normalizeEmail(email) ?? ""));
  if (index.value === null) return;
  await kv.atomic().check(index).delete(index.key).delete(keyOf.invite(index.value)).commit();
}

/**
 * The invitation of a link, or null when it does not hold: unknown, used, withdrawn, expired, or made by somebody who
 * could not invite so any more.
 *
 * @param token what a browser sent, whatever it is
 * @param now milliseconds since 1970
 */
export async function findInvite(
  kv: Deno.Kv,
  token: string,
  now: number = Date.now(),
): Promise<OpenInvite | null> {
  const { value: invite } = await kv.get<Invite>(keyOf.invite(sha256(token)));
  if (invite === null || invite.expiresAt.getTime() <= now) return null;
  const organization = await findOrganization(kv, invite.organizationId);
  const inviter = await findUser(kv, invite.invitedBy);
  if (organization === null || inviter === null) return null;
  const role = await effectiveRole(kv, organization.id, inviter);
  if (role === null) return null;
  const problem = roleChangeProblem({ by: role, isSelf: false, from: null, to: invite.role });
  return problem === null ? { invite, organization, by: { role, userId: inviter.id } } : null;
}

/**
 * Makes the holder of a link a member; the link is used up.
 *
 * @throws {InvalidInput} when the invitation does not hold, or the user is a member already
 */
export async function acceptInvite(kv: Deno.Kv, token: string, userId: string): Promise<void> {
  const { invite: { organizationId, role }, by } = await requireInvite(kv, token);
  await addMember(kv, by, organizationId, userId, role, (atomic) => spend(kv, atomic, token));
}

/**
 * Makes an account for the holder of a link, who chooses address and password, and makes it a member; the link is used up.
 *
 * @throws {InvalidInput} when the invitation does not hold, or naming the field that is refused
 * @throws {HashingBusy}
 */
export async function joinAsNewUser(
  kv: Deno.Kv,
  token: string,
  input: NewUser,
  now: number = Date.now(),
): Promise<User> {
  const { invite: { organizationId, role } } = await requireInvite(kv, token);
  const windowSec = LIFETIME_MS / 1000;
  const limit = { kind: "invite", subject: sha256(token), max: MAX_TRIES, windowSec };
  if (!(await countAttempt(kv, [limit], now)).ok) {
    throw new InvalidInput("", "Too many tries with this invitation: ask for a new one.");
  }
  return await createUser(kv, input, async (atomic, user) => {
    await spend(kv, atomic, token);
    addMembership(atomic, { organizationId, userId: user.id, role, addedAt: user.createdAt });
  });
}

async function requireInvite(kv: Deno.Kv, token: string): Promise<OpenInvite> {
  const found = await findInvite(kv, token);
  if (found === null) throw gone();
  return found;
}

/**
 * Adds the end of an invitation to a commit, which fails when somebody else is using it at this moment, or changes what
 * the one who invited is. Hashing the password of a new account takes long enough for either.
 */
async function spend(kv: Deno.Kv, atomic: Deno.AtomicOperation, token: string): Promise<void> {
  const entry = await kv.get<Invite>(keyOf.invite(sha256(token)));
  if (entry.value === null) throw gone();
  const { organizationId, invitedBy } = entry.value;
  atomic.check(await kv.get(keyOf.member(organizationId, invitedBy)));
  await requireInvite(kv, token);
  atomic.check(entry)
    .delete(entry.key)
    .delete(keyOf.inviteOf(entry.value.organizationId, entry.value.email));
}

function gone(): InvalidInput {
  return new InvalidInput("", "This invitation does not hold any more: ask for a new one.");
}
