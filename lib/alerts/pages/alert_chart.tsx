import type { AlertInput } from "../rule.ts";
import { isOfIssues } from "../check_input.ts";
import { type ChartBand, type ChartLevel, TimeChart } from "../../ui/charts/mod.ts";
import { formatExact } from "../../ui/format.ts";
import { formatAlertValue, scaleOfKind, type ValueKind, valueKindOf } from "../values.ts";

/** The values of an alert over time. */
export interface ChartedValues {
  /** Beginnings of the steps in ms, ascending. */
  readonly times: readonly number[];
  readonly stepMs: number;
  /** The groups that matter most. */
  readonly groups: readonly ChartedGroup[];
  /** How many there are in all. */
  readonly groupCount: number;
}

export interface ChartedGroup {
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
  /** Path that a drag over the plot leads to. */
  readonly zoomHref?: string;
}

/** The values of an alert with its levels as lines, and the times shaded in which it fired. */
export function AlertChart({ id, title, input, charted, bands, zoomHref }: AlertChartProps) {
  const { times, stepMs, groups, groupCount } = charted;
  const kind = valueKindOf(input.source);
  const { unit, factor } = scaleOfKind(kind);
  const note = groups.length < groupCount
    ? `${groups.length} of ${formatExact(groupCount)} groups are drawn.`
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
        label: group === "" ? "value" : group,
        values: values.map((value) => value === null ? null : value * factor),
      }))}
      levels={levelsOf(input, kind, factor)}
      bands={bands}
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
    ...level(critical, `critical ${comparison}`, "danger"),
    ...level(warning, `warning ${comparison}`, "warning"),
    ...level(recovery, "recovery", "ok"),
  ];
}
