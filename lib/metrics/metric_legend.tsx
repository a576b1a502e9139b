import { Swatch } from "../ui/charts/legend.tsx";
import { type ChartPart, chartSeries, type ChartView, partValue } from "./chart_parts.ts";

/** Leads to the same page with a query drawn or not. */
export interface LegendToggles {
  /** Ids of queries and formulas that are not drawn. */
  readonly hidden: readonly string[];
  readonly hrefOf: (queryId: string) => string;
}

export interface MetricLegendProps {
  /** Read out. */
  readonly title: string;
  readonly part: ChartPart;
  readonly view: ChartView;
  readonly toggles?: LegendToggles | undefined;
}

/**
 * The series of a chart with the figures of their whole time. Script puts the values under the cursor into
 * `[data-chart-value]`.
 */
export function MetricLegend({ title, part, view, toggles }: MetricLegendProps) {
  const { drawn } = part;
  return (
    <div class="metric-legend" role="group" aria-label={`${title}, figures`} tabindex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Series</th>
            <th scope="col">
              <span class="chart-summary">Last</span>
            </th>
            <th scope="col">Min</th>
            <th scope="col">Avg</th>
            <th scope="col">Max</th>
          </tr>
        </thead>
        <tbody>
          {drawn.map((one, index) => {
            const { queryId, figures } = one.series;
            return (
              <tr key={index}>
                <th scope="row">
                  <Swatch series={chartSeries(one, part, view)} position={index} />
                  <bdi title={one.label}>{one.label}</bdi>
                  {toggles && (
                    <a
                      href={toggles.hrefOf(queryId)}
                      aria-label={`Hide ${queryId}`}
                      title={`Hide everything of ${queryId}`}
                    >
                      hide {queryId}
                    </a>
                  )}
                </th>
                <td data-chart-value={index}>{partValue(figures.last, part)}</td>
                <td>{partValue(figures.min, part)}</td>
                <td>{partValue(figures.avg, part)}</td>
                <td>{partValue(figures.max, part)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
