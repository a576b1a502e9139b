/** The people of organizations in Sentry's API. */
import { z } from "zod";
import { seeingOf } from "../accounts/assignees.ts";
import { Denied, type OrganizationAccess } from "../accounts/authorize.ts";
import { type Invite, listInvites, withdrawInvite } from "../accounts/invites.ts";
import {
  findMember,
  listMembers,
  type Member,
  removeMember,
  roleAllows,
  setRole,
} from "../accounts/members.ts";
import { listTeams } from "../accounts/teams.ts";
import { onOrganization, onProject, requireOrganization } from "../api/access.ts";
import { PAGE_QUERY, sortedPage } from "../api/lists.ts";
import {
  invitedJson,
  MemberJson,
  memberJson,
  RoleName,
  UserJson,
  userJson,
} from "../api/people.ts";
import {
  findInviteById,
  InvitedJson,
  inviteReply,
  inviterOf,
  inviteRoutes,
  NewMember,
  RENEWAL,
  renewedReply,
} from "./api_invites.ts";
import {
  type ApiContext,
  ApiError,
  type ApiRoutes,
  behind,
  listReply,
  notFound,
  open,
} from "../api/route.ts";

const MemberQuery = z.object({
  query: z.string().optional().describe(
    "Words of a name or an address; email:, id:, user.id:, role: and isInvited: narrow it down",
  ),
  ...PAGE_QUERY,
});

const RoleChange = z.object({
  orgRole: RoleName.optional(),
  role: RoleName.optional(),
  ...RENEWAL,
});

/** A member, or somebody who is invited. */
const onMember = behind(async (ctx, scope) => {
  const access = await requireOrganization(ctx, scope);
  const named = ctx.params.member ?? "";
  const userId = named === "me" ? access.userId ?? "" : named;
  const member = await findMember(ctx.state.services.kv, access.organization.id, userId);
  const invite = member === null && mayInvite(access.role)
    ? await findInviteById(ctx, access, named)
    : null;
  if (member === null && invite === null) throw notFound();
  return { ...access, member, invite };
});

/** Addresses below `/api/0` that are about people. */
export const memberRoutes: ApiRoutes = {
  ...inviteRoutes,
  "/users/me": {
    GET: open({
      summary: "The account behind the token",
      errors: [401],
      answer: UserJson,
    }, ({ state: { actor } }) => {
      if (!("user" in actor)) throw new Denied(401, "No person stands behind this request.");
      return userJson(actor.user);
    }),
  },
  "/organizations/:organization/members": {
    GET: onOrganization("organization:read", {
      summary: "The members of an organization and, for those who may invite, the invited",
      query: MemberQuery,
      answer: z.array(MemberJson),
    }, async (ctx, access, { query: { query = "" } }) => (
      await membersReply(ctx, access, query, { withInvited: true })
    )),
    POST: onOrganization("member:write", {
      summary:
        "Invites somebody, by mail where this instance sends mail and sendInvite is not false",
      body: NewMember,
      answer: InvitedJson,
      status: 201,
    }, inviteReply),
  },
  "/organizations/:organization/members/:member": {
    GET: onMember("organization:read", {
      summary: "One member, or somebody who is invited; me is who asks",
      answer: MemberJson,
    }, memberReply),
    PUT: onMember("member:write", {
      summary:
        "Changes the role of a member; with reinvite, sends an invitation again by a new link",
      body: RoleChange,
      answer: InvitedJson.partial({ inviteLink: true }),
    }, async (ctx, { member, invite, ...access }, { body: { orgRole, role, reinvite } }) => {
      const { kv } = ctx.state.services;
      const to = orgRole ?? role;
      if (member === null) {
        if (invite === null) throw notFound();
        if (reinvite || to !== undefined) return await renewedReply(ctx, access, invite, to);
        return await memberReply(ctx, { ...access, member, invite });
      }
      const { organization: { id } } = access;
      if (to === undefined || to === member.role) {
        return await memberReply(ctx, { ...access, member, invite });
      }
      await setRole(kv, access, id, member.userId, to);
      return await memberReply(ctx, { ...access, member: { ...member, role: to }, invite });
    }),
    DELETE: onMember("member:write", {
      summary: "Takes a member out of the organization and its teams, or an invitation back",
    }, async ({ state: { services: { kv } } }, { member, invite, ...access }) => {
      const { id } = access.organization;
      if (member !== null) await removeMember(kv, access, id, member.userId);
      else if (invite !== null) await withdrawInvite(kv, access, id, invite.email);
    }),
  },
  "/organizations/:organization/users": {
    GET: onOrganization("organization:read", {
      summary: "The members of an organization whom an issue can be assigned to",
      query: MemberQuery,
      answer: z.array(MemberJson),
    }, async (ctx, access, { query: { query = "" } }) => (
      await membersReply(ctx, access, query, { withInvited: false })
    )),
  },
  "/projects/:organization/:project/members": {
    GET: onProject("project:read", {
      summary: "The people who see a project",
      query: MemberQuery,
      answer: z.array(MemberJson),
    }, async (ctx, access, { query: { query = "" } }) => (
      await membersReply(ctx, access, query, { withInvited: false, projectId: access.project.id })
    )),
  },
};

async function memberReply(
  ctx: ApiContext,
  { member, invite, organization }: OrganizationAccess & {
    readonly member: Member | null;
    readonly invite: Invite | null;
  },
) {
  const { kv } = ctx.state.services;
  const teams = await listTeams(kv, organization);
  if (member !== null) return memberJson(member, teams);
  if (invite === null) throw notFound();
  return invitedJson(invite, teams, await inviterOf(ctx, invite));
}

async function membersReply(
  ctx: ApiContext,
  { organization, role }: OrganizationAccess,
  query: string,
  { withInvited, projectId = null }: {
    readonly withInvited: boolean;
    /** Only those who see it. */
    readonly projectId?: string | null;
  },
): Promise<Response> {
  const { kv } = ctx.state.services;
  const [members, teams, invites] = await Promise.all([
    listMembers(kv, organization.id)
      .then((members) => seeingOf(kv, organization.id, projectId, members)),
    listTeams(kv, organization),
    withInvited && mayInvite(role) ? listInvites(kv, organization.id) : [],
  ]);
  const nameOf = new Map(members.map(({ userId, user: { name } }) => [userId, name]));
  const all = [
    ...members.map((member) => memberJson(member, teams)),
    ...invites.map((invite) => invitedJson(invite, teams, nameOf.get(invite.invitedBy) ?? null)),
  ];
  const { rows, ...cursors } = sortedPage(
    all.filter(matcherOf(query)),
    ctx.url.searchParams,
    { email: ({ email }) => email },
    "email",
  );
  return listReply(ctx, rows, cursors);
}

function mayInvite(role: OrganizationAccess["role"]): boolean {
  return roleAllows(role, "member:write");
}

type Row = z.input<typeof MemberJson>;

const KEYS: Readonly<Record<string, (row: Row) => string>> = {
  email: ({ email }) => email,
  id: ({ id }) => id,
  "user.id": ({ user }) => user?.id ?? "",
  role: ({ orgRole }) => orgRole,
  isinvited: ({ pending }) => String(pending),
};

/** What a search asks for, as Sentry's: all of its words must fit. @throws {ApiError} 400 for a key that it does not have */
function matcherOf(query: string): (row: Row) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const tests = words.map((word): (row: Row) => boolean => {
    const [, key, value = ""] = /^([a-z.0-9]+):(.*)$/.exec(word) ?? [];
    if (key === undefined) {
      return ({ name, email }) => `${name} ${email}`.toLowerCase().includes(word);
    }
    const of = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (of === undefined) {
      throw ApiError.detail(
        400,
        `Invalid query: ${key} is none of ${Object.keys(KEYS).join(", ")}`,
      );
    }
    return (row) => of(row).toLowerCase() === value.replaceAll('"', "");
  });
  return (row) => tests.every((test) => test(row));
}
