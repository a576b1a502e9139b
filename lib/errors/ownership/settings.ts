/** What a project says of its owners: rules, the CODEOWNERS file, and what is done with them. */
import { InvalidInput, storable } from "../../core/errors.ts";
import { type AuditInput, changesBetween } from "../../records/audit.ts";
import { insertAudit, inTransaction } from "../../store/audit.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { listMappings } from "../code/mappings.ts";
import { MAX_CODEOWNERS_BYTES, type Roots } from "./codeowners.ts";
import { ownerDirectory } from "./directory.ts";
import type { OwnerSource } from "./issue_owners.ts";
import { MAX_RULES_LENGTH, ownerText, parseRules, problemText } from "./rules.ts";
import { t } from "../../core/language/translate.ts";

/** Who gets an issue by itself: whom rules name, first of all authors of suspect commits, or nobody. */
export const AUTO_ASSIGNMENTS = ["owner", "suspect", "off"] as const;
export type AutoAssignment = (typeof AUTO_ASSIGNMENTS)[number];

export interface OwnershipSettings {
  readonly raw: string;
  readonly fallthrough: boolean;
  readonly autoAssignment: AutoAssignment;
  readonly autoSync: boolean;
  /** Null: never saved. */
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}

export interface Codeowners {
  readonly id: string;
  readonly raw: string;
  readonly codeMappingId: string | null;
  /** `@name` → mail address or `#team`. */
  readonly names: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface Stores {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
}

interface OwnedProject {
  readonly id: string;
  readonly organizationId: string;
}

const UNSET: OwnershipSettings = {
  raw: "",
  fallthrough: true,
  autoAssignment: "owner",
  autoSync: true,
  createdAt: null,
  updatedAt: null,
};

export async function ownershipSettings(
  sql: Queryable,
  projectId: string,
): Promise<OwnershipSettings> {
  const [row] = await sql<OwnershipSettings[]>`
    select raw, fallthrough, auto_assignment as "autoAssignment", auto_sync as "autoSync",
      created_at as "createdAt", updated_at as "updatedAt"
    from ownership_rules where project_id = ${projectId}
  `;
  return row ?? UNSET;
}

export type SettingsChange = Partial<
  Pick<OwnershipSettings, "raw" | "fallthrough" | "autoAssignment" | "autoSync">
>;

/**
 * Saves what is there of a change.
 *
 * @param by mail address of who does it, or `""`
 * @throws {InvalidInput} at `raw`: a line that cannot be read, or owners that are not of the project
 */
export async function saveOwnership(
  { kv, sql }: Stores,
  project: OwnedProject,
  change: SettingsChange,
  by: string,
): Promise<void> {
  const raw = change.raw === undefined ? null : storable(change.raw);
  if (raw !== null) await checkRules(kv, project, raw);
  const { fallthrough = null, autoAssignment = null, autoSync = null } = change;
  await inTransaction(sql, async (tx) => {
    const before = await ownershipSettings(tx, project.id);
    if (raw?.trim() === "") await forgetSuggestions(tx, project.id, "rule");
    await tx`
    insert into ownership_rules as known (
      project_id, raw, fallthrough, auto_assignment, auto_sync, created_at, updated_at, updated_by
    ) values (
      ${project.id}, ${raw ?? UNSET.raw}, ${fallthrough ?? UNSET.fallthrough},
      ${autoAssignment ?? UNSET.autoAssignment}, ${autoSync ?? UNSET.autoSync}, now(), now(), ${by}
    )
    on conflict (project_id) do update set
      raw = coalesce(${raw}, known.raw), fallthrough = coalesce(${fallthrough}, known.fallthrough),
      auto_assignment = coalesce(${autoAssignment}, known.auto_assignment),
      auto_sync = coalesce(${autoSync}, known.auto_sync), updated_at = excluded.updated_at, updated_by = ${by}
  `;
    const after = await ownershipSettings(tx, project.id);
    await audit(tx, project.id, "rules", changesBetween(shownOf(before), shownOf(after)));
  });
}

function shownOf({ raw, fallthrough, autoAssignment, autoSync }: OwnershipSettings) {
  return { raw, fallthrough, autoAssignment, autoSync };
}

async function audit(
  tx: Queryable,
  projectId: string,
  what: "rules" | "CODEOWNERS",
  changes: AuditInput["changes"] & object,
): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  await insertAudit(tx, {
    event: "project.ownership-rule.edit",
    projectId,
    target: { kind: "ownership", id: projectId, label: what },
    changes,
  });
}

async function checkRules(kv: Deno.Kv, project: OwnedProject, raw: string): Promise<void> {
  if (raw.length > MAX_RULES_LENGTH) {
    throw new InvalidInput(
      "raw",
      t("Rules have at most {n} character in all.|Rules have at most {n} characters in all.", {
        n: MAX_RULES_LENGTH,
      }),
    );
  }
  const { rules, problems } = parseRules(raw);
  if (problems.length > 0) throw new InvalidInput("raw", problems.map(problemText).join("\n"));
  const directory = await ownerDirectory(kv, project);
  const strangers = rules.flatMap(({ owners }) => owners)
    .filter((owner) => directory.find(owner) === null)
    .map(ownerText);
  if (strangers.length > 0) {
    throw new InvalidInput(
      "raw",
      t("Invalid rule owners: {owners}", { owners: [...new Set(strangers)].sort().join(", ") }),
    );
  }
}

export async function findCodeowners(
  sql: Queryable,
  projectId: string,
): Promise<Codeowners | null> {
  const [row] = await sql<Codeowners[]>`
    select id::text as id, raw, code_mapping_id::text as "codeMappingId", names,
      created_at as "createdAt", updated_at as "updatedAt"
    from codeowners where project_id = ${projectId}
  `;
  return row ?? null;
}

export type CodeownersChange = Partial<Pick<Codeowners, "raw" | "codeMappingId" | "names">>;

/**
 * Saves a project's CODEOWNERS file, or what is there of a change of it.
 *
 * @throws {InvalidInput} at `raw`, `codeMappingId` or `names`
 */
export async function saveCodeowners(
  { kv, sql }: Stores,
  project: OwnedProject,
  change: CodeownersChange,
  by: string,
): Promise<Codeowners> {
  const known = await findCodeowners(sql, project.id);
  const raw = storable(change.raw ?? known?.raw ?? "");
  const codeMappingId = change.codeMappingId === undefined
    ? known?.codeMappingId ?? null
    : change.codeMappingId;
  const names = change.names ?? known?.names ?? {};
  if (raw.trim() === "") throw new InvalidInput("raw", t("Enter the lines of a CODEOWNERS file."));
  if (new TextEncoder().encode(raw).length > MAX_CODEOWNERS_BYTES) {
    throw new InvalidInput("raw", t("A CODEOWNERS file has at most 3 MB."));
  }
  if (change.codeMappingId && !await hasMapping(sql, project.id, change.codeMappingId)) {
    throw new InvalidInput("codeMappingId", t("This project has no such code mapping."));
  }
  if (change.names !== undefined) await checkNames(kv, project, change.names);
  await inTransaction(sql, async (tx) => {
    await tx`
    insert into codeowners (
      project_id, raw, code_mapping_id, names, created_at, updated_at, updated_by
    ) values (
      ${project.id}, ${raw}, ${codeMappingId}, ${
      JSON.stringify(names)
    }::text::jsonb, now(), now(), ${by}
    )
    on conflict (project_id) do update set
      raw = excluded.raw, code_mapping_id = excluded.code_mapping_id, names = excluded.names,
      updated_at = excluded.updated_at, updated_by = excluded.updated_by
  `;
    const before = known &&
      { raw: known.raw, codeMappingId: known.codeMappingId, names: known.names };
    const changes = changesBetween(before, { raw, codeMappingId, names });
    await audit(tx, project.id, "CODEOWNERS", changes);
  });
  const saved = await findCodeowners(sql, project.id);
  if (saved === null) throw new InvalidInput("", t("The file was removed at the same time."));
  return saved;
}

async function hasMapping(sql: Queryable, projectId: string, id: string): Promise<boolean> {
  return (await listMappings(sql, projectId)).some((mapping) => mapping.id === id);
}

const MAX_NAMES = 1_000;

async function checkNames(
  kv: Deno.Kv,
  project: OwnedProject,
  names: Readonly<Record<string, string>>,
): Promise<void> {
  const entries = Object.entries(names);
  if (entries.length > MAX_NAMES) {
    throw new InvalidInput(
      "names",
      t("Enter at most {n} name.|Enter at most {n} names.", { n: MAX_NAMES }),
    );
  }
  const wrong = entries.find(([name]) => !/^@?[^\s@#\0]{1,200}$/.test(name));
  if (wrong !== undefined) {
    throw new InvalidInput(
      "names",
      t('"{name}" is no name of CODEOWNERS.', { name: storable(wrong[0]).slice(0, 60) }),
    );
  }
  const directory = await ownerDirectory(kv, project, names);
  const stranger = entries.find(([name]) => directory.ownerOf(name) === null);
  if (stranger !== undefined) {
    throw new InvalidInput(
      "names",
      t("Nobody in this project is {name}: enter an email, or # and a team.", {
        name: storable(stranger[1]).slice(0, 100),
      }),
    );
  }
}

/** Removes the file with what it suggested. @returns false when there was none */
export async function deleteCodeowners(sql: Sql, projectId: string): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    const known = await findCodeowners(tx, projectId);
    const { count } = await tx`delete from codeowners where project_id = ${projectId}`;
    await forgetSuggestions(tx, projectId, "codeowners");
    if (known !== null) {
      await audit(tx, projectId, "CODEOWNERS", changesBetween({ raw: known.raw }, null));
    }
    return count > 0;
  });
}

/** What is suggested is worked out anew with the next event of an issue, and of a source that is gone never. */
async function forgetSuggestions(
  tx: Queryable,
  projectId: string,
  source: OwnerSource,
): Promise<void> {
  await tx`delete from issue_owners where project_id = ${projectId} and source = ${source}`;
}

/** Of a file whose mapping is gone, paths are those of the repository. */
export async function rootsOf(
  sql: Queryable,
  projectId: string,
  { codeMappingId }: Pick<Codeowners, "codeMappingId">,
): Promise<Roots> {
  const mapping = codeMappingId === null
    ? undefined
    : (await listMappings(sql, projectId)).find(({ id }) => id === codeMappingId);
  return mapping ?? { stackRoot: "", sourceRoot: "" };
}
