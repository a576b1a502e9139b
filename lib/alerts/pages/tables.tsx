import { alertPath, issuePath } from "../../ui/links.ts";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import { ExactTime, RelativeTime } from "../../ui/components/values.tsx";
import { Icon, type IconName } from "../../ui/components/icon.tsx";
import { Pagination, RowTable, TablePanel } from "../../ui/components/table.tsx";
import { formatExact, NONE } from "../../ui/format.ts";
import type { Channel } from "../channels/channels.ts";
import { isOfIssues } from "../check_input.ts";
import type { AlertLevel, AlertState, AlertStatus, AlertTransition } from "../rule.ts";
import type { StoredRule } from "../rules.ts";
import { type AlertSummary, type HistoryPage, isMuted } from "../states.ts";
import {
  conditionWords,
  formatAlertValue,
  levelWords,
  NOTICE_LABELS,
  sourceWords,
  STATUS_LABELS,
  valueKindOf,
} from "../words.ts";

export interface AlertRow {
  readonly rule: StoredRule;
  readonly summary: AlertSummary;
  /** Its channels, by name. */
  readonly channels: readonly Channel[];
}

interface AlertTableProps {
  readonly rows: readonly AlertRow[];
  readonly now: Date;
}

/** Alerts with their state, what they watch, and the value against its level. */
export function AlertTable({ rows, now }: AlertTableProps) {
  return (
    <RowTable
      caption="Alerts"
      density="comfortable"
      rows={rows}
      rowKey={({ rule }) => rule.ruleId}
      columns={[
        {
          label: "State",
          cell: ({ rule, summary }) => <RuleState rule={rule} summary={summary} now={now} />,
        },
        {
          label: "Alert",
          cellClass: "w-full max-w-0 min-w-32 sm:min-w-48",
          cell: ({ rule }) => <RuleLink rule={rule} />,
        },
        {
          label: "Value",
          align: "right",
          help: "Of the group that is worst",
          cell: ({ rule, summary }) =>
            formatAlertValue(summary.worst?.value ?? null, valueKindOf(rule.source)),
        },
        {
          label: "Level",
          align: "right",
          class: "max-sm:hidden",
          cell: ({ rule, summary }) => (
            <LevelText rule={rule} level={summary.worst?.level ?? null} />
          ),
        },
        {
          label: "Since",
          class: "max-md:hidden",
          cell: ({ summary }) => <RelativeTime date={summary.worst?.since ?? null} />,
        },
        {
          label: "Last notified",
          class: "max-lg:hidden",
          cell: ({ rule }) => <RelativeTime date={rule.toldAt} />,
        },
        {
          label: "Channels",
          class: "max-xl:hidden",
          cellClass: "max-w-48 truncate max-xl:hidden",
          cell: ({ channels }) => <ChannelNames channels={channels} />,
        },
      ]}
    />
  );
}

function RuleLink({ rule }: Pick<AlertRow, "rule">) {
  return (
    <>
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
    </>
  );
}

function ChannelNames({ channels }: Pick<AlertRow, "channels">) {
  const names = channels.map(({ name }) => name).join(", ");
  if (channels.length === 0) return <span class="text-muted">{NONE}</span>;
  return <span title={names}>{names}</span>;
}

/** The state of an alert with how many of its groups are in it, and whether it is muted or off. */
export function RuleState(
  { rule, summary: { worst, counts }, now }:
    & Pick<AlertRow, "rule" | "summary">
    & { readonly now: Date },
) {
  if (!rule.isEnabled) {
    return <Badge icon="minus" title="It is not evaluated">off</Badge>;
  }
  const alike = worst === null ? 0 : counts[worst.status];
  const groups = Object.values(counts).reduce((sum, count) => sum + count, 0);
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

interface StateTableProps {
  readonly rule: StoredRule;
  /** The worst first. */
  readonly states: readonly AlertState[];
}

/** More would be a page of its own; the worst are here. */
const MOST = 100;

/** The state of each group of an alert. */
export function StatePanel({ rule, states }: StateTableProps) {
  const kind = valueKindOf(rule.source);
  return (
    <TablePanel
      title="States"
      id="alert-states"
      isWide
      rows={states}
      rowKey={({ group }) => group}
      limit={MOST}
      rest={(total) => `The worst ${MOST} of ${formatExact(total)} groups.`}
      columns={[
        {
          label: "State",
          cell: ({ status, level }) => <AlertStatusBadge status={status} level={level} />,
        },
        {
          label: "Group",
          cellClass: "w-full max-w-0 min-w-32 truncate",
          cell: ({ group }) => <GroupName rule={rule} group={group} />,
        },
        { label: "Value", align: "right", cell: ({ value }) => formatAlertValue(value, kind) },
        {
          label: "Level",
          align: "right",
          class: "max-sm:hidden",
          cell: ({ level }) => <LevelText rule={rule} level={level} />,
        },
        { label: "Since", align: "right", cell: ({ since }) => <RelativeTime date={since} /> },
      ]}
    />
  );
}

interface HistoryTableProps {
  readonly rule: StoredRule;
  readonly history: HistoryPage;
  readonly hrefOf: (cursor: string) => string;
}

/** What happened to an alert, the latest first, and whether somebody was told. */
export function HistoryTable({ rule, history, hrefOf }: HistoryTableProps) {
  const { rows, previousCursor, nextCursor } = history;
  if (rows.length === 0) {
    return (
      <p class="px-4 py-6 text-center text-muted">
        Nothing has changed yet. Changes are kept for 90 days.
      </p>
    );
  }
  const kind = valueKindOf(rule.source);
  return (
    <>
      <RowTable
        caption="History"
        isWide
        rows={rows.map((entry, place) => ({ ...entry, place }))}
        rowKey={({ place }) => place}
        columns={[
          { label: "When", cellClass: "text-muted", cell: ({ at }) => <ExactTime date={at} /> },
          { label: "Change", cell: (entry) => <Change entry={entry} /> },
          {
            label: "Group",
            cellClass: "max-w-64 min-w-24 truncate",
            cell: ({ group }) => <GroupName rule={rule} group={group} />,
          },
          { label: "Value", align: "right", cell: ({ value }) => formatAlertValue(value, kind) },
          {
            label: "Notice",
            cellClass: "whitespace-nowrap",
            cell: ({ notice }) => (
              <span class={notice === "sent" ? undefined : "text-muted"}>
                {NOTICE_LABELS[notice]}
              </span>
            ),
          },
        ]}
      />
      {(previousCursor !== null || nextCursor !== null) && (
        <div class="border-t border-line">
          <Pagination
            label="Pages of the history"
            previousHref={previousCursor && hrefOf(previousCursor)}
            nextHref={nextCursor && hrefOf(nextCursor)}
          />
        </div>
      )}
    </>
  );
}

/** `ok → critical`; what went on in the same state is that state alone. */
function Change({ entry: { from, to, level } }: { readonly entry: AlertTransition }) {
  return (
    <span class="inline-flex items-center gap-1.5 whitespace-nowrap">
      {from !== to && (
        <>
          <span class="text-muted">{from === "firing" ? "firing" : STATUS_LABELS[from]}</span>
          <Icon name="arrow-right" size={12} class="text-muted" />
          <span class="sr-only">to</span>
        </>
      )}
      <AlertStatusBadge status={to} level={level} />
    </span>
  );
}

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: IconName;
  readonly help: string;
}

const LOOKS: Readonly<Record<Exclude<AlertStatus, "firing">, Look>> = {
  ok: { word: "ok", tone: "ok", icon: "ok", help: "The condition does not hold" },
  pending: {
    word: "pending",
    tone: "info",
    icon: "clock",
    help: "The condition holds, but not for long enough yet",
  },
  no_data: {
    word: "no data",
    tone: "neutral",
    icon: "ignored",
    help: "There was nothing to judge in the last window",
  },
};

const FIRING: Readonly<Record<AlertLevel, Look>> = {
  critical: { word: "critical", tone: "danger", icon: "fatal", help: "Over the critical level" },
  warning: { word: "warning", tone: "warning", icon: "warning", help: "Over the warning level" },
};

interface AlertStatusBadgeProps {
  /** Null: it was not evaluated yet. */
  readonly status: AlertStatus | null;
  /** What it fires with. */
  readonly level: AlertLevel | null;
}

/** The state of an alert: colour, shape and word, with its meaning on hover. */
function AlertStatusBadge({ status, level }: AlertStatusBadgeProps) {
  if (status === null) {
    return <Badge icon="clock" title="It is evaluated twice a minute">not run yet</Badge>;
  }
  const { word, tone, icon, help } = status === "firing"
    ? FIRING[level ?? "critical"]
    : LOOKS[status];
  return <Badge tone={tone} icon={icon} title={help}>{word}</Badge>;
}

interface LevelTextProps {
  readonly rule: StoredRule;
  /** The level that the value has reached; null shows the critical one. */
  readonly level: AlertLevel | null;
}

/** The level that a value is measured by, as `> 1.5 s`. */
function LevelText({ rule, level }: LevelTextProps) {
  if (isOfIssues(rule)) return <span class="text-muted">{NONE}</span>;
  const { comparison, critical, warning } = rule.condition;
  const value = level === "warning" && warning !== null ? warning : critical;
  const all = [
    `critical ${levelWords(rule, critical)}`,
    ...warning === null ? [] : [`warning ${levelWords(rule, warning)}`],
  ];
  return (
    <span class="text-muted" title={all.join(", ")}>
      {`${comparison} ${formatAlertValue(value, valueKindOf(rule.source))}`}
    </span>
  );
}

interface GroupNameProps {
  readonly rule: StoredRule;
  readonly group: string;
}

/** A group of an alert: its labels, or the issue it is. */
function GroupName({ rule, group }: GroupNameProps) {
  if (group === "") return <span class="text-muted">all</span>;
  if (!isOfIssues(rule)) return <bdi title={group} class="font-mono">{group}</bdi>;
  return <a class="link" href={issuePath(rule.projectId, group)}>Issue {group}</a>;
}
