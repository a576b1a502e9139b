/** The addresses below `/api/0` about repositories: lines of frames, and who changed them last. */
import { z } from "zod";
import { emailOf, type OrganizationAccess, type ProjectAccess } from "../../accounts/authorize.ts";
import type { Project } from "../../accounts/projects.ts";
import { listVisibleProjects } from "../../accounts/visibility.ts";
import { onOrganization, onProject } from "../../api/access.ts";
import { type ApiContext, ApiError, type ApiRoutes, notFound } from "../../api/route.ts";
import { resolveAssignee } from "../../accounts/assignees.ts";
import { CommitJson, commitJson, type SuspectCommit } from "../../releases/mod.ts";
import { requireStoredEvent } from "../api_events.ts";
import { findIssue } from "../issues.ts";
import { commitsOf } from "./frame_links.ts";
import {
  addMapping,
  changeMapping,
  type CodeMapping,
  deleteMapping,
  inputOf,
  listMappings,
  type MappingInput,
  mappingsOf,
} from "./mappings.ts";
import { CODE_HOSTS, type CodeHost, sourceLink } from "./source_link.ts";
import { suspectsOfEvent } from "./suspects.ts";

const text = z.string().optional();
const list = z.array(z.string());

/** As Sentry has it; `host` and `urlTemplate` are ours. */
const MappingJson = z.object({
  id: z.string(),
  projectId: z.string(),
  projectSlug: z.string(),
  repoId: z.string().nullable(),
  repoName: z.string(),
  integrationId: z.null(),
  provider: z.object({ key: z.string(), name: z.string() }),
  stackRoot: z.string(),
  sourceRoot: z.string(),
  defaultBranch: z.string(),
  automaticallyGenerated: z.boolean(),
  host: z.enum(Object.keys(CODE_HOSTS) as CodeHost[]),
  urlTemplate: z.string(),
}).meta({ title: "Code mapping" });

const MappingBody = z.object({
  projectId: z.coerce.string().describe("Id or slug").optional(),
  host: z.string().optional(),
  address: z.string().describe("The repository's page; of custom a template").optional(),
  repository: z.string().describe("Of custom: its name").optional(),
  stackRoot: z.string().optional(),
  sourceRoot: z.string().optional(),
  defaultBranch: z.string().optional(),
});
type Body = z.output<typeof MappingBody>;

const NEW: MappingInput = {
  host: "github",
  address: "",
  repository: "",
  stackRoot: "",
  sourceRoot: "",
  defaultBranch: "main",
};

const LinkJson = z.object({
  config: MappingJson.nullable(),
  sourceUrl: z.string().nullable(),
  integrations: z.array(z.never()),
  error: z.string().optional(),
});

const CommittersJson = z.object({
  committers: z.array(z.object({
    author: z.object({
      id: z.string().describe("Of a member of the organization").optional(),
      name: z.string(),
      email: z.string(),
    }).nullable(),
    commits: z.array(CommitJson.extend({
      score: z.int().describe("Equal parts of the paths of frame and file"),
      suspectCommitType: z.literal("via commit in release"),
    })),
  })),
}).meta({ title: "Committers" });

export const codeRoutes: ApiRoutes = {
  "/projects/:organization/:project/events/:event/committers": {
    GET: onProject("project:read", {
      summary: "The commits that may be at fault for an event, by author; 404 when none is known",
      answer: CommittersJson,
    }, committersReply),
  },
  "/organizations/:organization/code-mappings": {
    GET: onOrganization("project:read", {
      summary: "The code mappings of an organization's projects",
      query: z.object({ project: list.describe("Ids or slugs") }),
      answer: z.array(MappingJson),
    }, listReply),
    POST: onOrganization("project:write", {
      summary: "Adds a code mapping to a project",
      errors: [409],
      body: MappingBody,
      answer: MappingJson,
      status: 201,
    }, addReply),
  },
  "/organizations/:organization/code-mappings/:mapping": {
    PUT: onOrganization("project:write", {
      summary: "Changes a code mapping",
      errors: [409],
      body: MappingBody,
      answer: MappingJson,
    }, changeReply),
    DELETE: onOrganization("project:write", {
      summary: "Removes a code mapping",
    }, async (ctx, access) => {
      const { mapping } = await requireMapping(ctx, access);
      await deleteMapping(ctx.state.services.sql, mapping.projectId, mapping.id);
    }),
  },
  "/projects/:organization/:project/stacktrace-link": {
    GET: onProject("project:read", {
      summary: "The line of a stack frame in its repository",
      query: z.object({
        file: z.string().describe("As the frame has it"),
        absPath: text,
        lineNo: text,
        commitId: text,
        release: text.describe("Ours: the release that the frame is of"),
        platform: text,
        module: text,
        package: text,
      }),
      answer: LinkJson,
    }, async (ctx, { project }, { query }) => await linkReply(ctx, project, query)),
  },
};

async function committersReply(ctx: ApiContext, { organization, project }: ProjectAccess) {
  const { kv, sql } = ctx.state.services;
  const event = await requireStoredEvent(ctx, project.id);
  const issue = await findIssue(sql, project.id, event.issueId);
  const suspects = await suspectsOfEvent(sql, project.id, issue?.firstRelease ?? "", event);
  if (suspects.length === 0) throw ApiError.detail(404, "No commits found for release");
  const byAuthor = Map.groupBy(suspects, ({ authorEmail, authorName }) => (
    authorEmail.toLowerCase() || authorName
  ));
  return {
    committers: await Promise.all([...byAuthor.values()].map(async (commits) => ({
      author: await authorOf(kv, organization.id, commits),
      commits: commits.map((commit) => ({
        ...commitJson(commit),
        score: commit.score,
        suspectCommitType: "via commit in release",
      })),
    }))),
  };
}

async function authorOf(kv: Deno.Kv, organizationId: string, [first]: readonly SuspectCommit[]) {
  const author = first === undefined ? null : commitJson(first).author;
  if (author === null || author.email === "") return author;
  const member = await resolveAssignee(kv, organizationId, null, author.email);
  return member?.kind === "user" ? { id: member.id, ...author } : author;
}

async function listReply(
  ctx: ApiContext,
  access: OrganizationAccess,
  { query: { project: named } }: { readonly query: { readonly project: readonly string[] } },
) {
  const { kv, sql } = ctx.state.services;
  const projects = await listVisibleProjects(kv, access);
  const isAll = named.length === 0 || named.includes("-1");
  const meant = projects.filter(({ id, slug }) =>
    isAll || named.includes(id) || named.includes(slug)
  );
  const mappings = await mappingsOf(sql, meant.map(({ id }) => id));
  const slugs = new Map(meant.map(({ id, slug }) => [id, slug]));
  return mappings.map((mapping) => mappingJson(mapping, slugs.get(mapping.projectId) ?? ""));
}

async function addReply(
  ctx: ApiContext,
  access: OrganizationAccess,
  { body }: { readonly body: Body },
) {
  const { kv, sql } = ctx.state.services;
  const projects = await listVisibleProjects(kv, access);
  const project = projects.find(({ id, slug }) => [id, slug].includes(body.projectId ?? ""));
  if (project === undefined) {
    throw ApiError.fields({ projectId: ["This organization has no such project."] });
  }
  const id = await addMapping(sql, project.id, merged(NEW, body), emailOf(ctx.state.actor));
  return await mappingOf(ctx, project, id);
}

async function changeReply(
  ctx: ApiContext,
  access: OrganizationAccess,
  { body }: { readonly body: Body },
) {
  const { sql } = ctx.state.services;
  const { mapping, project } = await requireMapping(ctx, access);
  const input = merged(inputOf(mapping), body);
  await changeMapping(sql, project.id, mapping.id, input, emailOf(ctx.state.actor));
  return await mappingOf(ctx, project, mapping.id);
}

function merged(former: MappingInput, body: Body): MappingInput {
  return {
    host: body.host ?? former.host,
    address: body.address?.trim() ?? former.address,
    repository: body.repository?.trim() ?? former.repository,
    stackRoot: body.stackRoot?.trim() ?? former.stackRoot,
    sourceRoot: body.sourceRoot?.trim() ?? former.sourceRoot,
    defaultBranch: body.defaultBranch?.trim() ?? former.defaultBranch,
  };
}

/** @throws {ApiError} 404, also for those of other organizations */
async function requireMapping(
  ctx: ApiContext,
  access: OrganizationAccess,
): Promise<{ readonly mapping: CodeMapping; readonly project: Project }> {
  const { kv, sql } = ctx.state.services;
  const projects = await listVisibleProjects(kv, access);
  const mappings = await mappingsOf(sql, projects.map(({ id }) => id));
  const mapping = mappings.find(({ id }) => id === ctx.params.mapping);
  const project = projects.find(({ id }) => id === mapping?.projectId);
  if (mapping === undefined || project === undefined) throw notFound();
  return { mapping, project };
}

async function mappingOf(ctx: ApiContext, { id: projectId, slug }: Project, id: string) {
  const mappings = await listMappings(ctx.state.services.sql, projectId);
  const mapping = mappings.find((one) => one.id === id);
  if (mapping === undefined) throw notFound();
  return mappingJson(mapping, slug);
}

async function linkReply(
  ctx: ApiContext,
  project: Project,
  query: {
    readonly file: string;
    readonly absPath?: string | undefined;
    readonly lineNo?: string | undefined;
    readonly commitId?: string | undefined;
    readonly release?: string | undefined;
  },
): Promise<z.input<typeof LinkJson>> {
  const { sql } = ctx.state.services;
  const none = { config: null, sourceUrl: null, integrations: [] };
  const mappings = await listMappings(sql, project.id);
  if (mappings.length === 0) return { ...none, error: "no_code_mappings_for_project" };
  const commit = /^[0-9a-f]{7,64}$/i.test(query.commitId ?? "") ? query.commitId : undefined;
  const commitOf = await commitsOf(sql, project.id, query.release ?? "");
  const line = Number(query.lineNo);
  const frame = {
    file: query.file,
    path: query.absPath ?? "",
    line: Number.isSafeInteger(line) && line > 0 ? line : null,
  };
  const found = sourceLink(frame, mappings, (repository) => commit ?? commitOf(repository));
  if (found === null) return { ...none, error: "stack_root_mismatch" };
  return { ...none, config: mappingJson(found.rule, project.slug), sourceUrl: found.url };
}

function mappingJson(mapping: CodeMapping, projectSlug: string): z.input<typeof MappingJson> {
  const { id, projectId, repository, host, stackRoot, sourceRoot, defaultBranch } = mapping;
  return {
    id,
    projectId,
    projectSlug,
    repoId: null,
    repoName: repository,
    integrationId: null,
    provider: { key: host, name: CODE_HOSTS[host].label },
    stackRoot,
    sourceRoot,
    defaultBranch,
    automaticallyGenerated: false,
    host,
    urlTemplate: mapping.urlTemplate,
  };
}
