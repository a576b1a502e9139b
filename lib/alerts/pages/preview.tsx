import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import type { Project } from "../../accounts/projects.ts";
import { TimeLimitExceeded } from "../../core/waiting.ts";
import { InvalidQuery } from "../../metrics/mod.ts";
import type { Backend } from "../../store/stores.ts";
import { QueryTooSlow } from "../../store/query_limits.ts";
import {
  type ChartBand,
  type ChartLevel,
  type ChartMarker,
  TimeChart,
} from "../../ui/charts/mod.ts";
import type { Interval, RangePreset } from "../../ui/scope.ts";
import { isOfIssues } from "../check_input.ts";
import {
  type AlertPreview,
  type Previewed,
  type PreviewedGroup,
  previewRule,
} from "../evaluation/preview.ts";
import type {
  AlertInput,
  AlertLevel,
  AlertState,
  AlertStatus,
  AlertTransition,
  Condition,
} from "../rule.ts";
import type { ValueKind } from "../measures.ts";
import { firedWords, formatAlertValue, scaleOfKind, sourceWords, valueKindOf } from "../words.ts";
import type { ReadForm } from "./read_form.ts";
import { type Message, message, t } from "../../core/language/translate.ts";

/** What the alert of a form would have seen and done, or why that cannot be told. */
export type FormPreview =
  | {
    readonly ok: true;
    readonly title: string;
    readonly input: Pick<AlertInput, "source"> & Partial<Pick<AlertInput, "condition">>;
    readonly charted: ChartedValues;
    readonly bands: readonly ChartBand[];
    /** How often it would have fired. */
    readonly words: string;
  }
  | { readonly ok: false; readonly reason: string };

/** Never reached: the values show before anybody has thought of a level. */
const NO_LEVEL: Condition = { comparison: ">", warning: null, critical: Infinity, recovery: null };

/**
 * Looks at what an alert would have seen lately. While it has no levels yet, its values alone.
 *
 * @returns null while its source is not whole
 */
export async function previewForm(
  services: Pick<Backend, "kv" | "sql" | "log">,
  project: Project,
  form: ReadForm,
  now: Date = new Date(),
): Promise<FormPreview | null> {
  const { source, input } = form;
  if (source === null) return null;
  const previewed: Previewed = input ?? {
    source,
    environments: form.environments,
    condition: NO_LEVEL,
    windowMinutes: form.windowMinutes,
    forMinutes: 0,
    noData: "ok",
  };
  const start = new Date(now.getTime() - RANGE_MS[rangeFor(previewed.windowMinutes)]);
  const tried = await tryPreview(services, project, previewed, { start, end: now });
  if (!tried.ok) return tried;
  const { preview } = tried;
  return {
    ok: true,
    title: sourceWords(source),
    input: input ?? { source },
    charted: chartedValues(preview),
    bands: bandsOf(spansOfPreview(preview)),
    words: input === null
      ? t("Enter a critical level to see when it would have fired.")
      : firedWords(timesFired(preview)),
  };
}

type TriedPreview =
  | { readonly ok: true; readonly preview: AlertPreview }
  | { readonly ok: false; readonly reason: string };

/** As many lines as can be told apart. */
const MAX_DRAWN = 8;

/** The values and states that an alert would have had in a stretch of time, or a sentence why not. */
export async function tryPreview(
  services: Pick<Backend, "kv" | "sql" | "log">,
  project: Project,
  previewed: Previewed,
  interval: Interval,
): Promise<TriedPreview> {
  if (isTooLong(interval.end.getTime() - interval.start.getTime(), previewed.windowMinutes)) {
    return { ok: false, reason: t("This time has too many windows: choose a shorter one.") };
  }
  try {
    return { ok: true, preview: await previewRule(services, project, previewed, interval) };
  } catch (error) {
    if (error instanceof InvalidQuery) return { ok: false, reason: error.message };
    if (error instanceof QueryTooSlow || error instanceof TimeLimitExceeded) {
      return {
        ok: false,
        reason: t("Reading the values took too long. Narrow what is watched, or choose less time."),
      };
    }
    throw error;
  }
}

/** The groups to draw: those that would have fired, then those with the largest values. */
export function chartedValues({ times, stepMs, groups }: AlertPreview): ChartedValues {
  const drawn = groups.toSorted((a, b) => Number(hasFired(b)) - Number(hasFired(a)))
    .slice(0, MAX_DRAWN);
  return { times, stepMs, groups: drawn, groupCount: groups.length };
}

/** The same with what was found last as one step more: the windows before are whole ones, and end earlier. */
export function untilNow(
  charted: ChartedValues,
  states: readonly AlertState[],
  now: Date,
): ChartedValues {
  const { times, stepMs, groups } = charted;
  const next = (times.at(-1) ?? Infinity) + stepMs;
  // What is drawn ended long ago: somebody looks at another time.
  if (next > now.getTime() || next + stepMs < now.getTime()) return charted;
  const current = new Map(states.map(({ group, value }) => [group, value]));
  return {
    ...charted,
    times: [...times, next],
    groups: groups.map(({ group, values }) => ({
      group,
      values: [...values, current.get(group) ?? null],
    })),
  };
}

function hasFired({ statuses }: PreviewedGroup): boolean {
  return statuses.includes("firing");
}

/** The values of an alert over time. */
interface ChartedValues {
  /** Beginnings of the steps in ms, ascending. */
  readonly times: readonly number[];
  readonly stepMs: number;
  /** The groups that matter most. */
  readonly groups: readonly ChartedGroup[];
  /** How many there are in all. */
  readonly groupCount: number;
}

interface ChartedGroup {
  /** `""` for an alert without groups. */
  readonly group: string;
  readonly values: readonly (number | null)[];
}

export interface AlertChartProps {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** Its source and, once it has one, its condition. */
  readonly input: Pick<AlertInput, "source"> & Partial<Pick<AlertInput, "condition">>;
  readonly charted: ChartedValues;
  readonly bands: readonly ChartBand[];
  /** Deploys within the time. */
  readonly markers?: readonly ChartMarker[];
  /** Path that a drag over the plot leads to. */
  readonly zoomHref?: string;
}

/** The values of an alert with its levels as lines, and the times shaded in which it fired. */
export function AlertChart(
  { id, title, input, charted, bands, markers = [], zoomHref }: AlertChartProps,
) {
  const { times, stepMs, groups, groupCount } = charted;
  const kind = valueKindOf(input.source);
  const { unit, factor } = scaleOfKind(kind);
  const note = groups.length < groupCount
    ? t("{drawn} of {n} group is drawn.|{drawn} of {n} groups are drawn.", {
      drawn: groups.length,
      n: groupCount,
    })
    : undefined;
  return (
    <TimeChart
      id={id}
      title={title}
      unit={unit}
      times={times}
      bucketMs={stepMs}
      height={240}
      series={groups.map(({ group, values }) => ({
        label: group === "" ? t("value") : group,
        values: values.map((value) => value === null ? null : value * factor),
      }))}
      levels={levelsOf(input, kind, factor)}
      bands={bands}
      markers={markers}
      {...note !== undefined && { note }}
      {...zoomHref !== undefined && { zoomHref }}
    />
  );
}

function levelsOf(
  { source, condition }: AlertChartProps["input"],
  kind: ValueKind,
  factor: number,
): ChartLevel[] {
  if (condition === undefined || isOfIssues({ source })) return [];
  const { comparison, critical, warning, recovery } = condition;
  const level = (value: number | null, word: string, tone: ChartLevel["tone"]) =>
    value === null
      ? []
      : [{ value: value * factor, label: `${word} ${formatAlertValue(value, kind)}`, tone }];
  return [
    ...level(critical, t("critical {level}", { level: comparison }), "danger"),
    ...level(warning, t("warning {level}", { level: comparison }), "warning"),
    ...level(recovery, t("recovery@@level"), "ok"),
  ];
}

/** A stretch of time in which one group was in one state. */
interface StateSpan {
  readonly from: number;
  readonly to: number;
  readonly status: AlertStatus;
  readonly level: AlertLevel | null;
}

interface Shade {
  readonly label: Message;
  readonly tone: ChartBand["tone"];
}

/** The worst first: where several groups are at once, it is the worst of them that shows. */
const SHADES: readonly (readonly [covers: (span: StateSpan) => boolean, shade: Shade])[] = [
  [isFiring("critical"), { label: message("critical"), tone: "danger" }],
  [isFiring("warning"), { label: message("warning"), tone: "warning" }],
  [({ status }) => status === "no_data", { label: message("no data"), tone: "muted" }],
];

/**
 * The states that the groups of an alert had in a stretch of time.
 *
 * @param transitions those within the interval, the earliest first
 * @param states the present ones, of groups that may have had no transition in it
 */
export function spansOf(
  transitions: readonly AlertTransition[],
  states: readonly AlertState[],
  { start, end }: Interval,
): StateSpan[] {
  const groups = Map.groupBy(transitions, ({ group }) => group);
  const spans: StateSpan[] = [];
  for (const entries of groups.values()) {
    // The history says from which state it came, not from which level.
    let since: Omit<StateSpan, "to"> = {
      from: start.getTime(),
      status: entries[0]?.from ?? "ok",
      level: entries[0]?.from === "firing" ? entries[0].level ?? "critical" : null,
    };
    for (const { at, to, level } of entries) {
      spans.push({ ...since, to: at.getTime() });
      since = { from: at.getTime(), status: to, level };
    }
    spans.push({ ...since, to: end.getTime() });
  }
  for (const { group, since, status, level } of states) {
    if (groups.has(group)) continue;
    const from = Math.max(since.getTime(), start.getTime());
    spans.push({ from, to: end.getTime(), status, level });
  }
  return spans.filter(({ from, to }) => from < to);
}

/** The states that an alert would have had, each for the window that brought it about. */
export function spansOfPreview({ times, stepMs, groups }: AlertPreview): StateSpan[] {
  return groups.flatMap(({ statuses, levels }) =>
    statuses.flatMap((status, place): StateSpan[] => {
      const from = times[place];
      if (from === undefined || status === "ok" || status === "pending") return [];
      return [{ from, to: from + stepMs, status, level: levels[place] ?? null }];
    })
  );
}

/** How often the groups of an alert would have begun to fire. */
export function timesFired({ groups }: AlertPreview): number {
  const begins = (statuses: readonly AlertStatus[]) =>
    statuses.filter((status, place) => status === "firing" && statuses[place - 1] !== "firing")
      .length;
  return groups.reduce((sum, { statuses }) => sum + begins(statuses), 0);
}

/** The times in which any of the groups fired or had no data, each by the worst of them. */
export function bandsOf(spans: readonly StateSpan[]): ChartBand[] {
  const shaded = spans.filter((span) => SHADES.some(([covers]) => covers(span)));
  const edges = [...new Set(shaded.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const bands: ChartBand[] = [];
  edges.slice(0, -1).forEach((from, index) => {
    const to = edges[index + 1] ?? from;
    const there = shaded.filter((span) => span.from <= from && span.to >= to);
    const shade = SHADES.find(([covers]) => there.some(covers))?.[1];
    if (shade === undefined) return;
    const last = bands.at(-1);
    const label = t(shade.label);
    if (last?.to === from && last.label === label) {
      bands[bands.length - 1] = { ...last, to };
    } else bands.push({ from, to, ...shade, label });
  });
  return bands;
}

function isFiring(wanted: AlertLevel): (span: StateSpan) => boolean {
  return ({ status, level }) => status === "firing" && (level ?? "critical") === wanted;
}

/** What the chart of an alert can be asked for by a link. */
const CHART_RANGES = ["1h", "24h", "7d", "30d"] as const satisfies readonly RangePreset[];
type ChartRange = (typeof CHART_RANGES)[number];

const RANGE_MS: Readonly<Record<ChartRange, number>> = {
  "1h": HOUR_MS,
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "30d": 30 * DAY_MS,
};

/** Fewer windows make no chart, more are not asked for at once. */
const WINDOWS = { least: 6, most: 2_000 } as const;

/** The ranges that suit a window of so many minutes. */
export function rangesFor(windowMinutes: number): ChartRange[] {
  return CHART_RANGES.filter((range) => {
    const windows = RANGE_MS[range] / (windowMinutes * MINUTE_MS);
    return windows >= WINDOWS.least && windows <= WINDOWS.most;
  });
}

/** The usual range for a window: a day, and for long windows more. */
export function rangeFor(windowMinutes: number): ChartRange {
  if (windowMinutes <= 60) return "24h";
  return windowMinutes <= 360 ? "7d" : "30d";
}

/** Whether a stretch of time has more windows than are shown at once. */
function isTooLong(lengthMs: number, windowMinutes: number): boolean {
  return lengthMs / (windowMinutes * MINUTE_MS) > WINDOWS.most;
}
