import type { ComponentChildren } from "preact";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import { transactionHref } from "../../ui/tracing_paths.ts";
import type { Ranked } from "./load_performance.ts";

export interface RankingProps {
  readonly tracing: Tracing;
  readonly title: string;
  readonly description: string;
  readonly ranked: readonly Ranked[];
  readonly columns: readonly {
    readonly label: string;
    readonly cell: (each: Ranked) => ComponentChildren;
  }[];
  /** In place of the list. */
  readonly none: string;
  /** To all of them. */
  readonly moreHref?: string;
}

/** The first few transactions by one measure. */
export function Ranking(
  { tracing, title, description, ranked, columns, none, moreHref }: RankingProps,
) {
  const { project, scope } = tracing;
  return (
    <Panel
      title={title}
      description={description}
      flush
      actions={moreHref && <a class="link text-sm" href={moreHref}>All</a>}
    >
      {ranked.length === 0 ? <p class="px-4 py-6 text-sm text-muted">{none}</p> : (
        <Table
          caption={title}
          columns={[
            { label: "Transaction" },
            ...columns.map(({ label }) => ({ label, align: "right" as const })),
          ]}
        >
          {ranked.map((each) => (
            <Row key={each.name}>
              <Cell class="w-full max-w-0 min-w-40">
                <a
                  class="row-link block truncate"
                  title={each.name}
                  href={transactionHref(project.id, scope, each.name)}
                >
                  <bdi>{each.name}</bdi>
                </a>
              </Cell>
              {columns.map(({ label, cell }) => <Cell key={label} align="right">{cell(each)}
              </Cell>)}
            </Row>
          ))}
        </Table>
      )}
    </Panel>
  );
}
