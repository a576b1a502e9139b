/** Answers questions about metrics: what pages, alerts and the API ask. */
import { message, t } from "../../core/language/translate.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
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
import type { QueryServices } from "./shared_reads.ts";
import { leastStep, type Steps, stepsBefore, stepsFor, timesOf, usualIntervalOf } from "./steps.ts";

/** A query whose metric is known, and how often its points come. */
interface TimedQuery extends AskedQuery {
  /** In milliseconds; 0: unknown. */
  readonly usualIntervalMs: number;
}

/** A query or formula with everything it comes to. */
interface Outcome extends Answer, Omit<QueryFacts, "groupCount" | "seriesCount" | "unit"> {
  readonly top: number;
  readonly notes: readonly string[];
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
  const { projectId, scope, end } = request;
  const formulas = checkRequest(request);
  const nowMs = (services.now ?? new Date()).getTime();
  const timed = { deadline: new Deadline(), ...services };
  const joined = new Set(formulas.flatMap(({ queryIds }) => queryIds));
  // Two may be whole; more have as much room together.
  const joinedShare = Math.min(1, 2 / joined.size);
  const intervals = new Map<string, Promise<number>>();
  const asked = await Promise.all(request.queries.map(async (query): Promise<TimedQuery> => {
    const metric = await chooseMetric(services, projectId, query);
    const key = metric?.metricId ?? "";
    // Of a young metric it is read from its points: once for all its queries.
    const interval = intervals.get(key) ??
      usualIntervalOf(services, projectId, metric, end.getTime());
    intervals.set(key, interval);
    const usualIntervalMs = await interval;
    const share = joined.has(query.id) ? joinedShare : 1;
    return { projectId, scope, query, metric, share, usualIntervalMs };
  }));
  const least = leastStep(asked.map(({ usualIntervalMs }) => usualIntervalMs));
  const steps = stepsFor(request, request.stepMs, least);
  const context: Context = { services: timed, asked, formulas, joined, nowMs };
  const current = await outcomesOf(context, steps, largestOf);
  const previous = request.comparesPrevious
    ? await outcomesOf(context, stepsBefore(steps), sameAs(current))
    : [];
  return {
    times: timesOf(steps),
    stepMs: steps.stepMs,
    series: current.flatMap((outcome, place) => [
      ...outcome.groups.map((group) => resultSeries(outcome.id, group, false)),
      ...previousSeries(outcome, previous[place]),
    ]),
    facts: current.map((
      { id, unit, kind, seriesCount, groupCount, addsUp, lacksBuckets },
    ) => ({
      id,
      unit,
      kind,
      seriesCount,
      groupCount,
      addsUp,
      ...lacksBuckets && { lacksBuckets },
    })),
    notes: [...stepNotes(request, steps), ...current.flatMap(({ notes }) => notes)],
  };
}

interface Context {
  readonly services: QueryServices;
  readonly asked: readonly TimedQuery[];
  readonly formulas: readonly ParsedFormula[];
  /** Ids of the queries that formulas name. */
  readonly joined: ReadonlySet<string>;
  readonly nowMs: number;
}

function largestOf({ top, groups }: Outcome): readonly AnsweredGroup[] {
  return groups.slice(0, top);
}

/** Of the time before, the groups that are answered of the time itself. */
function sameAs(current: readonly Outcome[]): Choice {
  const keys = new Map(
    current.map(({ id, groups }) => [id, new Set(groups.map(({ key }) => key))]),
  );
  return ({ id, groups }) => groups.filter(({ key }) => keys.get(id)?.has(key));
}

function chosen(outcome: Outcome, choose: Choice): Outcome {
  return { ...outcome, groups: choose(outcome) };
}

/** Of the queries, one after the other since each may take much memory, then of the formulas. */
async function outcomesOf(context: Context, steps: Steps, choose: Choice): Promise<Outcome[]> {
  const { services, asked, formulas, joined, nowMs } = context;
  const outcomes: Outcome[] = [];
  for (const each of asked) {
    const { query, metric, usualIntervalMs } = each;
    const along: FigureSteps = { ...steps, usualIntervalMs, nowMs };
    const found = await answer(services, each, along);
    const isBare = await lacksBuckets(services, each, found, along);
    const outcome: Outcome = {
      ...found,
      id: query.id,
      top: query.top,
      kind: metric?.kind ?? null,
      addsUp: addsUp(query),
      notes: [...notesOf(each, found), ...isBare ? [bucketsNote(each)] : []],
      ...isBare && { lacksBuckets: true },
    };
    // Formulas join all groups.
    outcomes.push(joined.has(query.id) ? outcome : chosen(outcome, choose));
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
  const parts = outcomes.flatMap((outcome, place) => {
    const { groupBy = [] } = asked[place]?.query ?? {};
    return formula.queryIds.includes(outcome.id) ? [{ ...outcome, groupBy }] : [];
  });
  const groups = await joinFormula(formula, parts, steps.count);
  return {
    id: formula.id,
    top: Math.max(...parts.map(({ top }) => top)),
    kind: null,
    addsUp: formulaAddsUp(formula.expression, asked.map(({ query }) => query)),
    notes: [],
    groups,
    groupCount: groups.length,
    seriesCount: parts.reduce((sum, part) => sum + part.seriesCount, 0),
    unit: formula.unit,
    damaged: 0,
    isCoarsened: false,
  };
}

/** The groups that are answered, as they were in the time before. */
function previousSeries(current: Outcome, previous: Outcome | undefined): ResultSeries[] {
  const before = new Map(previous?.groups.map((group) => [group.key, group]));
  return current.groups.flatMap(({ key }) => {
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
      t("Formula {id} is too long for {count} groups: group by less, or choose a longer step.", {
        id,
        count: groups.size,
      }),
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
    t(
      "Formula {id} joins {one}, by {labels}, with {other}, by {otherLabels}: group both by the same labels, or one of them by none.",
      { id, one: first.id, labels: wordsOf(first), other: other.id, otherLabels: wordsOf(other) },
    ),
  );
}

/** What whoever asked should know about the steps. */
function stepNotes({ stepMs: asked }: QueryRequest, { stepMs }: Steps): string[] {
  if (asked === null || stepMs <= asked) return [];
  return [
    t("The step is {step}: points do not come more often.", { step: durationWords(stepMs) }),
  ];
}

/** What whoever asked should know about the answer to a query. */
function notesOf({ query, metric }: AskedQuery, answer: Answer): string[] {
  const { id, metric: name, aggregation, kind, unit } = query;
  if (metric === null) {
    const what = t(kind ?? "metric");
    return [
      unit === null || unit === ""
        ? t("Query {id}: no {kind} {name} has arrived yet.", { id, kind: what, name })
        : t("Query {id}: no {kind} {name} in {unit} has arrived yet.", {
          id,
          kind: what,
          name,
          unit,
        }),
    ];
  }
  const { damaged, isCoarsened, groups, groupCount } = answer;
  const notes = [
    damaged > 0 && t(
      "{n} stored block could not be read; what is in there is missing.|{n} stored blocks could not be read; what is in there is missing.",
      { n: damaged },
    ),
    isCoarsened && t("histograms with different buckets are compared by those all have."),
    groups.length < groupCount &&
    t("of {groups} groups the {read} largest were looked at.", {
      groups: groupCount,
      read: groups.length,
    }),
    isClassicBuckets(metric) && isQuantile(aggregation) &&
    t("quantiles are from the counters of {name}, by their label le.", { name }),
  ];
  return notes.filter((note) => note !== false).map((note) =>
    t("Query {id}: {note}", { id, note })
  );
}

/** Why a quantile has no values. */
function bucketsNote({ query: { id, metric, aggregation } }: AskedQuery): string {
  return t(
    "Query {id}: {metric} came without buckets, so it has no {aggregation}; it has count, avg, sum and rate. Turn histogram buckets on in the client for quantiles.",
    { id, metric, aggregation },
  );
}

function durationWords(ms: number): string {
  const units = [
    [DAY_MS, message("{n} d")],
    [HOUR_MS, message("{n} h")],
    [MINUTE_MS, message("{n} min")],
  ] as const;
  const [size, words] = units.find(([size]) => ms % size === 0) ?? [SECOND_MS, message("{n} s")];
  return t(words, { n: ms / size });
}

/** Whether a quantile has no value since clients send sum and count of the histogram alone, and no buckets. */
async function lacksBuckets(
  services: QueryServices,
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
