import type { StoredRule } from "../rules.ts";
import type { Channel } from "../channels/channels.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { RelativeTime } from "../../ui/components/relative_time.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { NONE } from "../../ui/format.ts";
import { LevelText } from "./level_text.tsx";
import { alertPath } from "../../ui/paths.ts";
import { AlertStatusBadge } from "./status_badge.tsx";
import { type AlertSummary, isMuted } from "../summary.ts";
import { formatAlertValue, valueKindOf } from "../values.ts";
import { conditionWords, sourceWords } from "../words.ts";

export interface AlertRow {
  readonly rule: StoredRule;
  readonly summary: AlertSummary;
  /** Its channels, by name. */
  readonly channels: readonly Channel[];
}

export interface AlertTableProps {
  readonly rows: readonly AlertRow[];
  readonly now: Date;
}

/** Alerts with their state, what they watch, and the value against its level. */
export function AlertTable({ rows, now }: AlertTableProps) {
  return (
    <Table
      caption="Alerts"
      density="comfortable"
      columns={[
        { label: "State" },
        { label: "Alert" },
        { label: "Value", align: "right", help: "Of the group that is worst" },
        { label: "Level", align: "right", class: "max-sm:hidden" },
        { label: "Since", class: "max-md:hidden" },
        { label: "Last notified", class: "max-lg:hidden" },
        { label: "Channels", class: "max-xl:hidden" },
      ]}
    >
      {rows.map((row) => <AlertTableRow key={row.rule.ruleId} {...row} now={now} />)}
    </Table>
  );
}

function AlertTableRow(
  { rule, summary, channels, now }: AlertRow & { readonly now: Date },
) {
  const { worst } = summary;
  return (
    <Row>
      <Cell>
        <AlertState rule={rule} summary={summary} now={now} />
      </Cell>
      <Cell class="w-full max-w-0 min-w-32 sm:min-w-48">
        <a
          class="row-link block truncate font-medium"
          title={rule.name}
          href={alertPath(rule.projectId, rule.ruleId)}
        >
          <bdi>{rule.name}</bdi>
        </a>
        <span class="block truncate text-meta text-muted" title={watchedWords(rule)}>
          <bdi>{watchedWords(rule)}</bdi>
        </span>
      </Cell>
      <Cell align="right">{formatAlertValue(worst?.value ?? null, valueKindOf(rule.source))}</Cell>
      <Cell align="right" class="max-sm:hidden">
        <LevelText {...rule} level={worst?.level ?? null} />
      </Cell>
      <Cell class="max-md:hidden">
        <RelativeTime date={worst?.since ?? null} />
      </Cell>
      <Cell class="max-lg:hidden">
        <RelativeTime date={rule.toldAt} />
      </Cell>
      <Cell class="max-w-48 truncate max-xl:hidden">
        {channels.length === 0
          ? <span class="text-muted">{NONE}</span>
          : (
            <span title={channels.map(({ name }) => name).join(", ")}>
              {channels.map(({ name }) => name).join(", ")}
            </span>
          )}
      </Cell>
    </Row>
  );
}

/** The state of an alert with how many of its groups are in it, and whether it is muted or off. */
export function AlertState(
  { rule, summary: { worst, counts, groups }, now }:
    & Pick<AlertRow, "rule" | "summary">
    & { readonly now: Date },
) {
  if (!rule.isEnabled) {
    return <Badge icon="minus" title="It is not evaluated">off</Badge>;
  }
  const alike = worst === null ? 0 : counts[worst.status];
  // What looks at issues has a state for each that alerts, and none where there is nothing.
  const isFine = worst === null && rule.evaluatedUntil !== null;
  return (
    <span class="inline-flex flex-wrap items-center gap-1">
      <AlertStatusBadge
        status={isFine ? "ok" : worst?.status ?? null}
        level={worst?.level ?? null}
      />
      {isMuted(rule, now) && (
        <Badge icon="ignored" title="Nobody is told at the moment">muted</Badge>
      )}
      {groups > 1 && (
        <span class="text-meta text-muted tabular-nums" title="Groups in this state">
          {alike} of {groups}
        </span>
      )}
    </span>
  );
}

function watchedWords(rule: StoredRule): string {
  const where = rule.environments.length === 0 ? "" : ` in ${rule.environments.join(", ")}`;
  return `${sourceWords(rule.source)}${where}, ${conditionWords(rule)}`;
}
