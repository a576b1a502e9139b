/**
 * What somebody's groups at a provider make of them here. Read at each sign-in; a membership that was made so is marked
 * with the provider, and it alone is changed and ended so: who was made a member by hand stays what they are.
 */
import { currentScope } from "../../core/request_scope.ts";
import { addAudit } from "../audit.ts";
import { conflict, keyOf, prefixOf, readIndex, untilCommitted } from "../kv.ts";
import { addMembership, type Membership } from "../members.ts";
import { type Role, strongerOf } from "../roles.ts";
import { addLeavingTeams, type Team } from "../teams.ts";
import type { User } from "../users.ts";
import type { GroupRule, Provider } from "./provider.ts";

/** The rule of everybody who signs in by a provider. */
export const ANY_GROUP = "*";

interface Grant {
  readonly role: Role;
  readonly teamIds: readonly string[];
}

/** Whether a group of theirs is in the rules; that of everybody does not count. */
export function isInAnyGroup(
  { rules }: Pick<Provider, "rules">,
  groups: readonly string[],
): boolean {
  return rules.some(({ group }) => group !== ANY_GROUP && groups.includes(group));
}

/** What the rules give, by organization: the highest role of all that match, and the teams of all. */
export function grantsOf(
  rules: readonly GroupRule[],
  groups: readonly string[],
): ReadonlyMap<string, Grant> {
  const grants = new Map<string, Grant>();
  for (const { group, organizationId, role, teamIds } of rules) {
    if (group !== ANY_GROUP && !groups.includes(group)) continue;
    const known = grants.get(organizationId);
    grants.set(organizationId, {
      role: known === undefined ? role : strongerOf(role, known.role),
      teamIds: [...new Set([...known?.teamIds ?? [], ...teamIds])],
    });
  }
  return grants;
}

/** Makes, changes and ends somebody's memberships by their groups. The last owner of an organization stays one. */
export async function applyGroups(
  kv: Deno.Kv,
  provider: Provider,
  user: User,
  groups: readonly string[],
): Promise<void> {
  const grants = grantsOf(provider.rules, groups);
  const memberOf = await readIndex(kv, prefixOf.memberships(user.id));
  for (const organizationId of new Set([...grants.keys(), ...memberOf])) {
    const grant = grants.get(organizationId) ?? null;
    await applyGrant(kv, provider, user, organizationId, grant);
  }
}

function applyGrant(
  kv: Deno.Kv,
  provider: Provider,
  user: User,
  organizationId: string,
  grant: Grant | null,
): Promise<null> {
  return untilCommitted<null>("apply the groups of a provider", async () => {
    const [organization, member] = await kv.getMany<[unknown, Membership]>([
      keyOf.organization(organizationId),
      keyOf.member(organizationId, user.id),
    ]);
    if (organization.value === null) return null;
    const before = member.value;
    // By hand, or by another provider.
    if (before !== null && before.managed !== provider.id) return null;
    // What a directory disabled, it alone enables.
    if (before?.disabledAt !== undefined) return null;
    if (before === null && grant === null) return null;
    const atomic = kv.atomic().check(organization, member);
    const owner = before?.role === "owner" && grant?.role !== "owner"
      ? await anotherOwner(kv, organizationId, user.id)
      : null;
    if (owner !== null) atomic.check(owner);
    const isLastOwner = before?.role === "owner" && grant?.role !== "owner" && owner === null;
    if (grant === null) {
      if (isLastOwner) return null;
      await end(kv, atomic, provider, user, organizationId, before?.role ?? null);
    } else {
      const role = isLastOwner ? "owner" : grant.role;
      const isSame = await grantIt(kv, atomic, { provider, user, organizationId, before }, {
        ...grant,
        role,
      });
      if (isSame) return null;
    }
    return (await atomic.commit()).ok ? null : conflict;
  });
}

interface Target {
  readonly provider: Provider;
  readonly user: User;
  readonly organizationId: string;
  readonly before: Membership | null;
}

/** @returns whether nothing changes */
async function grantIt(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  { provider, user, organizationId, before }: Target,
  grant: Grant,
): Promise<boolean> {
  const had = before?.managedTeams ?? [];
  const teams = await changeTeams(kv, atomic, organizationId, user.id, had, grant.teamIds);
  if (before?.role === grant.role && !teams.isChanged) return true;
  addMembership(atomic, {
    // Also that a directory has disabled it.
    ...before,
    organizationId,
    userId: user.id,
    role: grant.role,
    addedAt: before?.addedAt ?? new Date(),
    managed: provider.id,
    managedTeams: teams.now,
  });
  addAudit(atomic, {
    event: before === null ? "member.add" : "member.edit",
    organizationId,
    target: { kind: "user", id: user.id, label: user.email },
    changes: {
      ...before?.role === grant.role ? {} : { role: [before?.role ?? null, grant.role] as const },
      ...teams.isChanged ? { teams: [had, teams.now] as const } : {},
    },
    by: askedBy(provider),
  });
  return false;
}

async function end(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  provider: Provider,
  user: User,
  organizationId: string,
  role: Role | null,
): Promise<void> {
  await addLeavingTeams(kv, atomic, organizationId, user.id);
  atomic.delete(keyOf.member(organizationId, user.id))
    .delete(keyOf.membership(user.id, organizationId));
  addAudit(atomic, {
    event: "member.remove",
    organizationId,
    target: { kind: "user", id: user.id, label: user.email },
    changes: { role: [role, null] },
    by: askedBy(provider),
  });
}

/** Nobody asked for it but the provider, by what it tells of the one who signs in. */
function askedBy({ id, name }: Provider) {
  return { ...currentScope().asker, kind: "system" as const, id, label: name };
}

/** Teams that are gone are left out. Those that somebody was put into by hand stay. */
async function changeTeams(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  organizationId: string,
  userId: string,
  had: readonly string[],
  wanted: readonly string[],
): Promise<{ now: readonly string[]; isChanged: boolean }> {
  const now: string[] = [];
  let isWritten = false;
  for (const id of new Set([...had, ...wanted])) {
    const entry = await kv.get<Team>(keyOf.team(organizationId, id));
    if (entry.value === null) continue;
    const { memberIds } = entry.value;
    const isWanted = wanted.includes(id);
    const isIn = memberIds.includes(userId);
    const isFull = isWanted && !isIn && memberIds.length >= MAX_TEAM_MEMBERS;
    if (isWanted && !isFull && (!isIn || had.includes(id))) now.push(id);
    if (isWanted === isIn || isFull) continue;
    const changed = isWanted ? [...memberIds, userId] : memberIds.filter((each) => each !== userId);
    atomic.check(entry).set(entry.key, { ...entry.value, memberIds: changed });
    isWritten = true;
  }
  const isSame = now.length === had.length && now.every((id) => had.includes(id));
  return { now, isChanged: isWritten || !isSame };
}

/** As `teams.ts` has it: one record holds them. */
const MAX_TEAM_MEMBERS = 300;

async function anotherOwner(
  kv: Deno.Kv,
  organizationId: string,
  userId: string,
): Promise<Deno.KvEntry<Membership> | null> {
  for await (const entry of kv.list<Membership>({ prefix: prefixOf.members(organizationId) })) {
    const { role, disabledAt } = entry.value;
    if (role === "owner" && disabledAt === undefined && entry.value.userId !== userId) return entry;
  }
  return null;
}

/** Whether somebody is a member anywhere by what a provider says of their groups. */
export async function hasManagedMembership(kv: Deno.Kv, userId: string): Promise<boolean> {
  for (const organizationId of await readIndex(kv, prefixOf.memberships(userId))) {
    const { value } = await kv.get<Membership>(keyOf.member(organizationId, userId));
    if (value?.managed !== undefined) return true;
  }
  return false;
}
