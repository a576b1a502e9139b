import type { ListedMetric } from "../catalog.ts";
import { Count } from "../../ui/components/count.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { NONE } from "../../ui/format.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { ValueLine } from "../value_line.tsx";
import { metricHref } from "../paths.ts";
import { formatMetric, unitName } from "../units.ts";
import { type Trend, TREND_HOURS } from "./load_trends.ts";

export interface MetricTableProps {
  readonly tracing: Tracing;
  readonly metrics: readonly ListedMetric[];
  /** As of `loadTrends()`. */
  readonly trends: ReadonlyMap<string, Trend | null>;
}

const DAY_MS = 86_400_000;

/** Metrics with what they measure, what they did lately, and who sends them. */
export function MetricTable({ tracing, metrics, trends }: MetricTableProps) {
  return (
    <Table
      caption="Metrics"
      density="comfortable"
      columns={[
        { label: "Metric" },
        { label: "Kind", class: "max-md:hidden" },
        { label: "Unit", class: "max-lg:hidden" },
        { label: "Last value", align: "right" },
        { label: `Last ${TREND_HOURS} hours`, class: "w-36 max-sm:hidden" },
        {
          label: "Series",
          align: "right",
          help: "That were seen on its last day or the day before",
          class: "max-md:hidden",
        },
        { label: "Services", class: "max-xl:hidden" },
        { label: "Last seen", class: "max-lg:hidden" },
      ]}
    >
      {metrics.map((metric) => (
        <MetricRow
          key={metric.metricId}
          tracing={tracing}
          metric={metric}
          trend={trends.get(metric.metricId)}
        />
      ))}
    </Table>
  );
}

interface MetricRowProps {
  readonly tracing: Tracing;
  readonly metric: ListedMetric;
  /** Undefined: not read yet. */
  readonly trend: Trend | null | undefined;
}

function MetricRow({ tracing: { project, scope, now }, metric, trend }: MetricRowProps) {
  const { metricId, name, kind, unit, description, seriesCount, services, seenOn } = metric;
  return (
    <Row>
      <Cell class="w-full max-w-0 min-w-40 sm:min-w-64">
        <a
          class="row-link block truncate font-mono font-medium"
          title={name}
          href={metricHref(project.id, metric, scope)}
        >
          <bdi>{name}</bdi>
        </a>
        <span class="block truncate text-meta text-muted" title={description}>{description}</span>
      </Cell>
      <Cell class="max-md:hidden">{kind}</Cell>
      <Cell class="max-w-32 truncate max-lg:hidden">{unitName(unit) || NONE}</Cell>
      <Cell align="right">
        <div {...trendCell(`value-${metricId}`, trend)}>
          <LastValue trend={trend} />
        </div>
      </Cell>
      <Cell class="max-sm:hidden">
        <div {...trendCell(`line-${metricId}`, trend)}>
          {trend && (
            <div class="w-32" role="img" aria-label={trendWords(trend)} title={trendWords(trend)}>
              <ValueLine values={trend.values} stroke="stroke-series-1" height={24} />
            </div>
          )}
        </div>
      </Cell>
      <Cell align="right" class="max-md:hidden">
        <Count value={seriesCount} unit="series" />
      </Cell>
      <Cell class="max-w-48 truncate max-xl:hidden">
        <span title={services.join(", ")}>{services.join(", ") || NONE}</span>
      </Cell>
      <Cell class="whitespace-nowrap max-lg:hidden">
        <time datetime={seenOn}>{dayWords(seenOn, now)}</time>
      </Cell>
    </Row>
  );
}

/** How `fillTrends()` knows the cell, and whether it is late. */
function trendCell(id: string, trend: MetricRowProps["trend"]) {
  return { "data-trend": id, ...trend === undefined && { "data-trend-late": true } };
}

function LastValue({ trend }: Pick<MetricRowProps, "trend">) {
  if (trend === undefined) {
    return (
      <span class="text-muted" title="Still being read">
        <span aria-hidden="true">…</span>
        <span class="sr-only">Still being read</span>
      </span>
    );
  }
  if (trend === null) return <>{NONE}</>;
  return (
    <>
      {formatMetric(trend.last, trend.unit)}
      <span class="block text-meta text-muted">{trend.aggregation}</span>
    </>
  );
}

function trendWords({ aggregation, unit, values }: Trend): string {
  const real = values.filter((value) => value !== null);
  const low = formatMetric(real.length === 0 ? null : Math.min(...real), unit);
  const high = formatMetric(real.length === 0 ? null : Math.max(...real), unit);
  return `${aggregation} over the last ${TREND_HOURS} hours: ${low} to ${high}`;
}

/** A day in UTC as lists say it; metrics are not noted down more exactly. */
function dayWords(day: string, now: Date): string {
  if (day === now.toISOString().slice(0, 10)) return "today";
  const yesterday = new Date(now.getTime() - DAY_MS).toISOString().slice(0, 10);
  return day === yesterday ? "yesterday" : day;
}
