/** Answers questions about metrics: what pages, alerts and the API ask. */
import { Deadline } from "../deadline.ts";
import type { QueryFacts, QueryRequest, QueryResult, ResultSeries } from "../query_types.ts";
import { addsUp, formulaAddsUp } from "./adds_up.ts";
import { type Answer, answer, type AnsweredGroup, type AskedQuery } from "./answer.ts";
import { checkRequest, type ParsedFormula } from "./check_request.ts";
import { chooseMetric } from "./choose_metric.ts";
import type { FigureSteps } from "./group_figures.ts";
import { joinFormula } from "./join_formula.ts";
import { lacksBuckets } from "./lacks_buckets.ts";
import { bucketsNote, notesOf, stepNotes } from "./notes.ts";
import type { SharingServices } from "./shared_reads.ts";
import { type Steps, stepsBefore, stepsFor, timesOf } from "./steps.ts";
import { leastStep, usualIntervalOf } from "./usual_interval.ts";

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
