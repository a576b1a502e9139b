import { findProject } from "../../accounts/projects.ts";
import { settingsOf } from "../../accounts/project_settings.ts";
import type { Logger } from "../../core/log.ts";
import { dueRules, endedRules, groupsOf, removeRule } from "./due_rules.ts";
import type { GroupState } from "../group_state.ts";
import type { StoredRule } from "../rules.ts";
import { type Evaluation, saveEvaluations } from "./save_evaluations.ts";
import type { Sql } from "../../store/database.ts";
import { InvalidQuery } from "../../metrics/invalid_query.ts";
import { QueryTooSlow } from "../../store/statement_timeout.ts";
import { TimeLimitExceeded, withTimeLimit } from "../../core/time_limit.ts";
import { endRule, evaluateRule, type RulePlace } from "./evaluate_rule.ts";
import type { NoticeWording } from "./news.ts";
import { ProjectShares } from "./project_shares.ts";
import { READ_LIMIT_MS } from "./read_values.ts";
import { latestEnd } from "./window_ends.ts";

export interface AlertServices {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly log: Logger;
  /** Address of the service in links, without a slash at its end. */
  readonly baseUrl: string;
  readonly noticeOf: NoticeWording;
}

/** Rules that are judged side by side: pages need connections as well. */
const AT_ONCE = 3;
/** Rules whose groups are in memory together. */
const RULES_A_ROUND = 500;
/** What has nothing to tell is stored together. */
const EVALUATIONS_A_SAVE = 50;
/** Deno KV waits for ever while its server is away. */
const KV_LIMIT_MS = 5_000;

/**
 * Judges all rules of which a window is over, and ends what was switched off or deleted. A rule that fails keeps the
 * reason and holds no other up; those of a project that takes long wait for those of the others.
 *
 * @param now by which windows are over, and at which channels are told
 * @param stopping ends the work between two rules
 * @param shares how the time is shared among projects
 * @throws what `postgres` and Deno KV throw while they are away: nothing is lost, the next call makes up for it
 */
export async function evaluateAll(
  services: AlertServices,
  now: Date,
  stopping: AbortSignal,
  shares = new ProjectShares(),
): Promise<void> {
  const places = new Places(services);
  await endAll(services, places, now);
  const work: Work = { services, places, shares, now, stopping };
  const due = await dueRules(services.sql, latestEnd(now));
  const postponed = await judgeRules(work, due, ({ projectId }) => !shares.isUsedUp(projectId));
  await judgeRules(work, postponed, () => !shares.isOver());
}

interface Work {
  readonly services: AlertServices;
  readonly places: Places;
  readonly shares: ProjectShares;
  readonly now: Date;
  readonly stopping: AbortSignal;
}

/**
 * Judges rules in rounds.
 *
 * @param hasTurn asked of each when it would be judged
 * @returns those that had no turn
 */
async function judgeRules(
  work: Work,
  rules: readonly StoredRule[],
  hasTurn: (rule: StoredRule) => boolean,
): Promise<StoredRule[]> {
  const left: StoredRule[] = [];
  const isNext = (rule: StoredRule) => {
    const has = hasTurn(rule);
    if (!has) left.push(rule);
    return has;
  };
  for (let first = 0; first < rules.length && !work.stopping.aborted; first += RULES_A_ROUND) {
    const some = rules.slice(first, first + RULES_A_ROUND).filter(isNext);
    if (some.length === 0) continue;
    await judgeRound(work, some, await groupsOf(work.services.sql, some), isNext);
  }
  return left;
}

async function judgeRound(
  { services, places, shares, now, stopping }: Work,
  rules: readonly StoredRule[],
  groups: ReadonlyMap<string, GroupState[]>,
  hasTurn: (rule: StoredRule) => boolean,
): Promise<void> {
  const waiting = [...rules];
  let judged: Evaluation[] = [];
  const save = async () => {
    const evaluations = judged;
    judged = [];
    await saveAll(services, evaluations);
  };
  const judgeSome = async () => {
    for (let rule = waiting.shift(); rule && !stopping.aborted; rule = waiting.shift()) {
      if (!hasTurn(rule)) continue;
      const { projectId, ruleId } = rule;
      const place = await places.of(projectId);
      if (place === null) continue;
      const states = groups.get(ruleId) ?? [];
      const evaluation = await shares.spend(
        projectId,
        () => judge(services, rule, states, place, now),
      );
      if (evaluation === null) continue;
      judged.push(evaluation);
      if (evaluation.notices.length > 0 || judged.length >= EVALUATIONS_A_SAVE) await save();
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, judgeSome));
  await save();
  for (const lane of lanes) if (lane.status === "rejected") throw lane.reason;
}

/** Stores evaluations at once or, when that fails, each by itself: one that cannot be stored holds no other up. */
async function saveAll(
  { sql, log }: AlertServices,
  evaluations: readonly Evaluation[],
): Promise<void> {
  try {
    await saveEvaluations(sql, evaluations);
  } catch (error) {
    if (evaluations.length < 2) throw error;
    const saves = await Promise.allSettled(
      evaluations.map((evaluation) => saveEvaluations(sql, [evaluation])),
    );
    if (saves.every(({ status }) => status === "rejected")) throw error;
    for (const save of saves) {
      if (save.status === "rejected") log.error("cannot store an alert", { error: save.reason });
    }
  }
}

async function judge(
  services: AlertServices,
  rule: StoredRule,
  states: readonly GroupState[],
  place: RulePlace,
  now: Date,
): Promise<Evaluation | null> {
  const latest = latestEnd(now);
  try {
    return await evaluateRule(services, rule, states, place, latest, now);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) services.log.error("cannot judge an alert", { rule: rule.ruleId, error });
    const failed = { states: [], gone: [], history: [], notices: [], toldAt: null };
    // What the rule itself is the reason for will not be better later; anything else is made up for.
    const until = reason === null ? rule.evaluatedUntil ?? latest : latest;
    return { rule, until, error: reason ?? "It could not be judged. The log has more.", ...failed };
  }
}

/** Why a rule cannot be judged, as its reader can act on it; null for what is no fault of the rule. */
function reasonOf(error: unknown): string | null {
  if (error instanceof InvalidQuery) return error.message;
  if (error instanceof QueryTooSlow || error instanceof TimeLimitExceeded) {
    return `Reading its values took longer than ${
      READ_LIMIT_MS / 1_000
    } s: watch less, or over a ` +
      "shorter window.";
  }
  return null;
}

async function endAll({ sql, log }: AlertServices, places: Places, now: Date): Promise<void> {
  const rules = await endedRules(sql);
  if (rules.length === 0) return;
  const groups = await groupsOf(sql, rules);
  for (const { isDeleted, ...rule } of rules) {
    const place = await places.of(rule.projectId);
    try {
      const states = groups.get(rule.ruleId) ?? [];
      if (place !== null) await saveEvaluations(sql, [endRule(rule, states, place, now)]);
      if (isDeleted) await removeRule(sql, rule);
    } catch (error) {
      log.error("cannot end an alert", { rule: rule.ruleId, error });
    }
  }
}

/** The projects of rules, each read once an evaluation. */
class Places {
  readonly #known = new Map<string, Promise<RulePlace | null>>();

  constructor(private readonly services: AlertServices) {}

  /** Null for a project that was deleted. */
  of(projectId: string): Promise<RulePlace | null> {
    const known = this.#known.get(projectId) ?? this.#read(projectId);
    this.#known.set(projectId, known);
    return known;
  }

  async #read(projectId: string): Promise<RulePlace | null> {
    const { kv, baseUrl, noticeOf } = this.services;
    const project = await withTimeLimit(findProject(kv, projectId), KV_LIMIT_MS);
    if (project === null) return null;
    return {
      projectName: project.name,
      baseUrl,
      apdexMs: settingsOf(project).apdexMs,
      noticeOf,
    };
  }
}
