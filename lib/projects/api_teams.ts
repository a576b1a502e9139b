/** Teams in Sentry's API. */
import { z } from "zod";
import {
  authorize,
  Denied,
  type OrganizationAccess,
  scopesOfActor,
  type TeamAccess,
  teamAllows,
  type TeamPermission,
} from "../accounts/authorize.ts";
import { findMember, listMembers, roleAllows, scopesAllow } from "../accounts/members.ts";
import { organizationSettingsOf } from "../accounts/organizations.ts";
import { listProjectIds } from "../accounts/projects.ts";
import {
  addTeamProject,
  createTeam,
  declineTeamRequest,
  deleteTeam,
  dropTeamProject,
  findTeam,
  isInTeam,
  joinTeam,
  leaveTeam,
  listTeams,
  projectsOf,
  setTeamRole,
  type Team,
  TEAM_ROLES,
  teamRoleOf,
  teamsOf,
  updateTeam,
  wishForTeam,
} from "../accounts/teams.ts";
import { listVisibleProjects } from "../accounts/visibility.ts";
import { unassignTeam } from "../errors/mod.ts";
import type { Backend } from "../store/stores.ts";
import { decidesAboutTeam } from "./team_actions.ts";
import { onOrganization, onProject, onTeam, requireProject, requireTeam } from "../api/access.ts";
import { PAGE_QUERY, sortedPage } from "../api/lists.ts";
import { MemberJson, memberJson, TeamJson, teamJson, UserJson } from "../api/people.ts";
import { t } from "../core/language/translate.ts";
import { type ApiContext, type ApiRoutes, behind, listReply, notFound } from "../api/route.ts";
import {
  createProjectReply,
  NewProject,
  OwnProjectJson,
  ProjectJson,
  projectJson,
  projectReply,
} from "./json.ts";

const onProjectTeam = behind(async (ctx, scope) => {
  const access = await requireProject(ctx, scope);
  const name = ctx.params.team ?? "";
  const team = await findTeam(ctx.state.services.kv, access.organization, name);
  if (team === null) throw notFound();
  return { ...access, team };
});

const TeamQuery = z.object({
  query: z.string().optional().describe("Part of a slug or a name"),
  detailed: z.string().optional().describe("0 leaves out the projects"),
  ...PAGE_QUERY,
});
const ListedTeamJson = TeamJson.extend({ projects: z.array(ProjectJson).optional() });

/** Sentry makes the name of the slug, or the other way round. */
const NewTeam = z.object({ slug: z.string().nullish(), name: z.string().nullish() })
  .refine(({ slug, name }) => Boolean(slug || name), "Write a name or a slug.");
const TeamChanges = z.object({ slug: z.string().optional(), name: z.string().optional() });

/** Somebody and a team of the organization; what the asker may do about them is for the method to say. */
const onMemberTeam = behind(async (ctx, scope: TeamPermission) => {
  const access = await requireTeam(ctx, scope);
  const named = ctx.params.member ?? "";
  const userId = named === "me" ? access.userId ?? "" : named;
  const member = await findMember(ctx.state.services.kv, access.organization.id, userId);
  if (member === null) throw notFound();
  const isSelf = member.userId === access.userId;
  const decides = decidesAbout(ctx, access);
  return { ...access, member, isSelf, decides };
});

/** Whether who asks, and their token, may decide about the people of a team. */
function decidesAbout({ state }: ApiContext, access: TeamAccess): boolean {
  return decidesAboutTeam(access) && scopesAllow(scopesOfActor(state.actor), "team:write");
}

const TeamRoleChange = z.object({ teamRole: z.enum(TEAM_ROLES) });

const AccessRequestJson = z.object({
  id: z.string(),
  member: MemberJson.describe("Who asks"),
  team: TeamJson,
  requester: UserJson.nullable(),
}).meta({ title: "Request to join a team" });

/** Addresses below `/api/0` that are about teams. */
export const teamRoutes: ApiRoutes = {
  "/organizations/:organization/teams": {
    GET: onOrganization("organization:read", {
      summary: "The teams of an organization",
      query: TeamQuery,
      answer: z.array(ListedTeamJson),
    }, async (ctx, access, { query: { query = "", detailed } }) => {
      const { kv } = ctx.state.services;
      const { organization } = access;
      const [teams, members, projects] = await Promise.all([
        listTeams(kv, organization),
        listMembers(kv, organization.id),
        listVisibleProjects(kv, access),
      ]);
      const wanted = teams.filter(({ slug, name }) =>
        `${slug} ${name}`.toLowerCase().includes(query.toLowerCase())
      );
      const { rows, ...cursors } = sortedPage(wanted, ctx.url.searchParams, BY_SLUG, "slug");
      const bare = (team: Team) => teamJson(team, access, members.length);
      return listReply(
        ctx,
        rows.map((team) =>
          detailed === "0" ? bare(team) : {
            ...bare(team),
            projects: projectsOf(team, projects).map((project) =>
              projectJson(project, access, teamsOf(teams, project.id), members.length)
            ),
          }
        ),
        cursors,
      );
    }),
    POST: onOrganization("team:write", {
      summary: "Makes a team; 409 when its slug is taken. Who makes it is in it",
      errors: [409],
      body: NewTeam,
      answer: TeamJson,
      status: 201,
    }, async (ctx, access, { body: { slug, name } }) => {
      const { kv } = ctx.state.services;
      const team = await createTeam(kv, {
        organizationId: access.organization.id,
        name: name || slug || "",
        ...slug && { slug },
      });
      return await teamReply(ctx, access, await joinedBy(kv, team, access.userId));
    }),
  },
  "/organizations/:organization/members/:member/teams/:team": {
    POST: onMemberTeam("organization:read", {
      summary:
        "Puts a member into a team: others for who decides about it, oneself for everybody. 202: its admins are asked, 204: was in it",
      answer: TeamJson,
      status: 201,
      alsoStatus: [202, 204],
      errors: [403],
    }, async (ctx, { member, isSelf, decides, ...access }) => {
      if (!isSelf && !decides) throw mayNotDecide();
      const { hasOpenTeams } = organizationSettingsOf(access.organization);
      const { team, outcome } = await wishForTeam(
        ctx.state.services.kv,
        access.team,
        member.userId,
        decides || hasOpenTeams,
      );
      if (outcome === "unchanged") return new Response(null, { status: 204 });
      const body = await teamReply(ctx, access, team);
      return Response.json(body, { status: outcome === "asked" ? 202 : 201 });
    }),
    PUT: onMemberTeam("team:write", {
      summary: "Makes a member the admin of a team, or no longer",
      body: TeamRoleChange,
      answer: TeamJson,
    }, async (ctx, { member, team, ...access }, { body: { teamRole } }) => {
      const changed = await setTeamRole(ctx.state.services.kv, team, member.userId, teamRole);
      return await teamReply(ctx, access, changed);
    }),
    DELETE: onMemberTeam("organization:read", {
      summary:
        "Takes a member out of a team: others for who decides about it, oneself for everybody",
      answer: TeamJson,
      errors: [403],
    }, async (ctx, { member, isSelf, decides, ...access }) => {
      if (!isSelf && !decides) throw mayNotDecide();
      const left = await leaveTeam(ctx.state.services.kv, access.team, member.userId);
      return await teamReply(ctx, access, left);
    }),
  },
  "/organizations/:organization/access-requests": {
    GET: onOrganization("organization:read", {
      summary: "Who asks to be let into teams that the asker decides about",
      answer: z.array(AccessRequestJson),
    }, async (ctx, access) => {
      const { kv } = ctx.state.services;
      const [teams, members] = await Promise.all([
        listTeams(kv, access.organization),
        listMembers(kv, access.organization.id),
      ]);
      const decided = teams.filter((team) =>
        roleAllows(access.role, "team:write") ||
        access.userId !== null &&
          teamAllows(access.role, teamRoleOf(team, access.userId), "team:write")
      );
      return listReply(
        ctx,
        decided.flatMap((team) =>
          (team.requests ?? []).flatMap(({ userId }) => {
            const member = members.find((each) => each.userId === userId);
            return member === undefined ? [] : [{
              id: `${team.id}-${userId}`,
              member: memberJson(member, teams),
              team: teamJson(team, access, members.length),
              requester: null,
            }];
          })
        ),
      );
    }),
  },
  "/organizations/:organization/access-requests/:request": {
    PUT: onOrganization("organization:read", {
      summary: "Grants or declines a request to join a team; for who decides about it",
      body: z.object({ isApproved: z.boolean() }),
      errors: [403],
    }, async (ctx, { organization }, { body: { isApproved } }) => {
      const { kv } = ctx.state.services;
      const [, named = "", userId = ""] = /^(\d+)-(.+)$/.exec(ctx.params.request ?? "") ?? [];
      const target = { organizationSlug: organization.id, team: named };
      const { team } = await authorize(kv, ctx.state.actor, target, "team:write");
      if (!team.requests?.some((each) => each.userId === userId)) throw notFound();
      if (isApproved) await joinTeam(kv, team, userId);
      else await declineTeamRequest(kv, team, userId);
    }),
  },
  "/teams/:organization/:team": {
    GET: onTeam("organization:read", {
      summary: "One team",
      answer: TeamJson,
    }, (ctx, access) => teamReply(ctx, access, access.team)),
    PUT: onTeam("team:write", {
      summary: "Changes what the body names of a team",
      errors: [409],
      body: TeamChanges,
      answer: TeamJson,
    }, async (ctx, access, { body: { slug, name } }) => {
      const changes = { ...slug !== undefined && { slug }, ...name !== undefined && { name } };
      const team = await updateTeam(ctx.state.services.kv, access.team, changes);
      return await teamReply(ctx, access, team);
    }),
    DELETE: onTeam("team:write", {
      summary: "Deletes a team; what was assigned to it is nobody's then",
    }, ({ state }, { team }) => removeTeam(state.services, team)),
  },
  "/teams/:organization/:team/members": {
    GET: onTeam("organization:read", {
      summary: "The people of a team",
      query: z.object(PAGE_QUERY),
      answer: z.array(MemberJson),
    }, async (ctx, { team, organization }) => {
      const { kv } = ctx.state.services;
      const members = await listMembers(kv, organization.id);
      const people = members.filter(({ userId }) => isInTeam(team, userId));
      const { rows, ...cursors } = sortedPage(people, ctx.url.searchParams, {
        email: ({ user: { email } }) => email,
      }, "email");
      const teams = await listTeams(kv, organization);
      return listReply(ctx, rows.map((member) => memberJson(member, teams)), cursors);
    }),
  },
  "/teams/:organization/:team/projects": {
    GET: onTeam("project:read", {
      summary: "The projects of a team",
      query: z.object(PAGE_QUERY),
      answer: z.array(ProjectJson),
    }, async (ctx, access) => {
      const { kv } = ctx.state.services;
      const { organization, team } = access;
      const [teams, members, projects] = await Promise.all([
        listTeams(kv, organization),
        listMembers(kv, organization.id),
        listVisibleProjects(kv, access),
      ]);
      const { rows, ...cursors } = sortedPage(
        projectsOf(team, projects),
        ctx.url.searchParams,
        BY_SLUG,
        "slug",
      );
      return listReply(
        ctx,
        rows.map((project) =>
          projectJson(project, access, teamsOf(teams, project.id), members.length)
        ),
        cursors,
      );
    }),
    POST: onTeam("project:create", {
      summary: "Makes a project for a team; 409 when its slug is taken",
      errors: [409],
      body: NewProject,
      answer: OwnProjectJson,
      status: 201,
    }, (ctx, access, { body }) => createProjectReply(ctx, access, body, access.team)),
  },
  "/projects/:organization/:project/teams": {
    GET: onProject("project:read", {
      summary: "The teams of a project",
      answer: z.array(TeamJson),
    }, async (ctx, access) => {
      const { kv } = ctx.state.services;
      const [teams, members] = await Promise.all([
        listTeams(kv, access.organization),
        listMembers(kv, access.organization.id),
      ]);
      return listReply(
        ctx,
        teamsOf(teams, access.project.id).map((team) => teamJson(team, access, members.length)),
      );
    }),
  },
  "/projects/:organization/:project/teams/:team": {
    POST: onProjectTeam("project:write", {
      summary: "Gives a project to a team",
      answer: OwnProjectJson,
      status: 201,
    }, async (ctx, access) => {
      await addTeamProject(ctx.state.services.kv, access.team, access.project.id);
      return await projectReply(ctx, access, access.project);
    }),
    DELETE: onProjectTeam("project:write", {
      summary: "Takes a project from a team",
      answer: OwnProjectJson,
    }, async (ctx, access) => {
      await dropTeamProject(ctx.state.services.kv, access.team, access.project.id);
      return await projectReply(ctx, access, access.project);
    }),
  },
};

/**
 * Deletes a team, and makes nobody's what was assigned to it.
 *
 * @throws {Denied} 403 for everybody's team
 */
export async function removeTeam(
  { kv, sql }: Pick<Backend, "kv" | "sql">,
  team: Team,
): Promise<void> {
  await deleteTeam(kv, team);
  await unassignTeam(sql, await listProjectIds(kv, team.organizationId), team.id);
}

function mayNotDecide(): Denied {
  return new Denied(
    403,
    t("Only managers, owners and the team's admins can change this team."),
  );
}

const BY_SLUG = { slug: ({ slug }: { readonly slug: string }) => slug };

async function teamReply(ctx: ApiContext, access: OrganizationAccess, team: Team) {
  const members = await listMembers(ctx.state.services.kv, access.organization.id);
  return teamJson(team, access, members.length);
}

/** Only members can be in a team: who runs the instance need not be one. */
async function joinedBy(kv: Deno.Kv, team: Team, userId: string | null): Promise<Team> {
  const member = userId && await findMember(kv, team.organizationId, userId);
  return member ? await joinTeam(kv, team, member.userId) : team;
}
