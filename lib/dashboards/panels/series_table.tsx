import type { QueryResult } from "../../metrics/query_types.ts";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { chartParts, partValue } from "../../metrics/chart_parts.ts";
import type { QueryNames } from "../../metrics/query_words.ts";
import { NothingInTime } from "./nothing_in_time.tsx";

export interface SeriesTableProps {
  /** Read out. */
  readonly title: string;
  readonly result: QueryResult;
  readonly names: QueryNames;
  readonly queryIds: readonly string[];
}

const FIGURES = ["last", "min", "avg", "max"] as const;

/** The figures of each series over the whole time. */
export function SeriesTable({ title, result, names, queryIds }: SeriesTableProps) {
  const parts = chartParts(result, queryIds, names, null);
  if (parts.length === 0) return <NothingInTime />;
  return (
    <div class="dash-scroll">
      <Table
        caption={title}
        isWide
        columns={[
          { label: "Series" },
          ...FIGURES.map((figure) => ({ label: WORDS[figure], align: "right" as const })),
        ]}
      >
        {parts.flatMap((part) =>
          part.drawn.map(({ series, label }, index) => (
            <Row key={`${part.unit} ${index}`}>
              <Cell class="min-w-32 wrap-anywhere">
                <bdi>{label}</bdi>
              </Cell>
              {FIGURES.map((figure) => (
                <Cell key={figure} align="right">{partValue(series.figures[figure], part)}</Cell>
              ))}
            </Row>
          ))
        )}
      </Table>
    </div>
  );
}

const WORDS = { last: "Last", min: "Min", avg: "Avg", max: "Max" } as const;
