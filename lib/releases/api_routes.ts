import { z } from "zod";
import type { OrganizationAccess } from "../accounts/authorize.ts";
import type { Project } from "../accounts/projects.ts";
import { listVisibleProjects } from "../accounts/visibility.ts";
import { onOrganization, onProject, requireOrganization, requireProject } from "../api/access.ts";
import { PAGE_QUERY, readLimit, readOffset } from "../api/lists.ts";
import {
  type ApiContext,
  ApiError,
  type ApiMethods,
  type ApiRoutes,
  behind,
  listReply,
  notFound,
} from "../api/route.ts";
import type { Permission } from "../accounts/members.ts";
import {
  changesOf,
  dateOf,
  DeployInput,
  MAX_RELEASE_BYTES,
  newCommitsOf,
  NewReleaseInput,
  ReleaseInput,
  RepositoryInput,
} from "./api_input.ts";
import {
  CommitFileJson,
  commitFileJson,
  CommitJson,
  commitJson,
  DeployJson,
  deployJson,
  ReleaseJson,
  releasesJson,
  RepositoryJson,
  repositoryJson,
} from "./api_json.ts";
import { commitsOf, filesOf, previousWithCommits, setCommits } from "./commits.ts";
import { createDeploy, deploysOf } from "./deploys.ts";
import {
  deleteRelease,
  ensureRelease,
  isReleaseName,
  listVersions,
  type Release,
  releasesNamed,
} from "./releases.ts";
import { listRepositories, saveRepository } from "./repositories.ts";

/** What the rooms above add. */
export interface ReleaseHooks {
  /** Is told after a release has got commits; what they fix is asked by `openFixes()`. */
  readonly onReleaseCommits?: (ctx: ApiContext, project: Project, version: string) => Promise<void>;
}

const text = z.string().optional();
const ListQuery = z.object({
  query: text.describe("A part of the version"),
  sort: text.describe("date or semver"),
  status: text.describe("open or archived"),
  project: z.array(z.string()).describe("Ids or slugs, of an organization's releases"),
  ...PAGE_QUERY,
});
const ReposQuery = z.object({ query: text.describe("A part of the name"), ...PAGE_QUERY });
const PageQuery = z.object(PAGE_QUERY);

/** What an address is about: projects of one organization, and in them perhaps releases of one name. */
interface Place {
  readonly organizationId: string;
  readonly projects: readonly Project[];
}
interface ReleasePlace extends Place {
  readonly version: string;
  /** At least one. */
  readonly releases: readonly Release[];
}

type Gate<Found> = (ctx: ApiContext, scope: Permission) => Promise<Found>;

const ofOrganization: Gate<Place> = async (ctx, scope) => {
  const access = await requireOrganization(ctx, scope);
  const all = await listVisibleProjects(ctx.state.services.kv, access);
  const named = ctx.url.searchParams.getAll("project").filter((name) => name !== "");
  const projects = named.length === 0 || named.includes("-1") ? all : projectsNamed(all, named);
  return { organizationId: access.organization.id, projects };
};

const ofProject: Gate<Place> = async (ctx, scope) => {
  const { organization, project } = await requireProject(ctx, scope);
  return { organizationId: organization.id, projects: [project] };
};

/** @throws {ApiError} 400 as Sentry's for a name that is none of them */
function projectsNamed(all: readonly Project[], names: readonly (string | number)[]): Project[] {
  return [...new Set(names.map(String))].map((name) => {
    const project = all.find(({ slug }) => slug === name) ?? all.find(({ id }) => id === name);
    if (project === undefined) throw ApiError.fields({ projects: ["Invalid project slugs"] });
    return project;
  });
}

function withRelease(gate: Gate<Place>): Gate<ReleasePlace> {
  return async (ctx, scope) => {
    const place = await gate(ctx, scope);
    const version = versionIn(ctx);
    const ids = place.projects.map(({ id }) => id);
    const releases = await releasesNamed(ctx.state.services.sql, ids, [version]);
    if (releases.length === 0) throw notFound();
    return { ...place, version, releases };
  };
}

/** In `/api/0/organizations/<name>/releases/<version>`, and one further in the form of projects. */
const PLACE = 6;

/** The version in the address: routers leave escapes such as `%40` in it. @throws {ApiError} 404 for what is no text */
function versionIn({ url, params }: ApiContext): string {
  const part = url.pathname.split("/")[params.project === undefined ? PLACE : PLACE + 1] ?? "";
  try {
    return decodeURIComponent(part);
  } catch {
    throw notFound();
  }
}

/** Where a list of pages of so many rows begins. */
function readPage({ url: { searchParams } }: ApiContext) {
  const limit = readLimit(searchParams.get("limit") ?? searchParams.get("per_page"));
  return { limit, offset: readOffset(searchParams.get("cursor")) };
}

/** @param rows one more than the page has, when there are more */
function pageReply<Row>(
  ctx: ApiContext,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  rows: readonly Row[],
  json: (rows: readonly Row[]) => readonly unknown[] = (all) => all,
): Response {
  return listReply(ctx, json(rows.slice(0, limit)), {
    previousCursor: offset > 0 ? `0:${Math.max(0, offset - limit)}:1` : null,
    nextCursor: rows.length > limit ? `0:${offset + limit}:0` : null,
  });
}

async function releaseReply(
  { state: { services: { sql } } }: ApiContext,
  projects: readonly Project[],
  version: string,
) {
  const [release] = await releasesJson(sql, projects, [version]);
  if (release === undefined) throw notFound();
  return release;
}

/** Changes a release in each of these projects. @returns whether it is new in one of them */
async function saveRelease(
  ctx: ApiContext,
  hooks: ReleaseHooks,
  { organizationId, projects }: Place,
  version: string,
  input: z.output<typeof ReleaseInput>,
): Promise<boolean> {
  const { sql } = ctx.state.services;
  const changes = changesOf(input);
  const commits = newCommitsOf(input, new Date());
  let isNew = false;
  for (const project of projects) {
    if (await ensureRelease(sql, project.id, version, changes)) isNew = true;
    if (commits === null) continue;
    await setCommits(sql, organizationId, project.id, version, commits);
    await hooks.onReleaseCommits?.(ctx, project, version);
  }
  return isNew;
}

async function createReply(
  ctx: ApiContext,
  hooks: ReleaseHooks,
  place: Place,
  { version, ...input }: z.output<typeof NewReleaseInput>,
): Promise<Response> {
  if (!isReleaseName(version)) {
    throw ApiError.fields({ version: ["Release name is not valid"] });
  }
  const isNew = await saveRelease(ctx, hooks, place, version, input);
  return Response.json(await releaseReply(ctx, place.projects, version), {
    status: isNew ? 201 : 208,
  });
}

/** The methods of one form of addresses: of an organization or of a project. */
function formOf(gate: Gate<Place>, hooks: ReleaseHooks, creates: ApiMethods): ApiRoutes {
  const inPlace = behind(gate);
  const ofRelease = behind(withRelease(gate));
  return {
    "": {
      GET: inPlace("release:read", {
        summary: "Releases, the newest first",
        query: ListQuery,
        answer: z.array(ReleaseJson),
      }, async (ctx, { projects }, { query: { query = "", sort, status } }) => {
        const { sql } = ctx.state.services;
        const page = readPage(ctx);
        const versions = await listVersions(sql, projects.map(({ id }) => id), {
          query,
          sort: sort === "semver" ? "semver" : "date",
          status: status === "open" || status === "archived" ? status : null,
          offset: page.offset,
          limit: page.limit + 1,
        });
        const rows = await releasesJson(sql, projects, versions.slice(0, page.limit));
        return pageReply(ctx, page, [...rows, ...versions.slice(page.limit)]);
      }),
      ...creates,
    },
    "/:version": {
      GET: ofRelease("release:read", { summary: "One release", answer: ReleaseJson }, (
        ctx,
        { projects, version },
      ) => releaseReply(ctx, projects, version)),
      PUT: ofRelease("release:write", {
        summary: "Changes a release, and gives it commits",
        body: ReleaseInput,
        maxBodyBytes: MAX_RELEASE_BYTES,
        answer: ReleaseJson,
      }, async (ctx, { releases, projects, organizationId, version }, { body }) => {
        const having = projects.filter(({ id }) => releases.some((each) => each.projectId === id));
        await saveRelease(ctx, hooks, { organizationId, projects: having }, version, body);
        return await releaseReply(ctx, projects, version);
      }),
      DELETE: ofRelease("release:write", {
        summary: "Deletes a release with its commits and deploys; events stay",
      }, async ({ state: { services: { sql } } }, { releases, version }) => {
        for (const { projectId } of releases) await deleteRelease(sql, projectId, version);
      }),
    },
    "/:version/commits": {
      GET: ofRelease("release:read", {
        summary: "The commits of a release, the newest first",
        query: PageQuery,
        answer: z.array(CommitJson),
      }, async (ctx, { releases, version }) => {
        const page = readPage(ctx);
        const asked = { offset: page.offset, limit: page.limit + 1 };
        const projectId = withCommits(releases).projectId;
        const rows = await commitsOf(ctx.state.services.sql, projectId, version, asked);
        return pageReply(ctx, page, rows, (all) => all.map(commitJson));
      }),
    },
    "/:version/commitfiles": {
      GET: ofRelease("release:read", {
        summary: "The files that the commits of a release changed",
        query: PageQuery,
        answer: z.array(CommitFileJson),
      }, async (ctx, { releases, version }) => {
        const page = readPage(ctx);
        const asked = { offset: page.offset, limit: page.limit + 1 };
        const projectId = withCommits(releases).projectId;
        const rows = await filesOf(ctx.state.services.sql, projectId, version, asked);
        return pageReply(ctx, page, rows, (all) => all.map(commitFileJson));
      }),
    },
    "/:version/previous-with-commits": {
      GET: inPlace("release:read", {
        summary: "The release with commits before this one; {} when there is none",
        answer: z.union([ReleaseJson, z.strictObject({})]),
      }, async (ctx, { projects }) => {
        const ids = projects.map(({ id }) => id);
        const before = await previousWithCommits(ctx.state.services.sql, ids, versionIn(ctx));
        return before === null ? {} : await releaseReply(ctx, projects, before.version);
      }),
    },
    "/:version/deploys": {
      GET: ofRelease("release:read", {
        summary: "The deploys of a release, the newest first",
        query: PageQuery,
        answer: z.array(DeployJson),
      }, async (ctx, { releases, version }) => {
        const page = readPage(ctx);
        const ids = releases.map(({ projectId }) => projectId);
        const asked = { offset: page.offset, limit: page.limit + 1 };
        const rows = await deploysOf(ctx.state.services.sql, ids, version, asked);
        return pageReply(ctx, page, rows, (all) => all.map(deployJson));
      }),
      POST: ofRelease("release:write", {
        summary: "Notes that a release was brought to an environment",
        body: DeployInput,
        answer: DeployJson,
        status: 201,
      }, async (ctx, { releases, projects, version }, { body }) => {
        const { sql } = ctx.state.services;
        const wanted = !body.projects?.length ? projects : projectsNamed(projects, body.projects);
        const having = releases.filter((each) => wanted.some(({ id }) => id === each.projectId));
        const made = await Promise.all(having.map(({ projectId }) =>
          createDeploy(sql, projectId, {
            version,
            environment: body.environment,
            name: body.name ?? "",
            url: body.url ?? "",
            startedAt: dateOf(body.dateStarted),
            finishedAt: dateOf(body.dateFinished) ?? new Date(),
          })
        ));
        const [first] = made;
        if (first === undefined) throw ApiError.fields({ projects: ["Invalid project slugs"] });
        return deployJson(first);
      }),
    },
  };
}

/** Projects of one name of release mostly have the same commits. */
function withCommits(releases: readonly Release[]): Release {
  return releases.reduce((most, each) => each.commitCount > most.commitCount ? each : most);
}

/** What the addresses below `/api/0` do that are about releases, by method. */
export function releaseRoutes(hooks: ReleaseHooks = {}): ApiRoutes {
  const CREATE = {
    summary: "Makes a release, or changes it where it is there: 208 then",
    alsoStatus: 208,
    body: NewReleaseInput,
    maxBodyBytes: MAX_RELEASE_BYTES,
    answer: ReleaseJson,
    status: 201,
  };
  const ofOrganizations = formOf(ofOrganization, hooks, {
    POST: onOrganization("release:write", CREATE, async (ctx, access, { body }) => {
      const all = await listVisibleProjects(ctx.state.services.kv, access);
      if (!body.projects?.length) {
        throw ApiError.fields({ projects: ["This field is required."] });
      }
      return await createReply(ctx, hooks, {
        organizationId: access.organization.id,
        projects: projectsNamed(all, body.projects),
      }, body);
    }),
  });
  const ofProjects = formOf(ofProject, hooks, {
    POST: onProject("release:write", CREATE, (ctx, { organization, project }, { body }) => (
      createReply(ctx, hooks, { organizationId: organization.id, projects: [project] }, body)
    )),
  });
  return {
    ...below("/organizations/:organization/releases", ofOrganizations),
    ...below("/projects/:organization/:project/releases", ofProjects),
    "/organizations/:organization/repos": {
      GET: onOrganization("release:read", {
        summary: "The repositories that commits are from",
        query: ReposQuery,
        answer: z.array(RepositoryJson),
      }, reposReply),
      POST: onOrganization("release:write", {
        summary: "Makes a repository, or gives the one of that name an address",
        body: RepositoryInput,
        answer: RepositoryJson,
        status: 201,
      }, async ({ state: { services: { sql } } }, { organization }, { body: { name, url } }) => (
        repositoryJson(await saveRepository(sql, organization.id, name, url ?? null))
      )),
    },
  };
}

async function reposReply(
  ctx: ApiContext,
  { organization }: OrganizationAccess,
  { query: { query = "" } }: { query: z.output<typeof ReposQuery> },
): Promise<Response> {
  const page = readPage(ctx);
  const asked = { query, offset: page.offset, limit: page.limit + 1 };
  const rows = await listRepositories(ctx.state.services.sql, organization.id, asked);
  return pageReply(ctx, page, rows, (all) => all.map(repositoryJson));
}

function below(path: string, routes: ApiRoutes): ApiRoutes {
  return Object.fromEntries(
    Object.entries(routes).map(([each, methods]) => [path + each, methods]),
  );
}
