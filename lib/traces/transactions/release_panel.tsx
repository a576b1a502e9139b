import type { Grouped } from "../../store/stats/read_stats.ts";
import { averageOf, failureRate, type Stats } from "../../store/stats/stats.ts";
import { Button } from "../../ui/components/button.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Select } from "../../ui/components/select.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatDuration, formatExact, formatPercent } from "../../ui/format.ts";
import { type Scope, scopeParams } from "../../ui/scope.ts";
import { Change } from "../../ui/change.tsx";
import type { SummaryParams } from "./load_summary.ts";

export interface ReleasePanelProps {
  readonly path: string;
  readonly scope: Scope;
  readonly params: SummaryParams;
  /** All parameters of the page, which comparing others keeps. */
  readonly keep: Readonly<Record<string, string | null>>;
  readonly byRelease: readonly Grouped<"release">[];
  /** Of the project, newest first. */
  readonly releases: readonly string[];
}

const FIGURES: readonly {
  readonly label: string;
  readonly value: (stats: Stats) => number | null;
  readonly format: (value: number | null) => string;
  readonly more: "worse" | "neither";
}[] = [
  {
    label: "Transactions",
    value: ({ weight }) => Math.round(weight),
    format: formatExact,
    more: "neither",
  },
  { label: "Average", value: averageOf, format: formatDuration, more: "worse" },
  { label: "p50", value: quantile(0.5), format: formatDuration, more: "worse" },
  { label: "p95", value: quantile(0.95), format: formatDuration, more: "worse" },
  { label: "p99", value: quantile(0.99), format: formatDuration, more: "worse" },
  { label: "Failure rate", value: failureRate, format: formatPercent, more: "worse" },
];

function quantile(share: number) {
  return ({ sketch }: Stats) => sketch.quantile(share);
}

/** Two releases side by side: the two newest ones, unless others are chosen. */
export function ReleasePanel(props: ReleasePanelProps) {
  const { path, scope, params, keep, byRelease, releases } = props;
  const named = byRelease.filter(({ release }) => release !== "");
  const newest = releases.filter((release) => named.some((each) => each.release === release));
  const [first, second] = newest.length > 0 ? newest : named.map(({ release }) => release);
  const candidate = named.find(({ release }) => release === (params.candidate || first));
  const baseline = named.find(({ release }) => release === (params.baseline || second));
  if (named.length < 2 || candidate === undefined || baseline === undefined) return null;
  const kept = Object.entries(keep).flatMap(([name, value]): [string, string][] =>
    value === null || name === "baseline" || name === "candidate" ? [] : [[name, value]]
  );
  const options = named.map(({ release }) => ({ value: release, label: release }));
  return (
    <Panel title="Releases compared" id="releases" flush>
      <form action={`${path}#releases`} class="flex flex-wrap items-end gap-2 px-4 pb-3">
        {[...scopeParams(scope), ...kept].map(([name, value]) => (
          <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
        ))}
        <Select name="baseline" label="From" options={options} value={baseline.release} size="sm" />
        <Select name="candidate" label="To" options={options} value={candidate.release} size="sm" />
        <Button size="sm">Compare</Button>
      </form>
      <Table
        caption="Releases compared"
        isWide
        columns={[
          { label: "Figure" },
          { label: baseline.release, align: "right" },
          { label: candidate.release, align: "right" },
          { label: "Change", align: "right" },
        ]}
      >
        {FIGURES.map(({ label, value, format, more }) => (
          <Row key={label}>
            <Cell>{label}</Cell>
            <Cell align="right">{format(value(baseline))}</Cell>
            <Cell align="right">{format(value(candidate))}</Cell>
            <Cell align="right">
              <Change now={value(candidate)} before={value(baseline)} more={more} />
            </Cell>
          </Row>
        ))}
      </Table>
    </Panel>
  );
}
