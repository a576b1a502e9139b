/** People, members and teams in the shapes of Sentry's API. */
import { z } from "zod";
import { type Member, type Role, ROLES } from "../accounts/members.ts";
import { type Invite, inviteIdOf } from "../accounts/invites.ts";
import { isInTeam, type Team, TEAM_ROLES, teamRoleOf } from "../accounts/teams.ts";
import { TEAM_ADMIN_PERMISSIONS, teamAllows } from "../accounts/authorize.ts";
import { sentryScopesOf } from "../accounts/scopes.ts";
import type { User } from "../accounts/users.ts";

const LETTER_AVATAR = { avatarType: "letter_avatar", avatarUuid: null, avatarUrl: null };
const Avatar = z.object({
  avatarType: z.string(),
  avatarUuid: z.null(),
  avatarUrl: z.null(),
}).meta({ title: "Avatar" });

export const UserJson = z.object({
  id: z.string(),
  name: z.string(),
  username: z.string().describe("The mail address, by which people sign in"),
  email: z.string(),
  avatarUrl: z.null(),
  avatar: Avatar,
  isActive: z.boolean(),
  isManaged: z.boolean(),
  isStaff: z.boolean(),
  isSuperuser: z.boolean(),
  hasPasswordAuth: z.boolean(),
  has2fa: z.boolean(),
  dateJoined: z.iso.datetime(),
  lastActive: z.null(),
  lastLogin: z.null(),
  emails: z.array(z.object({ id: z.string(), email: z.string(), is_verified: z.boolean() })),
}).meta({ title: "User" });

/** An account. Who runs the instance is not told to others. */
export function userJson({ id, name, email, createdAt }: User): z.input<typeof UserJson> {
  return {
    id,
    name,
    username: email,
    email,
    avatarUrl: null,
    avatar: LETTER_AVATAR,
    isActive: true,
    isManaged: false,
    isStaff: false,
    isSuperuser: false,
    hasPasswordAuth: true,
    has2fa: false,
    dateJoined: createdAt.toISOString(),
    lastActive: null,
    lastLogin: null,
    emails: [{ id, email, is_verified: false }],
  };
}

export const TeamJson = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  dateCreated: z.iso.datetime(),
  isMember: z.boolean(),
  teamRole: z.enum(TEAM_ROLES).nullable(),
  flags: z.object({ "idp:provisioned": z.boolean() }),
  access: z.array(z.string()),
  hasAccess: z.boolean(),
  isPending: z.boolean(),
  memberCount: z.int(),
  avatar: Avatar,
}).meta({ title: "Team" });

interface Viewer {
  /** As a member of the organization. */
  readonly memberRole: Role;
  /** Null for who is no person. */
  readonly userId: string | null;
}

/**
 * A team.
 *
 * @param memberCount of the whole organization, which everybody's team has
 */
export function teamJson(
  team: Team,
  { memberRole, userId }: Viewer,
  memberCount: number,
): z.input<typeof TeamJson> {
  const teamRole = userId === null ? null : teamRoleOf(team, userId);
  const decides = teamAllows(memberRole, teamRole, "team:write");
  return {
    id: team.id,
    slug: team.slug,
    name: team.name,
    dateCreated: team.createdAt.toISOString(),
    isMember: teamRole !== null,
    teamRole,
    flags: { "idp:provisioned": false },
    access: sentryScopesOf(memberRole, decides ? TEAM_ADMIN_PERMISSIONS : []),
    hasAccess: true,
    isPending: team.requests?.some((each) => each.userId === userId) ?? false,
    memberCount: team.isEveryone ? memberCount : team.memberIds.length,
    avatar: LETTER_AVATAR,
  };
}

/** How Sentry calls our roles. */
const SENTRY_ROLES: Readonly<Record<Role, string>> = {
  viewer: "member",
  member: "member",
  admin: "admin",
  manager: "manager",
  owner: "owner",
};

/** Roles as requests name them: ours, which are Sentry's and `viewer`. */
export const RoleName = z.enum(ROLES);

export const MemberJson = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  user: UserJson.nullable(),
  role: z.string(),
  roleName: z.string().describe("The role as it is called here"),
  orgRole: z.string(),
  pending: z.boolean(),
  expired: z.boolean(),
  flags: z.record(z.string(), z.boolean()),
  dateCreated: z.iso.datetime(),
  inviteStatus: z.string(),
  inviterName: z.string().nullable(),
  teams: z.array(z.string()).describe("Slugs"),
  teamRoles: z.array(z.object({ teamSlug: z.string(), role: z.string().nullable() })),
}).meta({ title: "Member" });

const FLAGS = {
  "idp:provisioned": false,
  "idp:role-restricted": false,
  "sso:linked": false,
  "sso:invalid": false,
  "member-limit:restricted": false,
  "partnership:restricted": false,
};

/** A member with the teams of theirs. Memberships have no id of their own: it is the account's. */
export function memberJson(
  { user, role, addedAt, directory, managed }: Member,
  teams: readonly Team[],
): z.input<typeof MemberJson> {
  const own = teams.filter((team) => isInTeam(team, user.id));
  return {
    ...membershipJson(user.id, user.email, user.name, role, addedAt),
    user: userJson(user),
    flags: { ...FLAGS, "idp:provisioned": directory !== undefined || managed !== undefined },
    teams: own.map(({ slug }) => slug),
    teamRoles: own.map((team) => ({ teamSlug: team.slug, role: teamRoleOf(team, user.id) })),
  };
}

/** Somebody who was invited and has not joined yet. @param inviterName null: who invited is gone */
export function invitedJson(
  invite: Invite,
  teams: readonly Team[],
  inviterName: string | null,
): z.input<typeof MemberJson> {
  const { email, role, createdAt, teamIds = [] } = invite;
  const slugs = teams.filter(({ id }) => teamIds.includes(id)).map(({ slug }) => slug);
  return {
    ...membershipJson(inviteIdOf(invite), email, email, role, createdAt),
    pending: true,
    inviterName,
    teams: slugs,
    teamRoles: slugs.map((teamSlug) => ({ teamSlug, role: null })),
  };
}

/** What members, the invited and those who ask have alike. */
export function membershipJson(
  id: string,
  email: string,
  name: string,
  role: Role,
  createdAt: Date,
): z.input<typeof MemberJson> {
  return {
    id,
    email,
    name,
    user: null,
    role: SENTRY_ROLES[role],
    roleName: role.charAt(0).toUpperCase() + role.slice(1),
    orgRole: SENTRY_ROLES[role],
    pending: false,
    expired: false,
    flags: FLAGS,
    dateCreated: createdAt.toISOString(),
    inviteStatus: "approved",
    inviterName: null,
    teams: [],
    teamRoles: [],
  };
}
