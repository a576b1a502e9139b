/** The addresses below `/api/0` about ownership: rules, the CODEOWNERS file, and the owners of an event. */
import { z } from "zod";
import { emailOf, type ProjectAccess } from "../../accounts/authorize.ts";
import { onProject } from "../../api/access.ts";
import { type ApiContext, ApiError, type ApiRoutes, notFound } from "../../api/route.ts";
import { requireStoredEvent } from "../api_events.ts";
import { MAX_CODEOWNERS_BYTES } from "./codeowners.ts";
import { type Owner, type OwnerDirectory, ruleOwnerOf } from "./directory.ts";
import { loadRules, ownersOfRule, type ProjectRules } from "./load_rules.ts";
import { type OwnershipRule, ruleText } from "./rules.ts";
import {
  type AutoAssignment,
  type Codeowners,
  deleteCodeowners,
  findCodeowners,
  type OwnershipSettings,
  saveCodeowners,
  saveOwnership,
} from "./settings.ts";
import { subjectOf } from "./subject.ts";

const time = z.iso.datetime();

const OwnerJson = z.object({
  type: z.enum(["user", "team"]),
  id: z.string(),
  name: z.string().describe("Of a team its slug"),
  email: z.string().optional(),
});

const RuleJson = z.object({
  matcher: z.object({
    type: z.string().describe("path, module, url, tags.<key> or codeowners"),
    pattern: z.string().describe("* stands for any text"),
  }).describe("What an event must have"),
  owners: z.array(z.object({
    type: z.enum(["user", "team"]),
    identifier: z.string().describe("Mail address of a person, slug of a team"),
    id: z.string().optional().describe("Absent for who has left"),
  })).describe("Whom the rule names"),
});

const SchemaJson = z.object({
  "$version": z.literal(1).describe("Of this shape"),
  rules: z.array(RuleJson).describe("In the order of their lines"),
});

/** As Sentry's own pages name them. */
const AUTO_ASSIGNMENT = {
  owner: "Auto Assign to Issue Owner",
  suspect: "Auto Assign to Suspect Commits",
  off: "Turn off Auto-Assignment",
} as const satisfies Record<AutoAssignment, string>;

const autoAssignment = z.enum(Object.values(AUTO_ASSIGNMENT)).describe(
  "Who gets a new issue by itself",
);

const fallthrough = z.boolean().describe(
  "Kept; channels of alerts say who hears of what nobody owns",
);
const autoSync = z.boolean().describe("Kept; there is nothing to sync with");

const OwnershipJson = z.object({
  raw: z.string().nullable().describe("Null: never saved"),
  fallthrough,
  dateCreated: time.nullable().describe("Null: never saved"),
  lastUpdated: time.nullable().describe("Null: never saved"),
  isActive: z.boolean().describe("Always true"),
  autoAssignment,
  codeownersAutoSync: autoSync,
  schema: SchemaJson.nullable().describe("The rules as they are read"),
});

const OwnershipBody = z.object({
  raw: z.string().nullish().describe("The rules, one a line; null removes them"),
  fallthrough: fallthrough.optional(),
  autoAssignment: autoAssignment.optional(),
  codeownersAutoSync: autoSync.optional(),
});

const Names = z.record(z.string(), z.string()).describe(
  'Ours: whom names of the file mean, as {"@mona": "mona@example.com", "@acme/web": "#web"}',
);

const CodeownersJson = z.object({
  id: z.string(),
  raw: z.string().describe("The file"),
  codeMappingId: z.string().nullable().describe("By which its paths are those of stacks"),
  provider: z.literal("unknown").describe("Files are uploaded, not fetched"),
  dateCreated: time,
  dateUpdated: time,
  ownershipSyntax: z.string().describe("The rules that were made of it"),
  schema: SchemaJson.describe("The same as data"),
  names: Names,
  errors: z.object({
    missing_user_emails: z.array(z.string()).describe("Mail addresses of nobody"),
    missing_external_users: z.array(z.string()).describe("Names of nobody, as @mona"),
    missing_external_teams: z.array(z.string()).describe("Teams that are not here, as @acme/web"),
    teams_without_access: z.array(z.string()).describe("Always empty: they count as missing"),
    users_without_access: z.array(z.string()).describe("Always empty: they count as missing"),
  }).describe("Owners of lines that are rules by others"),
  dropped: z.array(z.object({ line: z.int(), text: z.string(), reason: z.string() })).describe(
    "Ours: lines of which no rule was made, and why",
  ),
});

const CodeownersBody = z.object({
  raw: z.string().optional().describe("The file, up to 3 MB"),
  codeMappingId: z.coerce.string().nullish().describe("Null: paths as in the repository"),
  names: Names.optional(),
});
type FileBody = z.output<typeof CodeownersBody>;

/** A file of the longest size, with its line ends escaped. */
const MAX_BODY_BYTES = 2 * MAX_CODEOWNERS_BYTES;

const Matcher = z.tuple([z.string(), z.string()]);
const EventOwnersJson = z.object({
  owners: z.array(OwnerJson).describe("Of the rule that wins"),
  rule: Matcher.nullable().describe("Type and pattern of the rule that wins"),
  rules: z.array(z.tuple([Matcher, z.array(z.tuple([z.string(), z.string()]))])).describe(
    "All that match, the one that wins first: each with its owners as type and identifier",
  ),
});

const PROJECT = "/projects/:organization/:project";

export const ownershipRoutes: ApiRoutes = {
  [`${PROJECT}/ownership`]: {
    GET: onProject("project:read", {
      summary: "The ownership rules of a project",
      answer: OwnershipJson,
    }, (ctx, { project }) => ownershipReply(ctx, project)),
    PUT: onProject("project:write", {
      summary: "Changes the ownership rules of a project",
      body: OwnershipBody,
      maxBodyBytes: 1_000_000,
      answer: OwnershipJson,
    }, saveReply),
  },
  [`${PROJECT}/codeowners`]: {
    GET: onProject("project:read", {
      summary: "The CODEOWNERS file of a project: a list of one, or none",
      answer: z.array(CodeownersJson),
    }, async (ctx, { project }) => {
      const rules = await loadRules(ctx.state.services, project);
      return rules.codeowners === null ? [] : [codeownersJson(rules.codeowners, rules)];
    }),
    POST: onProject("project:write", {
      summary: "Adds a CODEOWNERS file; 400 when there is one",
      body: CodeownersBody,
      maxBodyBytes: MAX_BODY_BYTES,
      answer: CodeownersJson,
      status: 201,
    }, addReply),
  },
  [`${PROJECT}/codeowners/:codeowners`]: {
    PUT: onProject("project:write", {
      summary: "Changes the CODEOWNERS file",
      body: CodeownersBody,
      maxBodyBytes: MAX_BODY_BYTES,
      answer: CodeownersJson,
    }, async (ctx, access, { body }) => {
      await requireFile(ctx, access);
      return await storeFile(ctx, access, body);
    }),
    DELETE: onProject("project:write", {
      summary: "Removes the CODEOWNERS file",
    }, async (ctx, access) => {
      await requireFile(ctx, access);
      await deleteCodeowners(ctx.state.services.sql, access.project.id);
    }),
  },
  [`${PROJECT}/events/:event/owners`]: {
    GET: onProject("project:read", {
      summary: "Whom the ownership rules name for an event, and by which rules",
      answer: EventOwnersJson,
    }, eventOwnersReply),
  },
};

async function ownershipReply(
  ctx: ApiContext,
  project: ProjectAccess["project"],
): Promise<z.input<typeof OwnershipJson>> {
  const { settings, rules, directory } = await loadRules(ctx.state.services, project);
  return {
    ...settingsJson(settings),
    schema: settings.createdAt === null ? null : schemaJson(rules, directory),
  };
}

function settingsJson(settings: OwnershipSettings) {
  return {
    raw: settings.createdAt === null ? null : settings.raw,
    fallthrough: settings.fallthrough,
    dateCreated: settings.createdAt?.toISOString() ?? null,
    lastUpdated: settings.updatedAt?.toISOString() ?? null,
    isActive: true,
    autoAssignment: AUTO_ASSIGNMENT[settings.autoAssignment],
    codeownersAutoSync: settings.autoSync,
  };
}

async function saveReply(
  ctx: ApiContext,
  { project }: ProjectAccess,
  { body }: { readonly body: z.output<typeof OwnershipBody> },
) {
  const { services, actor } = ctx.state;
  const { raw, fallthrough, codeownersAutoSync: autoSync } = body;
  const chosen = (Object.keys(AUTO_ASSIGNMENT) as AutoAssignment[])
    .find((key) => AUTO_ASSIGNMENT[key] === body.autoAssignment);
  // Owners who have left since do not keep anybody from changing the rest.
  await saveOwnership(services, project, {
    ...raw === undefined ? {} : { raw: raw ?? "" },
    ...chosen === undefined ? {} : { autoAssignment: chosen },
    ...fallthrough === undefined ? {} : { fallthrough },
    ...autoSync === undefined ? {} : { autoSync },
  }, emailOf(actor));
  return await ownershipReply(ctx, project);
}

async function addReply(
  ctx: ApiContext,
  access: ProjectAccess,
  { body }: { readonly body: FileBody },
) {
  if (await findCodeowners(ctx.state.services.sql, access.project.id) !== null) {
    throw ApiError.fields({ codeMappingId: ["This project has a CODEOWNERS file: change it."] });
  }
  return await storeFile(ctx, access, body);
}

async function storeFile(ctx: ApiContext, { project }: ProjectAccess, body: FileBody) {
  const { services, actor } = ctx.state;
  const { raw, codeMappingId, names } = body;
  const saved = await saveCodeowners(services, project, {
    ...raw === undefined ? {} : { raw },
    ...codeMappingId === undefined ? {} : { codeMappingId: codeMappingId || null },
    ...names === undefined ? {} : { names },
  }, emailOf(actor));
  return codeownersJson(saved, await loadRules(services, project));
}

/** @throws {ApiError} 404 */
async function requireFile(ctx: ApiContext, { project }: ProjectAccess): Promise<void> {
  const known = await findCodeowners(ctx.state.services.sql, project.id);
  if (known === null || known.id !== ctx.params.codeowners) throw notFound();
}

function codeownersJson(
  { id, raw, codeMappingId, createdAt, updatedAt, names }: Codeowners,
  { converted: { rules, dropped, unknown }, directory }: ProjectRules,
): z.input<typeof CodeownersJson> {
  const isTeam = (name: string) => /^@.*\//.test(name);
  return {
    id,
    raw,
    codeMappingId,
    provider: "unknown",
    dateCreated: createdAt.toISOString(),
    dateUpdated: updatedAt.toISOString(),
    ownershipSyntax: rules.map(ruleText).join("\n"),
    schema: schemaJson(rules, directory),
    names,
    errors: {
      missing_user_emails: unknown.filter((name) => !name.startsWith("@")),
      missing_external_users: unknown.filter((name) => name.startsWith("@") && !isTeam(name)),
      missing_external_teams: unknown.filter(isTeam),
      teams_without_access: [],
      users_without_access: [],
    },
    dropped: [...dropped],
  };
}

function schemaJson(
  rules: readonly OwnershipRule[],
  directory: OwnerDirectory,
): z.input<typeof SchemaJson> {
  return {
    "$version": 1,
    rules: rules.map(({ type, pattern, owners }) => ({
      matcher: { type, pattern },
      owners: owners.map((owner) => {
        const found = directory.find(owner);
        return { ...owner, ...found === null ? {} : { id: found.id } };
      }),
    })),
  };
}

async function eventOwnersReply(
  ctx: ApiContext,
  { project }: ProjectAccess,
): Promise<z.input<typeof EventOwnersJson>> {
  const { payload } = await requireStoredEvent(ctx, project.id);
  const { matcher, directory } = await loadRules(ctx.state.services, project);
  const { rules } = matcher(subjectOf(JSON.parse(payload)));
  const [winner] = rules;
  return {
    owners: winner === undefined ? [] : ownersOfRule(directory, winner).map(ownerJson),
    rule: winner === undefined ? null : [winner.type, winner.pattern],
    rules: rules.map(({ type, pattern, owners }) => [
      [type, pattern],
      owners.map((owner) => [owner.type, owner.identifier]),
    ]),
  };
}

function ownerJson(owner: Owner): z.input<typeof OwnerJson> {
  const { kind, id } = owner;
  return owner.kind === "team"
    ? { type: kind, id, name: owner.slug }
    : { type: kind, id, name: owner.name, email: ruleOwnerOf(owner).identifier };
}
