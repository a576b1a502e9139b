/** Answers questions about metrics: what pages, alerts and the API ask. */
import { Turns } from "../../core/waiting.ts";
import {
  Deadline,
  InvalidQuery,
  isClassicBuckets,
  isQuantile,
  type QueryFacts,
  type QueryRequest,
  type QueryResult,
  type ResultSeries,
} from "../query_types.ts";
import {
  addsUp,
  checkRequest,
  evaluate,
  formulaAddsUp,
  type ParsedFormula,
  sizeOf,
} from "./formula.ts";
import {
  type Answer,
  answer,
  type AnsweredGroup,
  type AskedQuery,
  chooseMetric,
  extremesOf,
  largestFirst,
} from "./answer.ts";
import type { FigureSteps } from "./figures.ts";
import type { SharingServices } from "./shared_reads.ts";
import { leastStep, type Steps, stepsBefore, stepsFor, timesOf, usualIntervalOf } from "./steps.ts";

export interface QueryServices extends SharingServices {
  /** What counts as now; the clock's time when it is absent. */
  readonly now?: Date;
}

/** A query or formula with everything it comes to. */
interface Outcome {
  readonly id: string;
  readonly top: number;
  readonly notes: readonly string[];
  readonly answer: Answer;
  readonly lacksBuckets?: true;
}

/** The groups of an outcome that are needed in the end: very many questions of very many groups fill the memory. */
type Choice = (outcome: Outcome) => readonly AnsweredGroup[];

/**
 * Answers queries and formulas along common steps.
 *
 * @throws {InvalidQuery} for questions that have no answer, or none in time, with a sentence for whoever asked
 */
export async function runQueries(
  services: QueryServices,
  request: QueryRequest,
): Promise<QueryResult> {
  const formulas = checkRequest(request);
  const now = services.now ?? new Date();
  const timed = { deadline: new Deadline(), ...services };
  const joined = new Set(formulas.flatMap(({ queryIds }) => queryIds));
  // Two may be whole; more have as much room together.
  const share = Math.min(1, 2 / joined.size);
  const asked = await Promise.all(
    request.queries.map((query) => ask(services, request, query, joined.has(query.id) ? share : 1)),
  );
  const intervals = await Promise.all(
    asked.map(({ metric }) =>
      metric === null
        ? 0
        : usualIntervalOf(services, request.projectId, metric, request.end.getTime())
    ),
  );
  const steps = stepsFor(request, request.stepMs, leastStep(intervals));
  const context: Context = { services: timed, request, asked, formulas, intervals, now };
  const current = await outcomesOf(context, steps, largestOf);
  const previous = request.comparesPrevious
    ? await outcomesOf(context, stepsBefore(steps), sameAs(current))
    : [];
  return {
    times: timesOf(steps),
    stepMs: steps.stepMs,
    series: current.flatMap((outcome) => [
      ...seriesOfOutcome(outcome),
      ...previousSeries(outcome, previous.find(({ id }) => id === outcome.id)),
    ]),
    facts: current.map((outcome) => factsOf(outcome, context)),
    notes: [
      ...stepNotes(request, steps),
      ...current.flatMap(({ notes }) => notes),
    ],
  };
}

interface Context {
  readonly services: QueryServices;
  readonly request: QueryRequest;
  readonly asked: readonly AskedQuery[];
  readonly formulas: readonly ParsedFormula[];
  /** How often the points of each query's metric come, in milliseconds; 0: unknown. */
  readonly intervals: readonly number[];
  readonly now: Date;
}

async function ask(
  { sql }: QueryServices,
  { projectId, scope }: QueryRequest,
  query: AskedQuery["query"],
  share: number,
): Promise<AskedQuery> {
  return { projectId, scope, query, share, metric: await chooseMetric(sql, projectId, query) };
}

function largestOf({ top, answer }: Outcome): readonly AnsweredGroup[] {
  return answer.groups.slice(0, top);
}

/** Of the time before, the groups that are answered of the time itself. */
function sameAs(current: readonly Outcome[]): Choice {
  const keys = new Map(
    current.map(({ id, answer }) => [id, new Set(answer.groups.map(({ key }) => key))]),
  );
  return ({ id, answer }) => answer.groups.filter(({ key }) => keys.get(id)?.has(key));
}

function chosen(outcome: Outcome, choose: Choice): Outcome {
  return { ...outcome, answer: { ...outcome.answer, groups: choose(outcome) } };
}

/** Of the queries, one after the other since each may take much memory, then of the formulas. */
async function outcomesOf(context: Context, steps: Steps, choose: Choice): Promise<Outcome[]> {
  const { services, asked, formulas, intervals, now } = context;
  const joined = new Set(formulas.flatMap(({ queryIds }) => queryIds));
  const outcomes: Outcome[] = [];
  for (const [place, each] of asked.entries()) {
    const usualIntervalMs = intervals[place] ?? 0;
    const along: FigureSteps = { ...steps, usualIntervalMs, nowMs: now.getTime() };
    const { id, top } = each.query;
    const found = await answer(services, each, along);
    const isBare = await lacksBuckets(services, each, found, along);
    const outcome: Outcome = {
      id,
      top,
      notes: [...notesOf(each, found), ...isBare ? [bucketsNote(each)] : []],
      answer: found,
      ...isBare && { lacksBuckets: true },
    };
    // Formulas join all groups.
    outcomes.push(joined.has(id) ? outcome : chosen(outcome, choose));
  }
  const calculated: Outcome[] = [];
  for (const formula of formulas) {
    calculated.push(chosen(await calculate(formula, asked, outcomes, steps), choose));
  }
  return [...outcomes.map((outcome) => chosen(outcome, choose)), ...calculated];
}

async function calculate(
  formula: ParsedFormula,
  asked: readonly AskedQuery[],
  outcomes: readonly Outcome[],
  steps: Steps,
): Promise<Outcome> {
  const parts = asked.flatMap(({ query }, place) => {
    const groups = outcomes[place]?.answer.groups ?? [];
    return formula.queryIds.includes(query.id) ? [{ ...query, groups }] : [];
  });
  const groups = await joinFormula(formula, parts, steps.count);
  const seriesCount = parts.reduce(
    (sum, { id }) => sum + (outcomes.find((each) => each.id === id)?.answer.seriesCount ?? 0),
    0,
  );
  return {
    id: formula.id,
    top: Math.max(...parts.map(({ top }) => top)),
    notes: [],
    answer: {
      groups,
      groupCount: groups.length,
      seriesCount,
      unit: formula.unit,
      damaged: 0,
      isCoarsened: false,
    },
  };
}

function seriesOfOutcome({ id, answer }: Outcome): ResultSeries[] {
  return answer.groups.map((group) => resultSeries(id, group, false));
}

/** The groups that are answered, as they were in the time before. */
function previousSeries(current: Outcome, previous: Outcome | undefined): ResultSeries[] {
  const before = new Map(previous?.answer.groups.map((group) => [group.key, group]));
  return current.answer.groups.flatMap(({ key }) => {
    const group = before.get(key);
    return group === undefined ? [] : [resultSeries(current.id, group, true)];
  });
}

function resultSeries(
  queryId: string,
  { labels, values, figures }: AnsweredGroup,
  isPrevious: boolean,
): ResultSeries {
  return { queryId, labels, isPrevious, values, figures };
}

function factsOf(
  { id, answer, lacksBuckets }: Outcome,
  { request, asked, formulas }: Context,
): QueryFacts {
  const { unit, seriesCount, groupCount } = answer;
  const kind = asked.find(({ query }) => query.id === id)?.metric?.kind ?? null;
  const query = request.queries.find((each) => each.id === id);
  const formula = formulas.find((each) => each.id === id);
  return {
    id,
    unit,
    kind,
    seriesCount,
    groupCount,
    ...lacksBuckets && { lacksBuckets },
    addsUp: formula ? formulaAddsUp(formula.expression, request.queries) : !!query && addsUp(query),
  };
}

/** What a formula needs of a query. */
interface FormulaPart {
  readonly id: string;
  readonly groupBy: readonly string[];
  readonly groups: readonly AnsweredGroup[];
}

/** Numbers and operations, over all groups and steps: half a second. */
const MAX_WORK = 20_000_000;
/** The key of the one group of a query that is not grouped. */
const NO_LABELS = "[]";

/**
 * Calculates a formula for every group: groups of queries meet by equal labels, and the one group of a query without
 * labels meets them all. Groups without any value are left out. Others get their turn meanwhile.
 *
 * @throws {InvalidQuery} when its queries are grouped by different labels, or it is too long for so many groups
 */
export async function joinFormula(
  { id, expression }: ParsedFormula,
  parts: readonly FormulaPart[],
  stepCount: number,
): Promise<AnsweredGroup[]> {
  checkLabels(id, parts);
  const byKey = new Map(parts.map((part) => [
    part.id,
    new Map(part.groups.map((group) => [group.key, group])),
  ]));
  const groupOf = (queryId: string, key: string) =>
    byKey.get(queryId)?.get(key) ?? byKey.get(queryId)?.get(NO_LABELS);
  const isGrouped = parts.some(({ groupBy }) => groupBy.length > 0);
  const groups = new Map(
    parts.filter(({ groupBy }) => !isGrouped || groupBy.length > 0)
      .flatMap(({ groups }) => groups)
      .map((group) => [group.key, group.labels]),
  );
  if (groups.size * stepCount * sizeOf(expression) > MAX_WORK) {
    throw new InvalidQuery(
      `Formula ${id} is too long for ${groups.size} groups: group by less, or choose a longer step.`,
    );
  }
  const turns = new Turns();
  const joined: AnsweredGroup[] = [];
  for (const [key, labels] of groups) {
    await turns.breathe();
    const values = Array.from(
      { length: stepCount },
      (_, step) => evaluate(expression, (queryId) => groupOf(queryId, key)?.values[step] ?? null),
    );
    if (values.every((value) => value === null)) continue;
    const avg = evaluate(expression, (queryId) => groupOf(queryId, key)?.figures.avg ?? null);
    joined.push({ key, labels, values, figures: { ...extremesOf(values), avg } });
  }
  return joined.sort(largestFirst);
}

function checkLabels(id: string, parts: readonly FormulaPart[]): void {
  const [first, ...others] = parts.filter(({ groupBy }) => groupBy.length > 0);
  const wordsOf = ({ groupBy }: FormulaPart) => [...new Set(groupBy)].sort().join(", ");
  const other = first && others.find((part) => wordsOf(part) !== wordsOf(first));
  if (first === undefined || other === undefined) return;
  throw new InvalidQuery(
    `Formula ${id} joins ${first.id}, by ${wordsOf(first)}, with ${other.id}, by ${
      wordsOf(other)
    }: group both by the same labels, or one of them by none.`,
  );
}

/** What whoever asked should know about the steps. */
function stepNotes({ stepMs: asked }: QueryRequest, { stepMs }: Steps): string[] {
  if (asked === null || stepMs <= asked) return [];
  return [`The step is ${durationWords(stepMs)}: points do not come more often.`];
}

/** What whoever asked should know about the answer to a query. */
function notesOf({ query, metric }: AskedQuery, answer: Answer | undefined): string[] {
  const { id, metric: name } = query;
  if (metric === null) {
    return [
      `Query ${id}: nobody has sent a ${query.kind ?? "metric"} ${name}${inUnit(query)} yet.`,
    ];
  }
  if (answer === undefined) return [];
  const { damaged, isCoarsened, groups, groupCount } = answer;
  const notes: string[] = [];
  if (damaged > 0) {
    notes.push(
      `Query ${id}: ${damaged} stored ${
        damaged === 1 ? "block" : "blocks"
      } could not be read; what is in there is missing.`,
    );
  }
  if (isCoarsened) {
    notes.push(`Query ${id}: histograms with different buckets are compared by those all have.`);
  }
  if (groups.length < groupCount) {
    notes.push(`Query ${id}: of ${groupCount} groups the ${groups.length} largest were looked at.`);
  }
  if (isClassicBuckets(metric) && isQuantile(query.aggregation)) {
    notes.push(`Query ${id}: quantiles are from the counters of ${name}, by their label le.`);
  }
  return notes;
}

/** Why a quantile has no values. */
function bucketsNote({ query: { id, metric, aggregation } }: AskedQuery): string {
  return `Query ${id}: ${metric} came without buckets, so it has no ${aggregation}; it has count, avg, sum and rate. ` +
    "Turn histogram buckets on in the client for quantiles.";
}

function inUnit({ unit }: AskedQuery["query"]): string {
  return unit === null || unit === "" ? "" : ` in ${unit}`;
}

function durationWords(ms: number): string {
  const [size, unit] = ms % 86_400_000 === 0
    ? [86_400_000, "d"]
    : ms % 3_600_000 === 0
    ? [3_600_000, "h"]
    : ms % 60_000 === 0
    ? [60_000, "min"]
    : [1_000, "s"];
  return `${ms / size} ${unit}`;
}

/** Whether a quantile has no value since clients send sum and count of the histogram alone, and no buckets. */
async function lacksBuckets(
  services: SharingServices,
  asked: AskedQuery,
  found: Answer,
  steps: FigureSteps,
): Promise<boolean> {
  if (asked.metric?.kind !== "histogram" || !isQuantile(asked.query.aggregation)) return false;
  if (hasValues(found)) return false;
  const query = { ...asked.query, aggregation: "count" as const, groupBy: [] };
  return hasValues(await answer(services, { ...asked, query }, steps));
}

function hasValues({ groups }: Answer): boolean {
  return groups.some(({ values }) => values.some((value) => value !== null && value > 0));
}
