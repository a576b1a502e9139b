/** Which rules something would match, for whoever writes them. */
import { storable } from "../../core/errors.ts";
import type { Sql } from "../../store/database.ts";
import { findEvent } from "../events.ts";
import { ownersOfRule, type ProjectRules } from "./load_rules.ts";
import { type OwnershipRule, ownerText } from "./rules.ts";
import { ruleOwnerOf } from "./directory.ts";
import { subjectOf, subjectOfText } from "./subject.ts";
import { t } from "../../core/language/translate.ts";

export interface TriedRules {
  /** As it was entered. */
  readonly text: string;
  /** Why it could not be tried; null: it was. */
  readonly problem: string | null;
  /** The one that wins first. */
  readonly rules: readonly OwnershipRule[];
  /** Of the one that wins, as rules name them. */
  readonly owners: readonly string[];
  /** Not all rules were asked. */
  readonly isCut: boolean;
}

const MAX_TEXT = 1_000;

/** @param entered an event's id, a path, an address, or a tag as `tags.area:search` */
export async function tryRules(
  sql: Sql,
  projectId: string,
  { matcher, directory }: ProjectRules,
  entered: string,
): Promise<TriedRules> {
  const text = storable(entered.trim().slice(0, MAX_TEXT));
  const id = text.replaceAll("-", "").toLowerCase();
  const isId = /^[0-9a-f]{32}$/.test(id);
  const event = isId ? await findEvent(sql, projectId, id) : null;
  if (isId && event === null) {
    const problem = t("This event does not exist, or is older than what is kept.");
    return { text, problem, rules: [], owners: [], isCut: false };
  }
  const subject = event === null ? subjectOfText(text) : subjectOf(JSON.parse(event.payload));
  const { rules, isCut } = matcher(subject);
  const [winner] = rules;
  const owners = winner === undefined ? [] : ownersOfRule(directory, winner);
  return {
    text,
    problem: null,
    rules,
    owners: owners.map((owner) => ownerText(ruleOwnerOf(owner))),
    isCut,
  };
}
