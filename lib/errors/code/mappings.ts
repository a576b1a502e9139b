/** Which repositories the files of a project's stack frames are from. */
import { z } from "zod";
import { InvalidInput, storable } from "../../core/errors.ts";
import { auditChange, type AuditedKind, inTransaction } from "../../store/audit.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { isId } from "../../store/query_limits.ts";
import { CODE_HOSTS, type CodeHost, type CodeRule } from "./source_link.ts";
import { message, t } from "../../core/language/translate.ts";

export interface CodeMapping extends CodeRule {
  readonly projectId: string;
  readonly id: string;
  readonly host: CodeHost;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** E-mail address; `""` for a token of the instance. */
  readonly updatedBy: string;
}

/** What somebody entered. */
export interface MappingInput {
  readonly host: string;
  /** Of the repository's page: `https://github.com/acme/shop`; of `custom` the whole template. */
  readonly address: string;
  /** As releases name it; of `custom` only, others tell it by their address. */
  readonly repository: string;
  readonly stackRoot: string;
  readonly sourceRoot: string;
  readonly defaultBranch: string;
}

const MAX_MAPPINGS = 100;
const NO_ADDRESS = message("Enter an address that starts with https:// or http://.");
const MAX_ADDRESS = 1_000;

const root = z.string().max(500, { error: () => t("Enter at most 500 characters.") })
  .refine((text) => !text.split(/[\\/]/).includes(".."), {
    error: () => t("A root has no .. in it."),
  })
  .transform((text) => storable(text.replaceAll("\\", "/")));

const Fields = z.object({
  host: z.enum(Object.keys(CODE_HOSTS) as CodeHost[], {
    error: () => t("Choose where the repository is."),
  }),
  address: z.string().max(MAX_ADDRESS, { error: () => t(NO_ADDRESS) }),
  repository: z.string().max(200, { error: () => t("Enter at most 200 characters.") }),
  stackRoot: root,
  sourceRoot: root,
  defaultBranch: z.string()
    .regex(/^[\w][\w./+-]{0,199}$/, { error: () => t("Enter the name of a branch, as main.") })
    .refine(
      (text) => !text.split("/").includes(".."),
      { error: () => t("Enter the name of a branch, as main.") },
    ),
});

type Row = CodeRule & Pick<CodeMapping, "host">;

/** All mappings of a project, in the order of their roots. */
export async function listMappings(sql: Queryable, projectId: string): Promise<CodeMapping[]> {
  return await mappingsOf(sql, [projectId]);
}

/** Those of several projects. */
export async function mappingsOf(
  sql: Queryable,
  projectIds: readonly string[],
): Promise<CodeMapping[]> {
  return await sql<CodeMapping[]>`
    select project_id::text as "projectId", id::text as id, repository, host,
      url_template as "urlTemplate", stack_root as "stackRoot", source_root as "sourceRoot",
      default_branch as "defaultBranch", created_at as "createdAt", updated_at as "updatedAt",
      updated_by as "updatedBy"
    from code_mappings where project_id = any (${[...projectIds]}::bigint[])
    order by project_id, stack_root, id
  `;
}

/** The mapping of this id, or null when the project has none. */
export async function findMapping(
  sql: Queryable,
  projectId: string,
  id: string,
): Promise<CodeMapping | null> {
  if (!isId(id)) return null;
  return (await listMappings(sql, projectId)).find((mapping) => mapping.id === id) ?? null;
}

/**
 * Adds a mapping to a project.
 *
 * @param by e-mail address of who does it, or `""`
 * @returns its id
 * @throws {InvalidInput}
 */
export async function addMapping(
  sql: Sql,
  projectId: string,
  input: MappingInput,
  by: string,
): Promise<string> {
  const row = check(input);
  if ((await listMappings(sql, projectId)).length >= MAX_MAPPINGS) {
    throw new InvalidInput(
      "",
      t("A project has at most {n} code mapping.|A project has at most {n} code mappings.", {
        n: MAX_MAPPINGS,
      }),
    );
  }
  return await inTransaction(sql, async (tx) => {
    const [made] = await tx<{ id: string }[]>`
      insert into code_mappings (
        project_id, repository, host, url_template, stack_root, source_root, default_branch,
        created_at, updated_at, updated_by
      ) values (
        ${projectId}, ${row.repository}, ${row.host}, ${row.urlTemplate}, ${row.stackRoot},
        ${row.sourceRoot}, ${row.defaultBranch}, now(), now(), ${by}
      )
      on conflict (project_id, stack_root, source_root, repository) do nothing
      returning id::text as id
    `;
    if (made === undefined) throw taken();
    const mapping = { ...row, projectId, id: made.id };
    await auditChange(tx, "code-mapping.create", AUDITED, null, mapping);
    return made.id;
  });
}

const AUDITED: AuditedKind<Row & Pick<CodeMapping, "projectId" | "id">> = {
  kind: "code-mapping",
  of: ({ projectId, id, repository }) => ({ projectId, id, label: repository }),
  shown: ({ repository, host, urlTemplate, stackRoot, sourceRoot, defaultBranch }) => ({
    repository,
    host,
    urlTemplate,
    stackRoot,
    sourceRoot,
    defaultBranch,
  }),
};

/** Changes a mapping. @returns false when it is gone @throws {InvalidInput} */
export async function changeMapping(
  sql: Sql,
  projectId: string,
  id: string,
  input: MappingInput,
  by: string,
): Promise<boolean> {
  const row = check(input);
  return await inTransaction(sql, async (tx) => {
    const before = await findMapping(tx, projectId, id);
    const others = await tx`
      select 1 from code_mappings
      where project_id = ${projectId} and id <> ${id} and stack_root = ${row.stackRoot}
        and source_root = ${row.sourceRoot} and repository = ${row.repository}
    `;
    if (others.length > 0) throw taken();
    const { count } = await tx`
      update code_mappings set
        repository = ${row.repository}, host = ${row.host}, url_template = ${row.urlTemplate},
        stack_root = ${row.stackRoot}, source_root = ${row.sourceRoot},
        default_branch = ${row.defaultBranch}, updated_at = now(), updated_by = ${by}
      where project_id = ${projectId} and id = ${id}
    `;
    if (count === 0) return false;
    await auditChange(tx, "code-mapping.edit", AUDITED, before, { ...row, projectId, id });
    return true;
  });
}

/** @returns false when it was gone already */
export async function deleteMapping(sql: Sql, projectId: string, id: string): Promise<boolean> {
  if (!isId(id)) return false;
  return await inTransaction(sql, async (tx) => {
    const before = await findMapping(tx, projectId, id);
    const { count } = await tx`
      delete from code_mappings where project_id = ${projectId} and id = ${id}
    `;
    if (count === 0) return false;
    await auditChange(tx, "code-mapping.remove", AUDITED, before, null);
    return true;
  });
}

function taken(): InvalidInput {
  return new InvalidInput("stackRoot", t("There is a mapping of these roots already."), "taken");
}

function check(input: MappingInput): Row {
  const result = Fields.safeParse(input);
  if (!result.success) {
    const { path = [], message = "" } = result.error.issues[0] ?? {};
    throw new InvalidInput(String(path[0] ?? ""), message);
  }
  const { host, address, repository, ...rest } = result.data;
  return host === "custom"
    ? {
      ...rest,
      host,
      urlTemplate: checkTemplate(address),
      repository: checkRepository(repository),
    }
    : { ...rest, host, ...knownHost(host, address) };
}

/** Of a host whose addresses are known, the page of the repository tells everything. */
function knownHost(host: Exclude<CodeHost, "custom">, address: string) {
  const url = httpUrl(address);
  const repository = url.pathname.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "");
  if (!/^[\w.~-]+(?:\/[\w.~-]+)+$/.test(repository)) {
    throw new InvalidInput(
      "address",
      t("Enter the page of a repository, as https://github.com/acme/shop."),
    );
  }
  return { repository, urlTemplate: `${url.origin}/${repository}${CODE_HOSTS[host].template}` };
}

function checkTemplate(text: string): string {
  const { host } = httpUrl(text);
  if (/[{}]|%7[bd]/i.test(host)) {
    throw new InvalidInput("address", t("Names in braces stand behind the host only."));
  }
  if (!text.includes("{path}")) {
    throw new InvalidInput(
      "address",
      t("The address must have {place} in it.", { place: "{path}" }),
    );
  }
  return storable(text);
}

function httpUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== "") {
    throw new InvalidInput("address", t(NO_ADDRESS));
  }
  return url;
}

function checkRepository(text: string): string {
  if (/^[\w.~-]+(?:\/[\w.~-]+)*$/.test(text)) return text;
  throw new InvalidInput("repository", t("Enter the name of the repository, as acme/shop."));
}

/** What the form shows of a mapping. */
export function inputOf({ host, urlTemplate, ...mapping }: CodeMapping): MappingInput {
  const { template } = CODE_HOSTS[host];
  return {
    ...mapping,
    host,
    address: host === "custom" ? urlTemplate : urlTemplate.slice(0, -template.length),
  };
}
