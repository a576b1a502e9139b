/**
 * Requests for somebody to become a member: members propose others, and who has an account asks for themselves where the
 * organization allows it. Whoever may invite decides.
 */
import { Denied, InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { DAY_MS } from "../core/time.ts";
import { changesBetween } from "../records/audit.ts";
import { countAttempt } from "./attempts.ts";
import { addAudit } from "./audit.ts";
import { checkTeams, createInvite, type Invite } from "./invites.ts";
import { JOIN_ROLES, joinPolicyOf, type JoinRole } from "./join_policy.ts";
import { keyOf, prefixOf } from "./kv.ts";
import { addMember, type Changer, type Role, roleAllows, roleOf } from "./members.ts";
import { checkEmail } from "./names.ts";
import { sha256 } from "./secrets.ts";
import { findTeam, joinTeam } from "./teams.ts";
import { findUser, findUserByEmail, type User } from "./users.ts";

/** Whoever did not decide by then will not. */
export const LIFETIME_MS = 30 * DAY_MS;
const MAX_OPEN = 200;
const MAX_A_DAY = 20;

export interface JoinRequest {
  /** 32 hex digits; the same for the same address. */
  readonly id: string;
  readonly organizationId: string;
  readonly email: string;
  /** Of who asks for themselves; null: a member proposes somebody. */
  readonly userId: string | null;
  readonly role: JoinRole;
  readonly teamIds: readonly string[];
  /** Who asks. */
  readonly requestedBy: string;
  readonly createdAt: Date;
}

interface Proposal {
  readonly email: string;
  readonly role: Role;
  readonly teamIds?: readonly string[];
}

/**
 * Proposes that somebody be invited.
 *
 * @throws {InvalidInput} for a malformed address, that of a member, another role than viewer or member, teams that there are
 *   not, and too many
 * @throws {Denied} 403 for who is no person
 */
export async function proposeInvite(
  kv: Deno.Kv,
  by: Changer,
  organizationId: string,
  proposal: Proposal,
  now: number = Date.now(),
): Promise<JoinRequest> {
  if (by.userId === null) throw new Denied(403, t("Only people can propose somebody."));
  const email = checkEmail(proposal.email);
  const known = await findUserByEmail(kv, email);
  if (await roleOf(kv, organizationId, known?.id ?? "nobody") !== null) {
    throw new InvalidInput("email", t("This person is a member already."), "taken");
  }
  const role = JOIN_ROLES.find((each) => each === proposal.role);
  if (role === undefined) {
    throw new InvalidInput(
      "role",
      t("Propose a viewer or a member: whoever decides may give more."),
    );
  }
  const teamIds = await checkTeams(kv, organizationId, proposal.teamIds ?? []);
  return await add(kv, {
    id: idOf(organizationId, email),
    organizationId,
    email,
    userId: null,
    role,
    teamIds,
    requestedBy: by.userId,
    createdAt: new Date(now),
  });
}

/**
 * Asks to become a member.
 *
 * @throws {Denied} 404 when the organization takes no requests: nobody is told that there is one
 * @throws {InvalidInput} for who is a member already, and too many
 */
export async function askToJoin(
  kv: Deno.Kv,
  user: User,
  organizationId: string,
  now: number = Date.now(),
): Promise<JoinRequest> {
  const { allowsRequests } = await joinPolicyOf(kv, organizationId);
  if (!allowsRequests) throw new Denied(404, t("The requested resource does not exist."));
  if (await roleOf(kv, organizationId, user.id) !== null) {
    throw new InvalidInput("", t("You are a member already."));
  }
  return await add(kv, {
    id: idOf(organizationId, user.email),
    organizationId,
    email: user.email,
    userId: user.id,
    role: "viewer",
    teamIds: [],
    requestedBy: user.id,
    createdAt: new Date(now),
  });
}

function idOf(organizationId: string, email: string): string {
  return sha256(`request/${organizationId}/${email}`).slice(0, 32);
}

async function add(kv: Deno.Kv, request: JoinRequest): Promise<JoinRequest> {
  const { id, organizationId, requestedBy, createdAt } = request;
  const windowSec = DAY_MS / 1000;
  const limit = { kind: "join_requests", subject: requestedBy, max: MAX_A_DAY, windowSec };
  const isMany = !(await countAttempt(kv, [limit], createdAt.getTime())).ok ||
    (await listJoinRequests(kv, organizationId)).length >= MAX_OPEN;
  if (isMany) throw new InvalidInput("email", t("Too many requests: go on tomorrow."));
  const atomic = kv.atomic()
    .set(keyOf.joinRequest(organizationId, id), request, { expireIn: LIFETIME_MS });
  tellOf(atomic, "invite-request.create", null, request);
  await atomic.commit();
  return request;
}

/** The open requests of an organization, by email. */
export async function listJoinRequests(
  kv: Deno.Kv,
  organizationId: string,
): Promise<JoinRequest[]> {
  const entries = kv.list<JoinRequest>({ prefix: prefixOf.joinRequests(organizationId) });
  return (await Array.fromAsync(entries, ({ value }) => value))
    .sort((a, b) => a.email < b.email ? -1 : 1);
}

/** A request by its id, or null. @param id what a client sent, whatever it is */
export async function findJoinRequest(
  kv: Deno.Kv,
  organizationId: string,
  id: string,
): Promise<JoinRequest | null> {
  if (!/^[0-9a-f]{32}$/.test(id)) return null;
  return (await kv.get<JoinRequest>(keyOf.joinRequest(organizationId, id))).value;
}

/**
 * Ends a request without making anybody a member; one that is gone changes nothing.
 *
 * @throws {Denied} 403 for who neither decides nor made it
 */
export async function declineRequest(
  kv: Deno.Kv,
  by: Changer,
  request: JoinRequest,
): Promise<void> {
  if (!roleAllows(by.role, "member:write") && by.userId !== request.requestedBy) throw mayNot();
  const entry = await kv.get<JoinRequest>(keyOf.joinRequest(request.organizationId, request.id));
  if (entry.value === null) return;
  const atomic = kv.atomic().check(entry).delete(entry.key);
  tellOf(atomic, "invite-request.remove", entry.value, null);
  await atomic.commit();
}

/** What became of a request: who asked is a member, or who was proposed is invited by a link. */
export type Approval =
  | { readonly kind: "joined"; readonly user: User }
  | { readonly kind: "invited"; readonly invite: Invite; readonly token: string };

/**
 * Grants a request.
 *
 * @param isByMail as for {@linkcode createInvite}
 * @throws {Denied} 403 for who may not invite to the role
 * @throws {InvalidInput} as `createInvite()` and `addMember()`
 */
export async function approveRequest(
  kv: Deno.Kv,
  by: Changer,
  request: JoinRequest,
  { role, isByMail }: { readonly role: Role; readonly isByMail: boolean },
): Promise<Approval> {
  if (!roleAllows(by.role, "member:write")) throw mayNot();
  const { organizationId, email, userId, teamIds } = request;
  if (userId === null) {
    const input = { email, role, teamIds, isByMail };
    const made = await createInvite(kv, by, organizationId, input);
    await declineRequest(kv, by, request);
    return { kind: "invited", ...made };
  }
  const user = await findUser(kv, userId);
  if (user === null) throw new Denied(404, t("This person has no account any more."));
  await addMember(kv, by, organizationId, userId, role, (atomic) => {
    atomic.delete(keyOf.joinRequest(organizationId, request.id));
    tellOf(atomic, "invite-request.remove", request, null);
    addAudit(atomic, {
      event: "member.add",
      organizationId,
      target: { kind: "member", id: userId, label: user.email },
      changes: { role: [null, role] },
    });
    return Promise.resolve();
  });
  await joinTeams(kv, organizationId, teamIds, userId);
  return { kind: "joined", user };
}

async function joinTeams(
  kv: Deno.Kv,
  organizationId: string,
  teamIds: readonly string[],
  userId: string,
): Promise<void> {
  for (const id of teamIds) {
    const team = await findTeam(kv, { id: organizationId, createdAt: new Date() }, id);
    if (team !== null) await joinTeam(kv, team, userId);
  }
}

function mayNot(): Denied {
  return new Denied(403, t("Only admins, managers and owners can change members."));
}

function tellOf(
  atomic: Deno.AtomicOperation,
  event: string,
  before: JoinRequest | null,
  after: JoinRequest | null,
): void {
  const told = (request: JoinRequest | null) =>
    request && { role: request.role, teamIds: request.teamIds };
  const request = after ?? before;
  if (request === null) return;
  addAudit(atomic, {
    event,
    organizationId: request.organizationId,
    target: { kind: "invite-request", id: request.id, label: request.email },
    changes: changesBetween(told(before), told(after)),
  });
}
