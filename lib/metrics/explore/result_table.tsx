import type { QueryResult } from "../query_types.ts";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { EmptyState } from "../../ui/components/empty_state.tsx";
import type { QueryNames } from "../query_words.ts";
import { chartParts, type DrawnSeries, partValue } from "../chart_parts.ts";

export interface ResultTableProps {
  readonly result: QueryResult;
  /** Queries and formulas that are shown. */
  readonly queryIds: readonly string[];
  readonly names: QueryNames;
}

const FIGURES = ["last", "min", "avg", "max"] as const;
const TITLES = { last: "Last", min: "Min", avg: "Avg", max: "Max" } as const;

/** Every series of an answer with its figures over the whole time. */
export function ResultTable({ result, queryIds, names }: ResultTableProps) {
  const parts = chartParts(result, queryIds, names, null);
  return (
    <div class="rounded-lg border border-line bg-surface">
      {parts.length === 0 ? <NothingFound /> : (
        <Table
          caption="Series"
          isWide
          columns={[
            { label: "Series" },
            ...FIGURES.map((figure) => ({ label: TITLES[figure], align: "right" as const })),
          ]}
        >
          {parts.flatMap((part) =>
            besideBefore(part.drawn).map(({ series, label }, index) => (
              <Row key={`${part.unit} ${index}`}>
                <Cell class="w-full max-w-0 min-w-40">
                  <bdi class="block truncate" title={label}>{label}</bdi>
                </Cell>
                {FIGURES.map((figure) => (
                  <Cell key={figure} align="right">
                    {partValue(series.figures[figure], part)}
                  </Cell>
                ))}
              </Row>
            ))
          )}
        </Table>
      )}
    </div>
  );
}

/** Each series next to what it was in the time before. */
function besideBefore(drawn: readonly DrawnSeries[]): DrawnSeries[] {
  const same = Map.groupBy(
    drawn,
    ({ series: { queryId, labels } }) => JSON.stringify([queryId, labels]),
  );
  return [...same.values()].flat();
}

/** In place of series. */
export function NothingFound() {
  return (
    <EmptyState icon="search" title="No data in this time">
      No series of these metrics has points in this time and scope that the filters let through.
    </EmptyState>
  );
}
