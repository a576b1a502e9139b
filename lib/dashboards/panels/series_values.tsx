import type { QueryResult } from "../../metrics/query_types.ts";
import { chartParts, partValue } from "../../metrics/chart_parts.ts";
import type { QueryNames } from "../../metrics/query_words.ts";
import { NothingInTime } from "./nothing_in_time.tsx";

export interface SeriesValuesProps {
  readonly result: QueryResult;
  readonly names: QueryNames;
  readonly queryIds: readonly string[];
}

/** The last value of each series in large figures, with the mean of the whole time. */
export function SeriesValues({ result, names, queryIds }: SeriesValuesProps) {
  const parts = chartParts(result, queryIds, names, null);
  if (parts.length === 0) return <NothingInTime />;
  const isOne = parts.length === 1 && parts[0]?.drawn.length === 1;
  return (
    <dl class="dash-values">
      {parts.flatMap((part) =>
        part.drawn.map(({ series, label }, index) => (
          <div key={`${part.unit} ${index}`}>
            <dt class={isOne ? "sr-only" : "truncate text-meta text-muted"} title={label}>
              <bdi>{label}</bdi>
            </dt>
            <dd
              class={isOne
                ? "text-2xl font-semibold tabular-nums"
                : "text-lg font-semibold tabular-nums"}
            >
              {partValue(series.figures.last, part)}
            </dd>
            <dd class="text-meta text-muted tabular-nums">
              avg {partValue(series.figures.avg, part)}
            </dd>
          </div>
        ))
      )}
    </dl>
  );
}
