/** How the holder of an invitation's link becomes a member, with the account that they have or with a new one. */
import { Denied, InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { currentScope } from "../core/request_scope.ts";
import { countAttempt } from "./attempts.ts";
import { addAudit } from "./audit.ts";
import { findInvite, type Invite, INVITE_LIFETIME_MS, type OpenInvite } from "./invites.ts";
import { keyOf } from "./kv.ts";
import { addMember, addMembership } from "./members.ts";
import { normalizeEmail } from "./names.ts";
import type { Organization } from "./organizations.ts";
import { sha256 } from "./secrets.ts";
import { findTeam, joinTeam } from "./teams.ts";
import { createUser, type NewUser, type User } from "./users.ts";

/** Accounts that one link may try to make: each try tells whether its address has an account. */
const MAX_TRIES = 20;

/** Why an account of this address may not join by an invitation, as a sentence; null when it may. */
export function addressProblem({ email, onlyThisAddress }: Invite, address: string): string | null {
  if (!onlyThisAddress || normalizeEmail(address) === email) return null;
  return t("This invitation is for {email} only.", { email });
}

/**
 * Makes the holder of a link a member; the link is used up.
 *
 * @throws {InvalidInput} when the invitation does not hold or is for another address, or the user is a member already
 */
export async function acceptInvite(kv: Deno.Kv, token: string, userId: string): Promise<void> {
  const { invite, organization, by } = await requireInvite(kv, token);
  await addMember(kv, by, organization.id, userId, invite.role, async (atomic) => {
    const { value: user } = await kv.get<User>(keyOf.user(userId));
    if (user === null) throw gone();
    refuseOtherAddress(invite, user.email);
    await spend(kv, atomic, token);
    // `addMember()` checks that the account is as it was read.
    if (provesAddress(invite, user)) atomic.set(keyOf.user(userId), verified(user));
    tellOfJoining(atomic, invite, user);
  });
  await joinTeams(kv, organization, invite, userId);
}

/**
 * Makes an account for the holder of a link, who chooses address and password, and makes it a member; the link is used up.
 *
 * @throws {InvalidInput} when the invitation does not hold or is for another address, or naming the field that is refused
 * @throws {HashingBusy}
 */
export async function joinAsNewUser(
  kv: Deno.Kv,
  token: string,
  input: NewUser,
  now: number = Date.now(),
): Promise<User> {
  const { invite, organization } = await requireInvite(kv, token);
  const { organizationId, role } = invite;
  refuseOtherAddress(invite, input.email);
  const windowSec = INVITE_LIFETIME_MS / 1000;
  const limit = { kind: "invite", subject: sha256(token), max: MAX_TRIES, windowSec };
  if (!(await countAttempt(kv, [limit], now)).ok) {
    throw new InvalidInput("", t("Too many tries with this invitation: ask for a new one."));
  }
  const user = await createUser(kv, input, async (atomic, made) => {
    await spend(kv, atomic, token);
    if (provesAddress(invite, made)) atomic.set(keyOf.user(made.id), verified(made));
    addMembership(atomic, { organizationId, userId: made.id, role, addedAt: made.createdAt });
    tellOfJoining(atomic, invite, made);
  });
  await joinTeams(kv, organization, invite, user.id);
  return provesAddress(invite, user) ? verified(user) : user;
}

function refuseOtherAddress(invite: Invite, address: string): void {
  const problem = addressProblem(invite, address);
  if (problem !== null) throw new InvalidInput("email", problem);
}

/** Only the mail: a link that was handed over may have been seen by anybody. */
function provesAddress({ isByMail, email }: Invite, user: User): boolean {
  return isByMail === true && user.email === email && user.emailVerifiedAt === undefined;
}

function verified(user: User): User {
  return { ...user, emailVerifiedAt: new Date() };
}

/** Says both addresses: that of the invitation and that of who came. */
function tellOfJoining(atomic: Deno.AtomicOperation, invite: Invite, user: User): void {
  addAudit(atomic, {
    event: "member.accept-invite",
    organizationId: invite.organizationId,
    target: { kind: "member", id: user.id, label: user.email },
    changes: { role: [null, invite.role], invitedAs: [null, invite.email] },
    // Who makes an account by a link is nobody before.
    by: { ...currentScope().asker, kind: "user", id: user.id, label: user.email },
  });
}

/** Teams that are gone or full by now are left out: they are no reason to be refused. */
async function joinTeams(
  kv: Deno.Kv,
  organization: Organization,
  { teamIds = [] }: Invite,
  userId: string,
): Promise<void> {
  for (const id of teamIds) {
    const team = await findTeam(kv, organization, id);
    if (team === null) continue;
    try {
      await joinTeam(kv, team, userId);
    } catch (error) {
      if (!(error instanceof InvalidInput || error instanceof Denied)) throw error;
    }
  }
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
  return new InvalidInput("", t("This invitation does not hold any more: ask for a new one."));
}
