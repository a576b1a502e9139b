import type { ChartDot } from "../../ui/charts/mod.ts";
import { ExactTime } from "../../ui/components/exact_time.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatMetric } from "../units.ts";

export interface ShownExemplars {
  /** The dots of the chart; none where its values are of another kind than the observations. */
  readonly dots: readonly ChartDot[];
  /** The largest first; values in `ucum`. */
  readonly rows: readonly ChartDot[];
  readonly ucum: string;
}

export const NO_EXEMPLARS: ShownExemplars = { dots: [], rows: [], ucum: "" };

/** Observations whose traces are known, behind a toggle; nothing where there are none. */
export function ExemplarTable(
  { exemplars: { rows, ucum } }: { readonly exemplars: ShownExemplars },
) {
  if (rows.length === 0) return null;
  return (
    <details class="mt-3 rounded-lg border border-line bg-surface">
      <summary class="cursor-pointer px-4 py-2 text-sm font-medium">
        {`Traces of ${rows.length} ${rows.length === 1 ? "observation" : "observations"}`}
      </summary>
      <Table
        caption="Exemplars"
        columns={[{ label: "Trace" }, { label: "Time" }, { label: "Value", align: "right" }]}
      >
        {rows.map(({ at, value, href, label }) => (
          <Row key={`${href} ${at}`}>
            <Cell>
              <a href={href} class="row-link link font-mono text-sm">{label}</a>
            </Cell>
            <Cell>
              <ExactTime date={new Date(at)} />
            </Cell>
            <Cell align="right">{formatMetric(value, ucum)}</Cell>
          </Row>
        ))}
      </Table>
    </details>
  );
}
