/** Teams in Sentry's API. */
import { z } from "zod";
import type { OrganizationAccess } from "../accounts/authorize.ts";
import { findMember, listMembers } from "../accounts/members.ts";
import { listProjectIds, listProjects } from "../accounts/projects.ts";
import {
  addTeamProject,
  createTeam,
  deleteTeam,
  dropTeamProject,
  findTeam,
  isInTeam,
  joinTeam,
  leaveTeam,
  listTeams,
  projectsOf,
  type Team,
  teamsOf,
  updateTeam,
} from "../accounts/teams.ts";
import { unassignTeam } from "../errors/mod.ts";
import type { Backend } from "../store/stores.ts";
import { onOrganization, onProject, requireOrganization, requireProject } from "../api/access.ts";
import { PAGE_QUERY, sortedPage } from "../api/lists.ts";
import { MemberJson, memberJson, TeamJson, teamJson } from "../api/people.ts";
import { type ApiContext, type ApiRoutes, behind, listReply, notFound } from "../api/route.ts";
import {
  createProjectReply,
  NewProject,
  OwnProjectJson,
  ProjectJson,
  projectJson,
  projectReply,
} from "./json.ts";

interface TeamAccess extends OrganizationAccess {
  readonly team: Team;
}

const onTeam = behind(async (ctx, scope): Promise<TeamAccess> => {
  const access = await requireOrganization(ctx, scope);
  return { ...access, team: await teamOf(ctx, access) };
});

const onProjectTeam = behind(async (ctx, scope) => {
  const access = await requireProject(ctx, scope);
  return { ...access, team: await teamOf(ctx, access) };
});

async function teamOf(
  { state, params }: ApiContext,
  { organization }: OrganizationAccess,
): Promise<Team> {
  const team = await findTeam(state.services.kv, organization, params.team ?? "");
  if (team === null) throw notFound();
  return team;
}

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

const onMemberTeam = behind(async (ctx, scope) => {
  const access = await requireOrganization(ctx, scope);
  const named = ctx.params.member ?? "";
  const userId = named === "me" ? access.userId ?? "" : named;
  const member = await findMember(ctx.state.services.kv, access.organization.id, userId);
  if (member === null) throw notFound();
  return { ...access, member, team: await teamOf(ctx, access) };
});

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
        listProjects(kv, organization.id),
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
    POST: onMemberTeam("team:write", {
      summary: "Puts a member into a team",
      answer: TeamJson,
      status: 201,
    }, async (ctx, { member, team, ...access }) => {
      const joined = await joinTeam(ctx.state.services.kv, team, member.userId);
      return await teamReply(ctx, access, joined);
    }),
    DELETE: onMemberTeam("team:write", {
      summary: "Takes a member out of a team",
      answer: TeamJson,
    }, async (ctx, { member, team, ...access }) => {
      const left = await leaveTeam(ctx.state.services.kv, team, member.userId);
      return await teamReply(ctx, access, left);
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
        listProjects(kv, organization.id),
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
