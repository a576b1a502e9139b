/** Whom an issue can be assigned to: the members of an organization, and its teams. */
import { keyOf } from "./kv.ts";
import { listMembers } from "./members.ts";
import { findOrganization } from "./organizations.ts";
import { findTeam, listTeams } from "./teams.ts";
import { findUser, findUserByEmail, type User } from "./users.ts";

/** A member or a team, and how people call them. */
export type Assignee =
  | {
    readonly kind: "user";
    readonly id: string;
    readonly name: string;
    readonly email: string;
  }
  | {
    readonly kind: "team";
    readonly id: string;
    readonly name: string;
    readonly slug: string;
  };

/**
 * Finds whom a text names.
 *
 * @param text `user:<id>`, `team:<id>`, `#<slug of a team>` or the mail address of a member, which is their user name
 *   as well; also the bare id of a member
 * @returns null for strangers and former members, teams that are gone, and what names nobody
 */
export async function resolveAssignee(
  kv: Deno.Kv,
  organizationId: string,
  text: string,
): Promise<Assignee | null> {
  const name = text.trim();
  const [, kind, id = ""] = /^(user|team):(.*)$/s.exec(name) ?? [];
  if (kind === "team") return await teamOf(kv, organizationId, id);
  if (name.startsWith("#")) return await teamOf(kv, organizationId, name.slice(1));
  const asked = kind === "user" ? id : name;
  const user = await findUserByEmail(kv, asked) ?? await findUser(kv, asked);
  if (user === null) return null;
  const member = await kv.get(keyOf.member(organizationId, user.id));
  return member.value === null ? null : assigneeOf(user);
}

/** Everybody and every team that can be chosen: people by mail address, then teams. */
export async function listAssignees(kv: Deno.Kv, organizationId: string): Promise<Assignee[]> {
  const organization = await findOrganization(kv, organizationId);
  if (organization === null) return [];
  const [members, teams] = await Promise.all([
    listMembers(kv, organizationId),
    listTeams(kv, organization),
  ]);
  return [
    ...members.map(({ user }) => assigneeOf(user)),
    ...teams.map(({ id, name, slug }) => ({ kind: "team", id, name, slug } as const)),
  ];
}

function assigneeOf({ id, name, email }: User): Assignee {
  return { kind: "user", id, name, email };
}

async function teamOf(
  kv: Deno.Kv,
  organizationId: string,
  idOrSlug: string,
): Promise<Assignee | null> {
  const organization = await findOrganization(kv, organizationId);
  const team = organization && await findTeam(kv, organization, idOrSlug);
  return team && { kind: "team", id: team.id, name: team.name, slug: team.slug };
}
