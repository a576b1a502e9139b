import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { visible } from "../../ui/read.ts";
import { formatCount, formatExact } from "../../ui/format.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { sortHeader, type Sorting } from "../../ui/sorting.ts";
import { PAGE_COLUMNS, type PageRow } from "./load_vitals.ts";
import { pageVitalsHref } from "../../ui/vitals_paths.ts";
import { Rated } from "./rated.tsx";
import { formatVital, ratingOf, VITALS } from "./ratings.ts";
import { scoreRating } from "./score.ts";
import { formatScore } from "./vital_cards.tsx";

export interface PageTableProps {
  readonly tracing: Tracing;
  readonly rows: readonly PageRow[];
  readonly sorting: Sorting;
  readonly hrefOf: (sort: string) => string;
}

/** Pages with their vitals, each by its 75th percentile. */
export function PageTable({ tracing, rows, sorting, hrefOf }: PageTableProps) {
  const { project, scope } = tracing;
  return (
    <Table
      caption="Pages and their Web Vitals"
      density="comfortable"
      columns={PAGE_COLUMNS.map((column) => sortHeader(column, sorting, hrefOf, rows[0]))}
    >
      {rows.map(({ name, loads, vitals, p75, score }) => (
        <Row key={name}>
          <Cell class="w-full max-w-0 min-w-48">
            <a
              class="row-link block truncate font-medium"
              title={visible(name)}
              href={pageVitalsHref(project.id, scope, name)}
            >
              <bdi>{visible(name)}</bdi>
            </a>
          </Cell>
          <Cell align="right">
            <span title={formatExact(loads)}>{formatCount(loads)}</span>
          </Cell>
          {VITALS.map((vital) => (
            <Cell key={vital.name} align="right">
              <Rated
                rating={ratingOf(vital, p75[vital.name])}
                title={`p75 of ${formatExact(vitals.get(vital.name)?.count ?? 0)} measured`}
              >
                {formatVital(vital, p75[vital.name])}
              </Rated>
            </Cell>
          ))}
          <Cell align="right">
            <Rated rating={scoreRating(score)}>{formatScore(score)}</Rated>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
