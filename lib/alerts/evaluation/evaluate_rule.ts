import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { isOfIssues } from "../check_input.ts";
import type { Notice } from "../channels/message.ts";
import {
  type AlertRule,
  type AlertTransition,
  type GroupState,
  newState,
  type Told,
} from "../rule.ts";
import type { StoredRule } from "../rules.ts";
import { type GroupValue, MAX_GROUPS, readValues, type ValueServices } from "./values.ts";
import type { Evaluation } from "./stored_states.ts";
import { type Change, endState, forget, type Step, stepState, tellState } from "./group_states.ts";

/** The project of a rule, as far as evaluations need it. */
export interface RulePlace extends NoticePlace {
  readonly apdexMs: number;
  readonly noticeOf: NoticeWording;
}

/** Issues are looked for a little longer than in the window, since events may come late. */
const LATE_MS = 5 * MINUTE_MS;
/** After a longer standstill issues of before are not told of any more. */
const MOST_MISSED_MS = DAY_MS;
/** A group of which nothing has come for so long is gone: its host, say, was taken away. */
const FORGOTTEN_MS = DAY_MS;
/** With more groups than this, those that are well and have no data are forgotten at once: others came in their place. */
const MANY_GROUPS = 2 * MAX_GROUPS;

/** A rule that takes longer to make up for what was missed goes on the next time. */
const CATCH_UP_MS = 10_000;

/** A group on its way through the windows that are judged. */
interface Walk {
  readonly state: GroupState;
  readonly changes: readonly Change[];
  readonly words: string;
  /** Of the last window. */
  readonly isPresent: boolean;
}

/**
 * Judges the windows of a rule that have not been judged yet, in their order. Only what has come out of it in the end is
 * told of; the history has all changes with their times.
 *
 * @param states of the rule's groups
 * @param latest the end of the last window
 * @param now when channels are told
 * @param catchUpMs after so long, windows that are left are not begun
 * @returns what is to be stored, or null when there is nothing to judge
 * @throws what `readValues()` throws
 */
export async function evaluateRule(
  services: ValueServices,
  rule: StoredRule,
  states: readonly GroupState[],
  place: RulePlace,
  latest: Date,
  now: Date,
  catchUpMs = CATCH_UP_MS,
): Promise<Evaluation | null> {
  const ends = endsSince(rule.evaluatedUntil, latest);
  if (ends.length === 0) return null;
  const { walks, until } = isOfIssues(rule)
    ? { walks: await walkIssues(services, rule, states, place, latest), until: latest }
    : await walkWindows(services, rule, states, place, ends, catchUpMs);
  return tellAll(rule, walks, place, { latest: until, now, isEnded: false });
}

/** Ends what a rule is in that nobody wants to be watched any more. */
export function endRule(
  rule: StoredRule,
  states: readonly GroupState[],
  place: RulePlace,
  now: Date,
): Evaluation {
  const walked = states.map((state): Walk => {
    // It will not flap any more.
    const step = endState({ ...state, isFlapping: false, toldBefore: null }, now);
    return { ...walkOf(step), words: state.group, isPresent: false };
  });
  return tellAll({ ...rule, mutedUntil: null, schedule: null }, walked, place, {
    latest: rule.evaluatedUntil ?? now,
    now,
    isEnded: true,
  });
}

async function walkWindows(
  services: ValueServices,
  rule: StoredRule,
  states: readonly GroupState[],
  place: RulePlace,
  ends: readonly Date[],
  catchUpMs: number,
): Promise<{ readonly walks: readonly Walk[]; readonly until: Date }> {
  const began = performance.now();
  let walks = new Map(states.map((state) => [state.group, start(state)]));
  let until = new Date(0);
  for (const end of ends) {
    if (until.getTime() > 0 && performance.now() - began >= catchUpMs) break;
    until = end;
    const values = (await valuesAt(services, rule, place, end)).slice(0, MAX_GROUPS);
    const isLast = end === ends.at(-1);
    const againEnd = isLast ? againBeside(end, rule.windowMinutes) : null;
    const again = againEnd === null ? [] : await valuesAt(services, rule, place, againEnd);
    walks = stepAll(rule, walks, values, { at: end, againAt: againEnd ?? end, again });
  }
  return { walks: [...walks.values()], until };
}

function valuesAt(
  services: ValueServices,
  rule: StoredRule,
  { apdexMs }: RulePlace,
  end: Date,
): Promise<GroupValue[]> {
  const start = new Date(end.getTime() - rule.windowMinutes * MINUTE_MS);
  return readValues(services, { ...rule, apdexMs }, { start, end });
}

interface Looked {
  readonly at: Date;
  readonly againAt: Date;
  readonly again: readonly GroupValue[];
}

function stepAll(
  rule: StoredRule,
  walks: ReadonlyMap<string, Walk>,
  values: readonly GroupValue[],
  { at, againAt, again }: Looked,
): Map<string, Walk> {
  const found = new Map(values.map((each) => [each.group, each]));
  const late = new Map(again.map(({ group, value }) => [group, value]));
  // Before there is any group, and where there is none, the rule as a whole is what has no data.
  if (found.size + walks.size === 0) found.set("", { group: "", words: "", value: null });
  const stepped = new Map<string, Walk>();
  for (const group of new Set([...walks.keys(), ...found.keys()])) {
    const walk = walks.get(group) ?? start(newState(group, rule.activeSince));
    const value = found.get(group)?.value ?? null;
    const before = late.get(group) ?? null;
    const look = { at, value, again: before === null ? null : { at: againAt, value: before } };
    const isReplaced = group === "" && found.size > 0 && !found.has("");
    const isCrowded = walks.size > MANY_GROUPS && walk.state.status === "ok";
    const isOver = isReplaced || value === null && (isCrowded || isForgotten(walk.state, at));
    const step = isOver ? endState(walk.state, at) : stepState(rule, walk.state, look);
    stepped.set(group, {
      ...walkOf(step, walk.changes),
      words: found.get(group)?.words ?? group,
      isPresent: !isOver,
    });
  }
  return stepped;
}

function isForgotten(state: GroupState, at: Date): boolean {
  return state.group !== "" && at.getTime() - state.seenAt.getTime() >= FORGOTTEN_MS;
}

/** Issues fire once, and are over without a word when the window has passed them. */
async function walkIssues(
  services: ValueServices,
  rule: StoredRule,
  states: readonly GroupState[],
  { apdexMs }: RulePlace,
  latest: Date,
): Promise<Walk[]> {
  const window = { start: issuesSince(rule, latest), end: latest };
  const values = await readValues(services, { ...rule, apdexMs }, window);
  const known = new Map(states.map((state) => [state.group, state]));
  const found = new Set(values.map(({ group }) => group));
  const present = values.map(({ group, words, value }): Walk => {
    const state = known.get(group) ?? newState(group, latest);
    const step = stepState(rule, state, { at: latest, value, again: null });
    return { ...walkOf(step), words, isPresent: true };
  });
  const over = states.filter(({ group }) => !found.has(group)).map((state): Walk => {
    const step = endState(state, latest);
    return { ...walkOf(step), state: forget(step.state), words: "", isPresent: false };
  });
  return [...present, ...over];
}

function issuesSince(rule: StoredRule, latest: Date): Date {
  const usual = latest.getTime() - rule.windowMinutes * MINUTE_MS - LATE_MS;
  const missed = (rule.evaluatedUntil ?? latest).getTime() - LATE_MS;
  const earliest = Math.max(rule.activeSince.getTime(), latest.getTime() - MOST_MISSED_MS);
  return new Date(Math.min(latest.getTime(), Math.max(Math.min(usual, missed), earliest)));
}

interface Moment {
  readonly latest: Date;
  readonly now: Date;
  readonly isEnded: boolean;
}

function tellAll(
  rule: StoredRule,
  walks: readonly Walk[],
  place: RulePlace,
  { latest, now, isEnded }: Moment,
): Evaluation {
  const told = walks.map((walk) => {
    const { state, news, outcome } = tellState(rule, walk.state, now);
    const notice = news === null ? null : place.noticeOf(rule, place, {
      state: walk.state,
      told: news,
      words: walk.words,
      at: now,
      isEnded,
    });
    return { walk, state, notice, history: historyOf(rule, walk, outcome, now) };
  });
  const isOver = ({ walk, state }: (typeof told)[number]) =>
    !walk.isPresent && state.status === "ok" && state.told.status === "ok";
  return {
    rule,
    until: latest,
    error: "",
    states: told.filter((each) => !isOver(each)).map(({ state }) => state),
    gone: told.filter(isOver).map(({ state }) => state.group),
    history: told.flatMap(({ history }) => history),
    notices: told.flatMap(({ notice }) => notice === null ? [] : [notice]),
    toldAt: told.some(({ notice }) => notice !== null) ? now : null,
  };
}

/** Of what happened at once the last change is what channels are told of; what was held back may be told later. */
function historyOf(
  { ruleId }: StoredRule,
  { state, changes }: Walk,
  outcome: AlertTransition["notice"],
  now: Date,
): AlertTransition[] {
  const { group, status, level, value } = state;
  if (changes.length === 0) {
    if (outcome !== "sent") return [];
    return [{ ruleId, group, at: now, from: status, to: status, level, value, notice: "sent" }];
  }
  return changes.map((change, place) => ({
    ruleId,
    group,
    ...change,
    notice: place === changes.length - 1 ? outcome : "none",
  }));
}

function start(state: GroupState): Walk {
  return { state, changes: [], words: state.group, isPresent: true };
}

function walkOf({ state, change }: Step, before: readonly Change[] = []) {
  return { state, changes: change === null ? before : [...before, change] };
}

/**
 * Rules are judged twice a minute, a few seconds after the half: what crosses a threshold is told of well within a
 * minute, and what was sent until then has been stored.
 */
const PERIOD_MS = 30 * SECOND_MS;
const DELAY_MS = 5 * SECOND_MS;
/** After a standstill so many minutes are made up for. */
const MOST_MISSED = 60;

/** The end of the last window that is to be judged at a time. */
export function latestEnd(now: Date): Date {
  return new Date(Math.floor((now.getTime() - DELAY_MS) / PERIOD_MS) * PERIOD_MS);
}

/** How long it is until the next windows are to be judged, in milliseconds. */
export function untilNext(now: Date): number {
  return latestEnd(now).getTime() + PERIOD_MS + DELAY_MS - now.getTime();
}

/**
 * The ends of the windows that are to be judged: the latest one and, after a standstill, that of each minute before.
 *
 * @param last the end of the window that was judged last; null: none yet
 * @returns ascending; none when the latest has been judged
 */
export function endsSince(last: Date | null, latest: Date): Date[] {
  if (last === null) return [latest];
  if (last >= latest) return [];
  if (latest.getTime() - last.getTime() <= MINUTE_MS) return [latest];
  const from = Math.max(last.getTime(), latest.getTime() - MOST_MISSED * MINUTE_MS);
  const missed: Date[] = [];
  const first = (Math.floor(from / MINUTE_MS) + 1) * MINUTE_MS;
  for (let end = first; end < latest.getTime(); end += MINUTE_MS) {
    missed.push(new Date(end));
  }
  return [...missed, latest];
}

/** Windows up to this length are looked at once more; longer ones hold what comes late anyway. */
const AGAIN_UP_TO_MINUTES = 15;
const AGAIN_AFTER_MS = 2 * MINUTE_MS;

/** The end of the earlier window that is looked at once more beside one, or null: not beside this one. */
export function againBeside(end: Date, windowMinutes: number): Date | null {
  const isDue = end.getTime() % MINUTE_MS === 0 && windowMinutes <= AGAIN_UP_TO_MINUTES;
  return isDue ? new Date(end.getTime() - AGAIN_AFTER_MS) : null;
}

/** The project that notices are about, and where it is found. */
export interface NoticePlace {
  readonly projectName: string;
  /** As in the settings, without a slash at its end. */
  readonly baseUrl: string;
}

/** What a notice tells of. */
export interface News {
  readonly state: GroupState;
  readonly told: Told;
  /** What the group is called, or `""`. */
  readonly words: string;
  readonly at: Date;
  /** The rule was switched off or deleted. */
  readonly isEnded: boolean;
}

/** Words what channels hear of a group of a rule. Handed in: words and addresses are those of the pages. */
export type NoticeWording = (rule: AlertRule, place: NoticePlace, news: News) => Notice;
