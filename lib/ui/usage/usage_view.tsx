import type { UsageRow } from "../../telemetry/usage.ts";
import { BarChart } from "../components/bar_chart.tsx";
import { Count } from "../components/count.tsx";
import { EmptyState } from "../components/empty_state.tsx";
import { Panel } from "../components/panel.tsx";
import { Cell, Row, Table } from "../components/table.tsx";
import { visible } from "../event/read.ts";
import type { Month } from "./month.ts";
import { byDay, linesBy, splitUsage, totalOf, type UsageLine } from "./usage_table.ts";
import { categoryWord, KIND_WORDS, reasonWord } from "./words.ts";

export interface UsageViewProps {
  readonly rows: readonly UsageRow[];
  readonly month: Month;
  /** By project id. */
  readonly projectNames: ReadonlyMap<string, string>;
}

/** What became of everything in a month: by day, category and project, and why. */
export function UsageView({ rows, month, projectNames }: UsageViewProps) {
  const { arrived, clientDrops } = splitUsage(rows);
  if (rows.length === 0) {
    return (
      <Panel>
        <EmptyState icon="inbox" title="Nothing arrived in this month">
          As soon as something is sent to a project, it is counted here, whatever becomes of it.
        </EmptyState>
      </Panel>
    );
  }
  const accepted = arrived.filter(({ kind }) => kind === "accepted");
  return (
    <>
      <Panel>
        <BarChart
          title="Accepted"
          unit="items"
          start={month.start}
          bucketSec={86_400}
          counts={byDay(accepted, month.days)}
        />
      </Panel>
      <KindTable title="By category" id="categories" of="Category" rows={arrived}>
        {linesBy(arrived, ({ category }) => category).map((line) => ({
          ...line,
          key: categoryWord(line.key),
        }))}
      </KindTable>
      <KindTable title="By project" id="projects" of="Project" rows={arrived}>
        {linesBy(arrived, ({ projectId }) => projectId).map((line) => ({
          ...line,
          key: projectNames.get(line.key) ?? `#${line.key}`,
        }))}
      </KindTable>
      <KindTable title="By day" id="days" of="Day (UTC)" rows={arrived}>
        {linesBy(arrived, ({ day }) => day).sort((a, b) => a.key < b.key ? 1 : -1)}
      </KindTable>
      <ReasonTable
        title="Why not accepted"
        id="reasons"
        rows={arrived.filter(({ kind }) => kind !== "accepted")}
        empty="Everything was accepted."
      />
      <ReasonTable
        title="Dropped by clients"
        id="client-drops"
        description="What SDKs dropped before sending, as their client reports say. It never arrived, and is in none of the tables above."
        rows={clientDrops}
        empty="No client reported that it dropped anything."
      />
    </>
  );
}

interface KindTableProps {
  readonly title: string;
  readonly id: string;
  /** What a line is. */
  readonly of: string;
  readonly rows: readonly UsageRow[];
  readonly children: readonly UsageLine[];
}

function KindTable({ title, id, of, rows, children: lines }: KindTableProps) {
  const total = totalOf(rows);
  // Columns without a single item say nothing.
  const kinds = KIND_WORDS.filter(([kind]) => (total.byKind.get(kind) ?? 0) > 0);
  return (
    <Panel title={title} id={id} flush>
      <div class="overflow-x-auto" tabindex={0}>
        <Table
          caption={title}
          columns={[
            { label: of },
            ...kinds.map(([, label]) => ({ label, align: "right" as const })),
            { label: "Total", align: "right" },
          ]}
        >
          {lines.map((line) => (
            <Row key={line.key}>
              <Cell>{visible(line.key)}</Cell>
              {kinds.map(([kind]) => (
                <Cell key={kind} align="right">
                  <Quantity value={line.byKind.get(kind) ?? 0} />
                </Cell>
              ))}
              <Cell align="right">
                <Quantity value={line.total} />
              </Cell>
            </Row>
          ))}
          <Row>
            <Cell>
              <strong>Total</strong>
            </Cell>
            {kinds.map(([kind]) => (
              <Cell key={kind} align="right">
                <strong>
                  <Quantity value={total.byKind.get(kind) ?? 0} />
                </strong>
              </Cell>
            ))}
            <Cell align="right">
              <strong>
                <Quantity value={total.total} />
              </strong>
            </Cell>
          </Row>
        </Table>
      </div>
    </Panel>
  );
}

interface ReasonTableProps {
  readonly title: string;
  readonly id: string;
  readonly description?: string;
  readonly rows: readonly UsageRow[];
  readonly empty: string;
}

/** The reasons behind the figures, the most frequent first. */
function ReasonTable({ title, id, description, rows, empty }: ReasonTableProps) {
  const lines = linesBy(
    rows,
    ({ category, kind, reason }) => JSON.stringify([category, kind, reason]),
  );
  return (
    <Panel title={title} id={id} description={description} flush={lines.length > 0}>
      {lines.length === 0
        ? <p class="text-muted">{empty}</p>
        : (
          <div class="overflow-x-auto" tabindex={0}>
            <Table
              caption={title}
              columns={[
                { label: "Category" },
                { label: "Outcome" },
                { label: "Reason" },
                { label: "Items", align: "right" },
              ]}
            >
              {lines.slice(0, 100).map(({ key, total }) => {
                const [category, kind, reason] = JSON.parse(key) as [string, string, string];
                const label = KIND_WORDS.find(([each]) => each === kind)?.[1] ?? "Dropped";
                return (
                  <Row key={key}>
                    <Cell>{visible(categoryWord(category))}</Cell>
                    <Cell>{label}</Cell>
                    <Cell>{visible(reasonWord(reason))}</Cell>
                    <Cell align="right">
                      <Quantity value={total} />
                    </Cell>
                  </Row>
                );
              })}
            </Table>
          </div>
        )}
    </Panel>
  );
}

function Quantity({ value }: { readonly value: number }) {
  return value === 0 ? <span class="text-faint">0</span> : <Count value={value} />;
}
