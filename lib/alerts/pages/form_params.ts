/**
 * The alert form as parameters: what its fields are called and what stands in them. The form posts them, links to a
 * new alert carry them in their address, and `readInput()` makes an alert of them.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { explorationParams, EXPLORE_DEFAULTS, unitName } from "../../metrics/mod.ts";
import type { FormErrors } from "../../ui/components/fields.tsx";
import { withDecimalMark } from "../../ui/format.ts";
import type { AlertInput, AlertSource, Condition } from "../rule.ts";
import type { ValueKind } from "../measures.ts";
import { clockText, scaleOfKind, valueKindOf } from "../words.ts";
import { currentLanguage, type Message, message, t } from "../../core/language/translate.ts";

/** What stands in the form, and a sentence for each field that is wrong. */
export interface FormFields {
  readonly params: URLSearchParams;
  readonly errors: FormErrors;
}

/** What every field has: its name, what stands in it, and what is wrong with it. */
export function fieldOfForm(name: string, { params, errors }: FormFields) {
  return { name, value: params.get(name) ?? "", error: errors[name] };
}

/** As many as a query may answer. */
const ALL_GROUPS = 100;

/** What an empty form shows. */
const DEFAULTS: readonly (readonly [name: string, value: string])[] = [
  ["source", "transactions"],
  ["errorMeasure", "events"],
  ["transactionMeasure", "p95"],
  ["comparison", ">"],
  ["window", "5"],
  ["for", "0"],
  ["noData", "ok"],
  ...["1", "2", "3", "4", "5"].map((day) => ["day", day] as const),
  ["from", "09:00"],
  ["to", "17:00"],
  ["timeZone", "UTC"],
];

/** The fields of a new alert: those of a link, and the usual ones for the rest. */
export function paramsOfLink(link: URLSearchParams): URLSearchParams {
  const params = new URLSearchParams(link);
  // The explorer's link names queries and nothing else.
  if (!params.has("source") && params.has("a.metric")) params.set("source", "metric");
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
    ["name", name],
    ["source", source.kind],
    ...sourceParams(source),
    ...environments.map((environment) => ["environment", environment]),
    ...conditionParams(input.condition, source),
    ["window", String(input.windowMinutes)],
    ["for", String(input.forMinutes)],
    ["noData", input.noData],
    ...channelIds.map((channelId) => ["channel", channelId]),
  ]);
  if (schedule !== null) {
    params.append("scheduled", "on");
    for (const day of schedule.days) params.append("day", String(day));
    params.append("from", clockText(schedule.fromMinute));
    // Browsers know no 24:00.
    params.append("to", clockText(schedule.toMinute % 1_440));
    params.append("timeZone", schedule.timeZone);
  }
  return paramsOfLink(params);
}

function sourceParams(source: AlertSource): [name: string, value: string][] {
  switch (source.kind) {
    case "errors":
      return [["errorMeasure", source.measure], ["search", source.search]];
    case "transactions":
      return [
        ["transactionMeasure", source.measure],
        ["transaction", source.transaction ?? ""],
      ];
    case "metric":
      return [["judged", source.judged], ...explorationParams(explorationOf(source))];
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
    ["comparison", condition.comparison],
    ["critical", levelText(condition.critical, kind)],
    ["warning", levelText(condition.warning, kind)],
    ["recovery", levelText(condition.recovery, kind)],
  ];
}

const PLAIN: Readonly<Record<string, string>> = {
  name: "name",
  "source.search": "search",
  "source.transaction": "transaction",
  "source.judged": "judged",
  "condition.comparison": "comparison",
  "condition.critical": "critical",
  "condition.warning": "warning",
  "condition.recovery": "recovery",
  windowMinutes: "window",
  forMinutes: "for",
  noData: "noData",
  environments: "environment",
  channelIds: "channel",
  "schedule.days": "day",
  "schedule.fromMinute": "from",
  "schedule.toMinute": "to",
  "schedule.timeZone": "timeZone",
};

/** What the properties of a query are called in the form, after its letter. */
const OF_QUERIES: Readonly<Record<string, string>> = {
  metric: "metric",
  kind: "metric",
  unit: "metric",
  aggregation: "agg",
  filter: "filter",
  groupBy: "by",
  top: "top",
};

/** The name of the field; `""`, the form as a whole, for what has none. */
export function fieldOfProblem(path: string, source: AlertSource): string {
  // Of a list, the field is where it is chosen.
  const plain = path.replace(/\.\d+$/, "");
  if (Object.hasOwn(PLAIN, plain)) return PLAIN[plain] ?? "";
  if (path === "source.measure") {
    return source.kind === "errors" ? "errorMeasure" : "transactionMeasure";
  }
  const [, list, position, property = ""] =
    /^source\.(queries|formulas)\.(\d+)\.(\w+)/.exec(path) ??
      [];
  if (list === undefined || source.kind !== "metric") return "";
  if (list === "formulas") return source.formulas[Number(position)]?.id ?? "";
  const query = source.queries[Number(position)];
  const field = Object.hasOwn(OF_QUERIES, property) ? OF_QUERIES[property] : undefined;
  return query === undefined || field === undefined ? "" : `${query.id}.${field}`;
}

/** All that was chosen of one name, each once. */
export function allOf(form: URLSearchParams, field: string): string[] {
  return [...new Set(form.getAll(field).filter((value) => value !== ""))];
}

type Units = Readonly<Record<string, number>>;

const DURATION_UNITS: Units = {
  us: 1e-3,
  ms: 1,
  s: SECOND_MS,
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  мкс: 1e-3,
  мс: 1,
  с: SECOND_MS,
  мин: MINUTE_MS,
  ч: HOUR_MS,
  д: DAY_MS,
};
const BYTE_UNITS: Units = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
  б: 1,
  кб: 1e3,
  мб: 1e6,
  гб: 1e9,
  тб: 1e12,
  киб: 1024,
  миб: 1024 ** 2,
  гиб: 1024 ** 3,
  тиб: 1024 ** 4,
};
const COUNT_UNITS: Units = { k: 1e3, m: 1e6, g: 1e9, тыс: 1e3, млн: 1e6, млрд: 1e9 };
const LEVEL = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?)\s*(.*)$/;

const LEVEL_HELP: Readonly<Record<Exclude<ValueKind, object>, Message>> = {
  count: message("How many in the window."),
  duration: message("In milliseconds; 1.5 s and 2 min work too."),
  percent: message("In percent, such as 5 or 2.5."),
  rate: message("Per minute."),
  score: message("A plain number, such as 0.85."),
  times: message("As a multiple of the baseline, such as 3."),
};

/** What a level is entered in, as a sentence for the form. */
export function levelHelp(kind: ValueKind): string {
  return typeof kind === "object" ? metricHelp(kind.unit) : t(LEVEL_HELP[kind]);
}

function metricHelp(ucum: string): string {
  const { unit } = scaleOfKind({ unit: ucum });
  if (unit === "duration") {
    return t("In {unit}, or with another unit: 250 ms, 1.5 s, 2 min.", { unit: unitName(ucum) });
  }
  if (unit === "bytes" || unit === "bytesRate") return t("In bytes, or as 512 MiB or 1.5 GB.");
  const suffix = /^number:(.+)$/.exec(unit)?.[1];
  return suffix === undefined
    ? t("As the chart shows it; 10k and 1.5M work too.")
    : t("In {unit}; 10k and 1.5M work too.", { unit: suffix });
}

/** A level as people enter it: {@linkcode parseLevel} reads it back. */
export function levelText(value: number | null, kind: ValueKind): string {
  if (value === null) return "";
  // 0.07 * 100 is 7.000000000000001.
  if (kind === "percent") return digits(Number((value * 100).toPrecision(12)));
  const { unit, factor } = scaleOfKind(kind);
  const written = unit === "duration" ? WRITTEN_DURATIONS : unit === "bytes" ? WRITTEN_BYTES : [];
  return inShortUnit(value * factor, written) ?? digits(value);
}

type Written = readonly (readonly [size: number, write: (amount: string) => string])[];

/** From the largest on. */
const WRITTEN_DURATIONS: Written = [
  [HOUR_MS, (time) => t("{time} h", { time })],
  [MINUTE_MS, (time) => t("{time} min", { time })],
  [SECOND_MS, (time) => t("{time} s", { time })],
  [1, (time) => t("{time} ms", { time })],
];
const WRITTEN_BYTES: Written = [
  [1024 ** 4, (size) => t("{size} TiB", { size })],
  [1024 ** 3, (size) => t("{size} GiB", { size })],
  [1024 ** 2, (size) => t("{size} MiB", { size })],
  [1024, (size) => t("{size} KiB", { size })],
];

/** In the largest unit in which it has few digits, or null. */
function inShortUnit(value: number, written: Written): string | null {
  for (const [size, write] of written) {
    const amount = value / size;
    if (Math.abs(amount) >= 1 && Number(amount.toFixed(2)) === amount) return write(digits(amount));
  }
  return null;
}

function digits(value: number): string {
  return withDecimalMark(String(value));
}

/**
 * Reads a level as entered: a number in what {@linkcode levelHelp} says, or with a unit of the same kind.
 *
 * @returns NaN for what is none
 */
export function parseLevel(text: string, kind: ValueKind): number {
  // A comma before three digits parts thousands, or is the decimal mark of who writes blanks between them.
  const parted = currentLanguage() === "en" ? /(?<=\d)[,_](?=\d{3})/g : /(?<=\d)[_\s](?=\d{3})/g;
  const plain = text.trim().toLowerCase().replaceAll(parted, "").replace(",", ".");
  const [, digits, suffix = ""] = LEVEL.exec(plain) ?? [];
  if (digits === undefined) return NaN;
  const value = Number(digits) * factorOf(suffix, kind);
  // 1.1 * 1000 is 1100.0000000000002.
  return Number.isFinite(value) ? Number(value.toPrecision(15)) : NaN;
}

/** What turns a number with this behind it into a value; NaN where it does not belong there. */
function factorOf(suffix: string, kind: ValueKind): number {
  if (kind === "percent") return suffix === "" || suffix === "%" ? 0.01 : NaN;
  if (suffix === "") return 1;
  const { unit, factor } = scaleOfKind(kind);
  if (unit === "duration") return unitOf(DURATION_UNITS, suffix) / factor;
  if (unit === "bytes") return unitOf(BYTE_UNITS, suffix) / factor;
  if (unit === "bytesRate") return unitOf(BYTE_UNITS, suffix.replace(/\/[sс]$/, "")) / factor;
  if (unit === "percent") return suffix === "%" ? 1 : NaN;
  if (kind === "times") return suffix === "×" || suffix === "x" ? 1 : NaN;
  if (kind === "rate" && (suffix === "/min" || suffix === "/мин")) return 1;
  return unitOf(COUNT_UNITS, suffix);
}

function unitOf(units: Units, suffix: string): number {
  return Object.hasOwn(units, suffix) ? units[suffix] ?? NaN : NaN;
}
