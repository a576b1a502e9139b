/** Invitations in Sentry's API. */
import { z } from "zod";
import { Denied, type OrganizationAccess } from "../accounts/authorize.ts";
import {
  createInvite,
  findShownInvite,
  type Invite,
  inviteIdOf,
  listInvites,
  renewInvite,
} from "../accounts/invites.ts";
import {
  approveRequest,
  declineRequest,
  findJoinRequest,
  type JoinRequest,
  listJoinRequests,
  proposeInvite,
} from "../accounts/join_requests.ts";
import { findMember, type Role, roleAllows } from "../accounts/members.ts";
import { findTeam, listTeams, type Team } from "../accounts/teams.ts";
import { findUser } from "../accounts/users.ts";
import { onOrganization, requireOrganization } from "../api/access.ts";
import { invitedJson, MemberJson, memberJson, membershipJson, RoleName } from "../api/people.ts";
import {
  type ApiContext,
  ApiError,
  type ApiRoutes,
  behind,
  listReply,
  notFound,
  open,
} from "../api/route.ts";
import { InvalidInput } from "../core/errors.ts";
import { currentScope } from "../core/request_scope.ts";
import { inviteLink, mailInvite } from "./invite_mail.ts";

/** Sentry's clients send both to have a new link go out. */
export const RENEWAL = {
  reinvite: z.boolean().optional().describe(
    "Sends an open invitation again; the link before is void",
  ),
  regenerate: z.boolean().optional().describe("Taken and of no meaning: each link is a new one"),
};

export const NewMember = z.object({
  email: z.string(),
  orgRole: RoleName.optional(),
  /** Older clients of Sentry call the role so. */
  role: RoleName.optional(),
  teamRoles: z.array(z.looseObject({ teamSlug: z.string() })).optional()
    .describe("Teams that they are in when they join"),
  /** And the teams so. */
  teams: z.array(z.string()).optional(),
  sendInvite: z.boolean().default(true).describe("false: the link is answered, not sent"),
  ...RENEWAL,
});

export const InvitedJson = MemberJson.extend({
  inviteLink: z.string().nullable().describe("To be handed over, told once; null: it went by mail"),
});

/** Invites somebody: Sentry answers 400 for who is a member. */
export async function inviteReply(
  ctx: ApiContext,
  access: OrganizationAccess,
  { body }: { readonly body: z.output<typeof NewMember> },
) {
  const { kv, config } = ctx.state.services;
  const isByMail = body.sendInvite && config.smtp !== null;
  const slugs = [...body.teams ?? [], ...body.teamRoles?.map(({ teamSlug }) => teamSlug) ?? []];
  const input = {
    email: body.email,
    role: body.orgRole ?? body.role ?? "member",
    teamIds: await teamIdsOf(ctx, access, slugs),
    isByMail,
  };
  const made = await createInvite(kv, access, access.organization.id, input)
    .catch((error: unknown): never => {
      if (!(error instanceof InvalidInput) || error.reason !== "taken") throw error;
      throw ApiError.fields({ email: [`The user ${body.email} is already a member`] });
    });
  return await invitedReply(ctx, access, made, isByMail);
}

/** The ids of teams that are named by slug or id. @throws {ApiError} 400 */
export async function teamIdsOf(
  { state: { services: { kv } } }: ApiContext,
  { organization }: OrganizationAccess,
  names: readonly string[],
): Promise<string[]> {
  const teams = await Promise.all(
    [...new Set(names)].slice(0, 100).map((name) => findTeam(kv, organization, name)),
  );
  if (teams.includes(null)) throw ApiError.fields({ teams: ["Invalid teams"] });
  return teams.flatMap((team) => team === null || team.isEveryone ? [] : [team.id]);
}

/** A new link for an open invitation, in another role where one is named. */
export async function renewedReply(
  ctx: ApiContext,
  access: OrganizationAccess,
  invite: Invite,
  role: Role = invite.role,
) {
  const { kv, config } = ctx.state.services;
  const isByMail = config.smtp !== null;
  const { organization: { id } } = access;
  const { email, teamIds = [], onlyThisAddress = false } = invite;
  const made = role === invite.role
    ? await renewInvite(kv, access, id, email, isByMail)
    : await createInvite(kv, access, id, { email, role, teamIds, onlyThisAddress, isByMail });
  return await invitedReply(ctx, access, made, isByMail);
}

export async function invitedReply(
  ctx: ApiContext,
  { organization }: OrganizationAccess,
  { invite, token }: { readonly invite: Invite; readonly token: string },
  isByMail: boolean,
) {
  const { kv, config } = ctx.state.services;
  if (isByMail) await mailInvite(ctx.state.services, organization, invite, token);
  const teams = await listTeams(kv, organization);
  return {
    ...invitedJson(invite, teams, await inviterOf(ctx, invite)),
    inviteLink: isByMail ? null : inviteLink(config, token),
  };
}

/** The name of who invited; null when they are gone. */
export async function inviterOf(
  { state: { services: { kv } } }: ApiContext,
  { invitedBy }: Invite,
): Promise<string | null> {
  return (await findUser(kv, invitedBy))?.name ?? null;
}

/** An open invitation by its id, or null. */
export async function findInviteById(
  { state: { services: { kv } } }: ApiContext,
  { organization }: OrganizationAccess,
  id: string,
): Promise<Invite | null> {
  if (!/^[0-9a-f]{32}$/.test(id)) return null;
  const invites = await listInvites(kv, organization.id);
  return invites.find((invite) => inviteIdOf(invite) === id) ?? null;
}

const ACCEPT = "/accept-invite/:organization/:invitation/:secret";

const REQUESTS = "/organizations/:organization/invite-requests";

const NewRequest = z.object({
  email: z.string(),
  orgRole: RoleName.optional(),
  role: RoleName.optional(),
  teams: z.array(z.string()).optional(),
  teamRoles: z.array(z.looseObject({ teamSlug: z.string() })).optional(),
});
const Decision = z.object({
  /** Sentry's clients send 1. */
  approve: z.union([z.boolean(), z.literal(1)]).optional()
    .describe("true makes a member of who asked, and invites who was proposed"),
  orgRole: RoleName.optional(),
  role: RoleName.optional(),
});

const onRequest = behind(async (ctx, scope) => {
  const access = await requireOrganization(ctx, scope);
  const { id } = access.organization;
  const request = await findJoinRequest(ctx.state.services.kv, id, ctx.params.joinRequest ?? "");
  const mayLook = roleAllows(access.role, "member:write") || access.userId === request?.requestedBy;
  if (request === null || !mayLook) throw notFound();
  return { ...access, request };
});

const requestRoutes: ApiRoutes = {
  [REQUESTS]: {
    GET: onOrganization("member:write", {
      summary: "Those who were proposed as members, or ask for themselves",
      answer: z.array(MemberJson),
    }, async (ctx, { organization }) => {
      const { kv } = ctx.state.services;
      const requests = await listJoinRequests(kv, organization.id);
      const teams = await listTeams(kv, organization);
      return listReply(ctx, requests.map((request) => requestJson(request, teams)));
    }),
    POST: onOrganization("organization:read", {
      summary: "Proposes somebody as a member; those who may invite decide",
      body: NewRequest,
      answer: MemberJson,
      status: 201,
      errors: [409],
    }, async (ctx, access, { body }) => {
      const { kv } = ctx.state.services;
      const slugs = [...body.teams ?? [], ...body.teamRoles?.map(({ teamSlug }) => teamSlug) ?? []];
      const request = await proposeInvite(kv, access, access.organization.id, {
        email: body.email,
        role: body.orgRole ?? body.role ?? "member",
        teamIds: await teamIdsOf(ctx, access, slugs),
      });
      return requestJson(request, await listTeams(kv, access.organization));
    }),
  },
  [`${REQUESTS}/:joinRequest`]: {
    GET: onRequest("organization:read", {
      summary: "One who was proposed, or asks",
      answer: MemberJson,
    }, async (ctx, { request, organization }) => (
      requestJson(request, await listTeams(ctx.state.services.kv, organization))
    )),
    PUT: onRequest("member:write", {
      summary: "Decides: with approve, who asked is a member, and who was proposed is invited",
      body: Decision,
      answer: MemberJson.extend({ inviteLink: z.string().nullable().optional() }),
    }, async (ctx, { request, ...access }, { body: { approve, orgRole, role } }) => {
      const { kv, config } = ctx.state.services;
      const teams = await listTeams(kv, access.organization);
      if (!approve) return requestJson(request, teams);
      const isByMail = config.smtp !== null;
      const to = orgRole ?? role ?? request.role;
      const approval = await approveRequest(kv, access, request, { role: to, isByMail });
      if (approval.kind === "invited") return await invitedReply(ctx, access, approval, isByMail);
      const member = await findMember(kv, access.organization.id, approval.user.id);
      if (member === null) throw notFound();
      return memberJson(member, teams);
    }),
    DELETE: onRequest("organization:read", {
      summary: "Closes a request: those who decide, and who made it",
    }, ({ state: { services: { kv } } }, { request, ...access }) => (
      declineRequest(kv, access, request)
    )),
  },
};

/** As the member that they may become. */
function requestJson(request: JoinRequest, teams: readonly Team[]): z.input<typeof MemberJson> {
  const { id, email, role, createdAt, userId, teamIds } = request;
  const slugs = teams.filter((team) => teamIds.includes(team.id)).map(({ slug }) => slug);
  return {
    ...membershipJson(id, email, email, role, createdAt),
    pending: true,
    inviteStatus: userId === null ? "requested_to_be_invited" : "requested_to_join",
    teams: slugs,
    teamRoles: slugs.map((teamSlug) => ({ teamSlug, role: null })),
  };
}

/** Of invitations and requests; the first is what Sentry's own page asks about a link. */
export const inviteRoutes: ApiRoutes = {
  ...requestRoutes,
  [ACCEPT]: {
    GET: open({
      summary: "What whoever holds the link of an invitation has to do before they join",
      errors: [400],
      answer: z.object({
        orgSlug: z.string(),
        needsAuthentication: z.boolean(),
        needs2fa: z.boolean(),
        needsSso: z.boolean(),
        hasAuthProvider: z.boolean(),
        requireSso: z.boolean(),
        existingMember: z.boolean(),
        needsEmailVerification: z.boolean(),
      }),
    }, async (ctx) => {
      const { organization } = await shownInvite(ctx);
      const { actor } = ctx.state;
      return {
        orgSlug: organization.slug,
        needsAuthentication: actor.kind === "nobody",
        needs2fa: false,
        needsSso: false,
        hasAuthProvider: false,
        requireSso: false,
        existingMember: false,
        needsEmailVerification: false,
      };
    }),
    POST: open({
      summary:
        "Always refused: people join in a browser, as a token would reach beyond its organization",
      errors: [400, 403],
      answer: z.object({}),
    }, async (ctx) => {
      await shownInvite(ctx);
      throw new Denied(403, "Open the link in a browser: no token joins for a person.");
    }),
  },
};

async function shownInvite({ params, state: { services: { kv } } }: ApiContext) {
  const address = currentScope().asker.address ?? "";
  const found = await findShownInvite(kv, params.secret ?? "", address);
  const { organization = "", invitation } = params;
  const isIt = found !== null && inviteIdOf(found.invite) === invitation &&
    [found.organization.slug, found.organization.id].includes(organization);
  if (!isIt) throw ApiError.fields({ details: ["Invalid invite code"] });
  return found;
}
