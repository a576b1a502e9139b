/** The rules of a project as they hold now, ready to be asked. */
import type { Sql } from "../../store/database.ts";
import { convertCodeowners, type ConvertedCodeowners } from "./codeowners.ts";
import { type Owner, type OwnerDirectory, ownerDirectory } from "./directory.ts";
import { type RuleMatcher, ruleMatcher } from "./match.ts";
import { type OwnershipRule, parseRules } from "./rules.ts";
import {
  type Codeowners,
  findCodeowners,
  type OwnershipSettings,
  ownershipSettings,
  rootsOf,
} from "./settings.ts";

export interface ProjectRules {
  readonly settings: OwnershipSettings;
  readonly codeowners: Codeowners | null;
  readonly converted: ConvertedCodeowners;
  readonly rules: readonly OwnershipRule[];
  readonly directory: OwnerDirectory;
  readonly matcher: RuleMatcher;
}

export interface RuleStores {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
}

interface OwnedProject {
  readonly id: string;
  readonly organizationId: string;
}

const NOTHING: ConvertedCodeowners = { rules: [], dropped: [], unknown: [] };

export async function loadRules(
  { kv, sql }: RuleStores,
  project: OwnedProject,
): Promise<ProjectRules> {
  const [settings, codeowners] = await Promise.all([
    ownershipSettings(sql, project.id),
    findCodeowners(sql, project.id),
  ]);
  const directory = await ownerDirectory(kv, project, codeowners?.names);
  const converted = codeowners === null ? NOTHING : convertCodeowners(
    codeowners.raw,
    await rootsOf(sql, project.id, codeowners),
    directory.ownerOf,
  );
  const { rules } = parseRules(settings.raw);
  return {
    settings,
    codeowners,
    converted,
    rules,
    directory,
    matcher: ruleMatcher(rules, converted.rules),
  };
}

/** The owners of a rule who are still of the project, each once. */
export function ownersOfRule(directory: OwnerDirectory, { owners }: OwnershipRule): Owner[] {
  return owners.flatMap((owner) => directory.find(owner) ?? []);
}

/** Members come and go without a word to anybody who keeps rules. */
const KEPT_MS = 60_000;
/** A file of 3 MB makes 20 MB of rules. */
const MAX_KEPT = 10;

/** Rules of the projects that were asked for last: a file of 3 MB is not read for each event. */
export class RulesCache {
  readonly #kept = new Map<string, { rules: ProjectRules; version: string; until: number }>();

  constructor(readonly stores: RuleStores) {}

  async of(project: OwnedProject): Promise<ProjectRules> {
    const version = await this.#versionOf(project.id);
    const known = this.#kept.get(project.id);
    if (known !== undefined && known.version === version && performance.now() < known.until) {
      return known.rules;
    }
    const rules = await loadRules(this.stores, project);
    this.#kept.delete(project.id);
    this.#kept.set(project.id, { rules, version, until: performance.now() + KEPT_MS });
    for (const id of this.#kept.keys()) if (this.#kept.size > MAX_KEPT) this.#kept.delete(id);
    return rules;
  }

  async #versionOf(projectId: string): Promise<string> {
    const [row] = await this.stores.sql<{ version: string }[]>`
      select concat_ws('/',
        (select updated_at from ownership_rules where project_id = ${projectId}),
        (select updated_at from codeowners where project_id = ${projectId})
      ) as version
    `;
    return row?.version ?? "";
  }
}
