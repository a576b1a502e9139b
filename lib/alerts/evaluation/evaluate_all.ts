import { KV_LIMIT_MS } from "../../accounts/kv.ts";
import { startLeased } from "../../accounts/leased_clock.ts";
import { findProject, settingsOf } from "../../accounts/projects.ts";
import type { Logger } from "../../core/log.ts";
import { type Repeated, TimeLimitExceeded, withTimeLimit } from "../../core/waiting.ts";
import { InvalidQuery } from "../../metrics/mod.ts";
import type { Sql } from "../../store/database.ts";
import { QueryTooSlow } from "../../store/query_limits.ts";
import type { GroupState } from "../rule.ts";
import type { StoredRule } from "../rules.ts";
import {
  dueRules,
  endedRules,
  type Evaluation,
  groupsOf,
  removeRule,
  saveEvaluations,
} from "./stored_states.ts";
import {
  endRule,
  evaluateRule,
  latestEnd,
  type NoticeWording,
  type RulePlace,
  untilNext,
} from "./evaluate_rule.ts";
import { READ_LIMIT_MS } from "./values.ts";
import { t } from "../../core/language/translate.ts";
import { inLanguage } from "../../core/request_scope.ts";

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
  const places = placesOf(services);
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
      const place = await places(projectId);
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
    return {
      rule,
      until,
      error: reason ?? t("It could not be judged. The log has more."),
      ...failed,
    };
  }
}

/** Why a rule cannot be judged, as its reader can act on it; null for what is no fault of the rule. */
function reasonOf(error: unknown): string | null {
  if (error instanceof InvalidQuery) return error.message;
  if (error instanceof QueryTooSlow || error instanceof TimeLimitExceeded) {
    return t(
      "Reading its values took longer than {n} s: watch less, or over a shorter window.",
      { n: READ_LIMIT_MS / 1_000 },
    );
  }
  return null;
}

async function endAll({ sql, log }: AlertServices, places: Places, now: Date): Promise<void> {
  const rules = await endedRules(sql);
  if (rules.length === 0) return;
  const groups = await groupsOf(sql, rules);
  for (const { isDeleted, ...rule } of rules) {
    const place = await places(rule.projectId);
    try {
      const states = groups.get(rule.ruleId) ?? [];
      if (place !== null) await saveEvaluations(sql, [endRule(rule, states, place, now)]);
      if (isDeleted) await removeRule(sql, rule);
    } catch (error) {
      log.error("cannot end an alert", { rule: rule.ruleId, error });
    }
  }
}

/** Null for a project that was deleted. */
type Places = (projectId: string) => Promise<RulePlace | null>;

/** The projects of rules, each read once an evaluation. */
function placesOf({ kv, baseUrl, noticeOf }: AlertServices): Places {
  const known = new Map<string, Promise<RulePlace | null>>();
  const read = async (projectId: string): Promise<RulePlace | null> => {
    const project = await withTimeLimit(findProject(kv, projectId), KV_LIMIT_MS);
    if (project === null) return null;
    const { apdexMs, language } = settingsOf(project);
    return {
      projectName: project.name,
      baseUrl,
      apdexMs,
      noticeOf: (...told) => inLanguage({ language }, () => noticeOf(...told)),
    };
  };
  return (projectId) => {
    const place = known.get(projectId) ?? read(projectId);
    known.set(projectId, place);
    return place;
  };
}

const WORK = "alerts";
/** Outlasts the pause between two evaluations; after a crash nobody is told of anything for so long. */
const LEASE_MS = 40_000;

/**
 * Judges the alerts of all projects twice a minute, in one isolate at a time. When the lease passes on too early both
 * judge: a rule moves on in the transaction that changes its states, which only one of them can commit.
 */
export function startClock(services: AlertServices): Repeated {
  return startLeased(services, {
    name: WORK,
    everyMs: () => untilNext(new Date()),
    leaseMs: LEASE_MS,
    failure: "cannot judge alerts",
    async work(stopping) {
      await evaluateAll(services, new Date(), stopping);
    },
  });
}

/** How the time of an evaluation is shared among projects: one with slow alerts holds no other up. */
interface ShareLimits {
  /** After so much time of its alerts, the rest of a project's wait until those of others are judged. */
  readonly projectMs: number;
  /** Later than this, what waits is left to the next evaluation. */
  readonly allMs: number;
}

const LIMITS: ShareLimits = { projectMs: 10_000, allMs: 30_000 };

/** The shares of one evaluation, which begins with the making. */
export class ProjectShares {
  readonly #began = performance.now();
  readonly #spentMs = new Map<string, number>();

  constructor(private readonly limits: ShareLimits = LIMITS) {}

  /** Whether a project has had its share. */
  isUsedUp(projectId: string): boolean {
    return (this.#spentMs.get(projectId) ?? 0) > this.limits.projectMs;
  }

  /** Whether all of the time is over. */
  isOver(): boolean {
    return performance.now() - this.#began > this.limits.allMs;
  }

  /** Does a project's work at the expense of its share. */
  async spend<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } finally {
      const spent = performance.now() - began;
      this.#spentMs.set(projectId, (this.#spentMs.get(projectId) ?? 0) + spent);
    }
  }
}
