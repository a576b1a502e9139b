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
import type { Role } from "../accounts/members.ts";
import { findTeam, listTeams } from "../accounts/teams.ts";
import { findUser } from "../accounts/users.ts";
import { invitedJson, MemberJson, RoleName } from "../api/people.ts";
import { type ApiContext, ApiError, type ApiRoutes, open } from "../api/route.ts";
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

/** What Sentry's own page asks about a link. */
export const inviteRoutes: ApiRoutes = {
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
