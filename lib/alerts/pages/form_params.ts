/**
 * The alert form as parameters: what its fields are called and what stands in them. The form posts them, links to a
 * new alert carry them in their address, and `read_input.ts` makes an alert of them.
 */
import type { AlertInput, AlertSource, Condition } from "../rule.ts";
import { explorationParams, EXPLORE_DEFAULTS } from "../../metrics/paths.ts";
import { levelText } from "./level_input.ts";
import { valueKindOf } from "../values.ts";
import { clockText } from "../words.ts";

/** Names of the fields beside those of metric queries, which the explorer's form names. */
export const FIELDS = {
  name: "name",
  source: "source",
  judged: "judged",
  errorMeasure: "errorMeasure",
  search: "search",
  transactionMeasure: "transactionMeasure",
  transaction: "transaction",
  environment: "environment",
  comparison: "comparison",
  critical: "critical",
  warning: "warning",
  recovery: "recovery",
  window: "window",
  for: "for",
  noData: "noData",
  channel: "channel",
  scheduled: "scheduled",
  day: "day",
  from: "from",
  to: "to",
  timeZone: "timeZone",
} as const;

/** As many as a query may answer. */
const ALL_GROUPS = 100;

/** What an empty form shows. */
const DEFAULTS: readonly (readonly [name: string, value: string])[] = [
  [FIELDS.source, "transactions"],
  [FIELDS.errorMeasure, "events"],
  [FIELDS.transactionMeasure, "p95"],
  [FIELDS.comparison, ">"],
  [FIELDS.window, "5"],
  [FIELDS.for, "0"],
  [FIELDS.noData, "ok"],
  ...["1", "2", "3", "4", "5"].map((day) => [FIELDS.day, day] as const),
  [FIELDS.from, "09:00"],
  [FIELDS.to, "17:00"],
  [FIELDS.timeZone, "UTC"],
];

/** The fields of a new alert: those of a link, and the usual ones for the rest. */
export function paramsOfLink(link: URLSearchParams): URLSearchParams {
  const params = new URLSearchParams(link);
  // The explorer's link names queries and nothing else.
  if (!params.has(FIELDS.source) && params.has("a.metric")) params.set(FIELDS.source, "metric");
  for (const id of queryIdsOf(params)) {
    // The explorer shows the largest groups; an alert is about all of them.
    if (!params.has(`${id}.top`)) params.set(`${id}.top`, String(ALL_GROUPS));
  }
  const missing = new Set(DEFAULTS.map(([name]) => name).filter((name) => !params.has(name)));
  for (const [name, value] of DEFAULTS) if (missing.has(name)) params.append(name, value);
  return params;
}

function queryIdsOf(params: URLSearchParams): string[] {
  return [...params.keys()].flatMap((name) => /^([a-z])\.metric$/.exec(name)?.[1] ?? []);
}

/** The fields of an alert that exists: {@linkcode readInput} reads them back. */
export function paramsOfInput(input: AlertInput): URLSearchParams {
  const { name, source, environments, channelIds, schedule } = input;
  const params = new URLSearchParams([
    [FIELDS.name, name],
    [FIELDS.source, source.kind],
    ...sourceParams(source),
    ...environments.map((environment) => [FIELDS.environment, environment]),
    ...conditionParams(input.condition, source),
    [FIELDS.window, String(input.windowMinutes)],
    [FIELDS.for, String(input.forMinutes)],
    [FIELDS.noData, input.noData],
    ...channelIds.map((channelId) => [FIELDS.channel, channelId]),
  ]);
  if (schedule !== null) {
    params.append(FIELDS.scheduled, "on");
    for (const day of schedule.days) params.append(FIELDS.day, String(day));
    params.append(FIELDS.from, clockText(schedule.fromMinute));
    // Browsers know no 24:00.
    params.append(FIELDS.to, clockText(schedule.toMinute % 1_440));
    params.append(FIELDS.timeZone, schedule.timeZone);
  }
  return paramsOfLink(params);
}

function sourceParams(source: AlertSource): [name: string, value: string][] {
  switch (source.kind) {
    case "errors":
      return [[FIELDS.errorMeasure, source.measure], [FIELDS.search, source.search]];
    case "transactions":
      return [
        [FIELDS.transactionMeasure, source.measure],
        [FIELDS.transaction, source.transaction ?? ""],
      ];
    case "metric":
      return [[FIELDS.judged, source.judged], ...explorationParams(explorationOf(source))];
  }
}

/** The queries of a metric alert as the explorer shows them. */
export function explorationOf(source: AlertSource & { readonly kind: "metric" }) {
  return {
    queries: source.queries,
    formulas: source.formulas,
    hidden: [],
    view: EXPLORE_DEFAULTS.view,
    stepMs: null,
    comparesPrevious: false,
  };
}

function conditionParams(condition: Condition, source: AlertSource): [string, string][] {
  const kind = valueKindOf(source);
  return [
    [FIELDS.comparison, condition.comparison],
    [FIELDS.critical, levelText(condition.critical, kind)],
    [FIELDS.warning, levelText(condition.warning, kind)],
    [FIELDS.recovery, levelText(condition.recovery, kind)],
  ];
}
