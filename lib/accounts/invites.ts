/**
 * Invitations: how people become members. The answer to whoever invites is the same whether or not the address has an
 * account, and nothing is shown of one. Who joins is decided by who holds the link; where an invitation is bound to its
 * address, by the address of their account as well. An address alone gets nobody in: an account that somebody made for
 * another person's address gets nothing by it.
 */
import { t } from "../core/language/translate.ts";
import { Denied, InvalidInput } from "../core/errors.ts";
import { DAY_MS, MINUTE_MS } from "../core/time.ts";
import { changesBetween } from "../records/audit.ts";
import { addressGroup, type AttemptLimit, countAttempt, forgiveAttempt } from "./attempts.ts";
import { addAudit } from "./audit.ts";
import { conflict, keyOf, prefixOf, readIndex, readMany, untilCommitted } from "./kv.ts";
import {
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
import { findTeam } from "./teams.ts";
import { findUser, findUserByEmail } from "./users.ts";

/** Of a link. */
export const INVITE_LIFETIME_MS = 7 * DAY_MS;
/** Of one organization; more is no team that is invited by hand. */
const MAX_OPEN = 500;
/** A day, as Sentry's: more is no team that grows, and mails to one address are a nuisance. */
const MAX_BY_PERSON = 100;
const MAX_IN_ORGANIZATION = 100;
const MAX_TO_ADDRESS = 10;
/** Links that do not hold, of one client in a quarter of an hour. */
const MAX_GUESSES = 30;
const MAX_TEAMS = 20;

export interface Invite {
  readonly organizationId: string;
  /** As it was typed, lower case. Tells the members whom they wait for; it gives nobody a right. */
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Into which whoever joins is put; those that are gone by then are left out. Absent: none. */
  readonly teamIds?: readonly string[];
  /** Only an account of this address may join. Absent: whoever holds the link. */
  readonly onlyThisAddress?: boolean;
  /** The link went by mail and nobody else has seen it: who opens it reads the mail of this address. */
  readonly isByMail?: boolean;
}

interface NewInvite {
  readonly email: string;
  readonly role: Role;
  /** @default none */
  readonly teamIds?: readonly string[];
  /** @default for admins, managers and owners */
  readonly onlyThisAddress?: boolean;
  /** The caller sends the link and shows it to nobody. @default false */
  readonly isByMail?: boolean;
}

/** The id of an invitation, by which the API names it: 32 hex digits. */
export function inviteIdOf({ organizationId, email }: Invite): string {
  return sha256(`invite/${organizationId}/${email}`).slice(0, 32);
}

/** Whether invitations to a role are bound to their address, unless somebody says otherwise. */
export function isBoundByDefault(role: Role): boolean {
  return roleAllows(role, "member:write");
}

/** An invitation that holds. */
export interface OpenInvite {
  readonly invite: Invite;
  readonly organization: Organization;
  /** Who invited, in the role that they have by now. */
  readonly by: Changer;
}

/**
 * Invites somebody; an open invitation of the same address is replaced, and its link does not hold any more.
 *
 * @param now milliseconds since 1970
 * @returns with the token for the link, which the store does not know
 * @throws {InvalidInput} for a malformed address, that of a member, a role that `by` may not give, teams that there are not,
 *   and more invitations than a day has
 * @throws {Denied} 403 for who is no person, and for who may invite nobody
 */
export async function createInvite(
  kv: Deno.Kv,
  by: Changer,
  organizationId: string,
  input: NewInvite,
  now: number = Date.now(),
): Promise<{ invite: Invite; token: string }> {
  if (by.userId === null) throw new Denied(403, t("Only people can invite."));
  const invite = await checkInvite(
    kv,
    { role: by.role, userId: by.userId },
    organizationId,
    input,
    now,
  );
  await countInvite(kv, invite, now);
  const token = newSecret();
  await untilCommitted("invite somebody", async () => {
    const former = await kv.get<string>(keyOf.inviteOf(organizationId, invite.email));
    const before = former.value && (await kv.get<Invite>(keyOf.invite(former.value))).value;
    const id = sha256(token);
    const atomic = kv.atomic().check(former);
    if (former.value !== null) atomic.delete(keyOf.invite(former.value));
    atomic.set(former.key, id, { expireIn: INVITE_LIFETIME_MS })
      .set(keyOf.invite(id), invite, { expireIn: INVITE_LIFETIME_MS });
    tellOfInvite(atomic, "member.invite", before || null, invite);
    return (await atomic.commit()).ok ? null : conflict;
  });
  return { invite, token };
}

async function checkInvite(
  kv: Deno.Kv,
  by: { readonly role: Role; readonly userId: string },
  organizationId: string,
  input: NewInvite,
  now: number,
): Promise<Invite> {
  const email = checkEmail(input.email);
  const problem = roleChangeProblem({ by: by.role, isSelf: false, from: null, to: input.role });
  if (problem !== null) {
    if (!roleAllows(by.role, "member:write")) throw new Denied(403, problem);
    throw new InvalidInput("role", problem);
  }
  const known = await findUserByEmail(kv, email);
  if (await roleOf(kv, organizationId, known?.id ?? "nobody") !== null) {
    throw new InvalidInput(
      "email",
      t("This person is a member already: change the role."),
      "taken",
    );
  }
  if ((await readIndex(kv, prefixOf.invites(organizationId))).length >= MAX_OPEN) {
    throw new InvalidInput(
      "email",
      t("{max} invitations are open: withdraw some first.", { max: MAX_OPEN }),
    );
  }
  return {
    organizationId,
    email,
    role: input.role,
    invitedBy: by.userId,
    createdAt: new Date(now),
    expiresAt: new Date(now + INVITE_LIFETIME_MS),
    teamIds: await checkTeams(kv, organizationId, input.teamIds ?? []),
    onlyThisAddress: input.onlyThisAddress ?? isBoundByDefault(input.role),
    isByMail: input.isByMail ?? false,
  };
}

/** Ids of teams that there are. @throws {InvalidInput} */
export async function checkTeams(
  kv: Deno.Kv,
  organizationId: string,
  teamIds: readonly string[],
): Promise<string[]> {
  const organization = await findOrganization(kv, organizationId);
  const ids = [...new Set(teamIds)];
  if (organization === null) throw new Denied(404, t("There is no such organization."));
  if (ids.length > MAX_TEAMS) {
    throw new InvalidInput("teams", t("Choose at most {max} teams.", { max: MAX_TEAMS }));
  }
  const teams = await Promise.all(ids.map((id) => findTeam(kv, organization, id)));
  if (teams.some((team) => team === null)) {
    throw new InvalidInput("teams", t("Choose teams of this organization."));
  }
  return teams.flatMap((team) => team === null || team.isEveryone ? [] : [team.id]);
}

async function countInvite(kv: Deno.Kv, invite: Invite, now: number): Promise<void> {
  const windowSec = DAY_MS / 1000;
  const { email, invitedBy, organizationId } = invite;
  const limits: AttemptLimit[] = [
    { kind: "invites_by", subject: invitedBy, max: MAX_BY_PERSON, windowSec },
    { kind: "invites_in", subject: organizationId, max: MAX_IN_ORGANIZATION, windowSec },
    { kind: "invites_to", subject: sha256(email), max: MAX_TO_ADDRESS, windowSec },
  ];
  if ((await countAttempt(kv, limits, now)).ok) return;
  throw new InvalidInput("email", t("Too many invitations for one day: go on tomorrow."));
}

/**
 * Makes a new link for an open invitation, which holds for seven days again; the link before does not hold any more.
 *
 * @param isByMail the caller sends it and shows it to nobody
 * @throws {Denied} 404 when nobody of this address is invited, 403 for who may not invite to its role
 * @throws {InvalidInput} as `createInvite()`
 */
export async function renewInvite(
  kv: Deno.Kv,
  by: Changer,
  organizationId: string,
  email: string,
  isByMail: boolean,
  now: number = Date.now(),
): Promise<{ invite: Invite; token: string }> {
  const open = (await listInvites(kv, organizationId, now)).find((each) => each.email === email);
  if (open === undefined) throw new Denied(404, t("Nobody of this email is invited."));
  const { role, teamIds = [], onlyThisAddress = false } = open;
  return await createInvite(kv, by, organizationId, {
    email,
    role,
    teamIds: await stillThere(kv, organizationId, teamIds),
    onlyThisAddress,
    isByMail,
  }, now);
}

async function stillThere(
  kv: Deno.Kv,
  organizationId: string,
  teamIds: readonly string[],
): Promise<string[]> {
  return (await readMany<{ id: string }>(kv, teamIds.map((id) => keyOf.team(organizationId, id))))
    .map(({ id }) => id);
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
 * @throws {Denied} 403 for who may not decide about somebody of its role
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
  await untilCommitted("withdraw the invitation", async () => {
    const index = await kv.get<string>(keyOf.inviteOf(organizationId, normalizeEmail(email) ?? ""));
    if (index.value === null) return null;
    const { value: invite } = await kv.get<Invite>(keyOf.invite(index.value));
    const atomic = kv.atomic().check(index).delete(index.key).delete(keyOf.invite(index.value));
    if (invite !== null) {
      const problem = roleChangeProblem({
        by: by.role,
        isSelf: false,
        from: invite.role,
        to: null,
      });
      if (problem !== null) throw new Denied(403, problem);
      tellOfInvite(atomic, "member.remove", invite, null);
    }
    return (await atomic.commit()).ok ? null : conflict;
  });
}

function tellOfInvite(
  atomic: Deno.AtomicOperation,
  event: string,
  before: Invite | null,
  after: Invite | null,
): void {
  const invite = after ?? before;
  if (invite === null) return;
  addAudit(atomic, {
    event,
    organizationId: invite.organizationId,
    target: { kind: "invite", id: inviteIdOf(invite), label: invite.email },
    changes: changesBetween(before && told(before), after && told(after)),
  });
}

/** What the audit log tells of an invitation. */
function told({ role, teamIds, onlyThisAddress, isByMail, expiresAt }: Invite) {
  return { role, teamIds, onlyThisAddress, isByMail, expiresAt };
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
 * Like {@linkcode findInvite} for a link that somebody shows from outside: those that do not hold are counted, so that
 * nobody tries many.
 *
 * @param address of the client
 * @returns null also for who has tried too many
 */
export async function findShownInvite(
  kv: Deno.Kv,
  token: string,
  address: string,
  now: number = Date.now(),
): Promise<OpenInvite | null> {
  const limit: AttemptLimit = {
    kind: "invite_guesses",
    subject: addressGroup(address),
    max: MAX_GUESSES,
    windowSec: 15 * MINUTE_MS / 1000,
  };
  if (!(await countAttempt(kv, [limit], now)).ok) return null;
  const found = await findInvite(kv, token, now);
  if (found !== null) await forgiveAttempt(kv, [limit], now);
  return found;
}
