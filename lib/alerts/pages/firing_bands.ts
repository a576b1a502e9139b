/** When an alert fired, as shaded times of a chart. */
import type {
  AlertLevel,
  AlertState,
  AlertStatus,
  AlertTransition,
} from "../rule.ts";
import type { AlertPreview } from "../evaluation/preview.ts";
import type { ChartBand } from "../../ui/charts/mod.ts";
import type { Interval } from "../../ui/scope.ts";

/** A stretch of time in which one group was in one state. */
export interface StateSpan {
  readonly from: number;
  readonly to: number;
  readonly status: AlertStatus;
  readonly level: AlertLevel | null;
}

interface Shade {
  readonly label: string;
  readonly tone: ChartBand["tone"];
}

/** The worst first: where several groups are at once, it is the worst of them that shows. */
const SHADES: readonly (readonly [covers: (span: StateSpan) => boolean, shade: Shade])[] = [
  [isFiring("critical"), { label: "critical", tone: "danger" }],
  [isFiring("warning"), { label: "warning", tone: "warning" }],
  [({ status }) => status === "no_data", { label: "no data", tone: "muted" }],
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
    if (last?.to === from && last.label === shade.label) {
      bands[bands.length - 1] = { ...last, to };
    } else bands.push({ from, to, ...shade });
  });
  return bands;
}

function isFiring(wanted: AlertLevel): (span: StateSpan) => boolean {
  return ({ status, level }) => status === "firing" && (level ?? "critical") === wanted;
}
