/** The people of organizations in Sentry's API. */
import { z } from "zod";
import { seeingOf } from "../accounts/assignees.ts";
import { Denied, type OrganizationAccess } from "../accounts/authorize.ts";
import { createInvite, listInvites } from "../accounts/invites.ts";
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

const NewMember = z.object({
  email: z.string(),
  orgRole: RoleName.optional(),
  /** Older clients of Sentry call the role so. */
  role: RoleName.optional(),
});
const RoleChange = z.object({ orgRole: RoleName.optional(), role: RoleName.optional() });

const onMember = behind(async (ctx, scope) => {
  const access = await requireOrganization(ctx, scope);
  const named = ctx.params.member ?? "";
  const userId = named === "me" ? access.userId ?? "" : named;
  const member = await findMember(ctx.state.services.kv, access.organization.id, userId);
  if (member === null) throw notFound();
  return { ...access, member };
});

/** Addresses below `/api/0` that are about people. */
export const memberRoutes: ApiRoutes = {
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
      summary: "Invites somebody; the answer holds the link to hand over, which is told once",
      body: NewMember,
      answer: MemberJson.extend({ inviteLink: z.string() }),
      status: 201,
    }, async ({ state }, access, { body: { email, orgRole, role } }) => {
      const { kv, config: { baseUrl } } = state.services;
      const input = { email, role: orgRole ?? role ?? "member" };
      const { invite, token } = await createInvite(kv, access, access.organization.id, input);
      return { ...invitedJson(invite), inviteLink: `${baseUrl}/join?invite=${token}` };
    }),
  },
  "/organizations/:organization/members/:member": {
    GET: onMember("organization:read", {
      summary: "One member; me is who asks",
      answer: MemberJson,
    }, memberReply),
    PUT: onMember("member:write", {
      summary: "Changes the role of a member",
      body: RoleChange,
      answer: MemberJson,
    }, async (ctx, { member, ...access }, { body: { orgRole, role } }) => {
      const { kv } = ctx.state.services;
      const { organization: { id } } = access;
      const to = orgRole ?? role ?? member.role;
      if (to !== member.role) await setRole(kv, access, id, member.userId, to);
      return await memberReply(ctx, { ...access, member: { ...member, role: to } });
    }),
    DELETE: onMember("member:write", {
      summary: "Takes a member out of the organization and its teams",
    }, ({ state }, { member, ...access }) => (
      removeMember(state.services.kv, access, access.organization.id, member.userId)
    )),
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
  { state }: ApiContext,
  { member, organization }: OrganizationAccess & { readonly member: Member },
) {
  return memberJson(member, await listTeams(state.services.kv, organization));
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
  const all = [
    ...members.map((member) => memberJson(member, teams)),
    ...invites.map((invite) => invitedJson(invite)),
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
