import { alertPath, issuePath } from "../../ui/links.ts";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import { ExactTime, RelativeTime } from "../../ui/components/values.tsx";
import { Icon, type IconName } from "../../ui/components/icon.tsx";
import { Cell, Pagination, Row, Table } from "../../ui/components/table.tsx";
import { formatExact, NONE } from "../../ui/format.ts";
import type { Channel } from "../channels/channels.ts";
import { isOfIssues } from "../check_input.ts";
import type {
  AlertLevel,
  AlertSource,
  AlertState,
  AlertStatus,
  AlertTransition,
  Condition,
} from "../rule.ts";
import type { StoredRule } from "../rules.ts";
import { type AlertSummary, type HistoryPage, isMuted } from "../states.ts";
import {
  COMPARISON_LABELS,
  conditionWords,
  formatAlertValue,
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
        <RuleState rule={rule} summary={summary} now={now} />
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
export function RuleState(
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

interface StateTableProps {
  readonly rule: StoredRule;
  /** The worst first. */
  readonly states: readonly AlertState[];
}

/** More would be a page of its own; the worst are here. */
const MOST = 100;

/** The state of each group of an alert. */
export function StateTable({ rule, states }: StateTableProps) {
  const kind = valueKindOf(rule.source);
  return (
    <>
      <Table
        caption="States"
        isWide
        columns={[
          { label: "State" },
          { label: "Group" },
          { label: "Value", align: "right" },
          { label: "Level", align: "right", class: "max-sm:hidden" },
          { label: "Since", align: "right" },
        ]}
      >
        {states.slice(0, MOST).map((state) => (
          <Row key={state.group}>
            <Cell>
              <AlertStatusBadge status={state.status} level={state.level} />
            </Cell>
            <Cell class="w-full max-w-0 min-w-32 truncate">
              <GroupName rule={rule} group={state.group} />
            </Cell>
            <Cell align="right">{formatAlertValue(state.value, kind)}</Cell>
            <Cell align="right" class="max-sm:hidden">
              <LevelText {...rule} level={state.level} />
            </Cell>
            <Cell align="right">
              <RelativeTime date={state.since} />
            </Cell>
          </Row>
        ))}
      </Table>
      {states.length > MOST && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          The worst {MOST} of {formatExact(states.length)} groups.
        </p>
      )}
    </>
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
      <Table
        caption="History"
        isWide
        columns={[
          { label: "When" },
          { label: "Change" },
          { label: "Group" },
          { label: "Value", align: "right" },
          { label: "Notice" },
        ]}
      >
        {rows.map((entry, index) => (
          <Row key={index}>
            <Cell class="text-muted">
              <ExactTime date={entry.at} />
            </Cell>
            <Cell>
              <Change entry={entry} />
            </Cell>
            <Cell class="max-w-64 min-w-24 truncate">
              <GroupName rule={rule} group={entry.group} />
            </Cell>
            <Cell align="right">{formatAlertValue(entry.value, kind)}</Cell>
            <Cell class="whitespace-nowrap">
              <span class={entry.notice === "sent" ? undefined : "text-muted"}>
                {NOTICE_LABELS[entry.notice]}
              </span>
            </Cell>
          </Row>
        ))}
      </Table>
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
  readonly source: AlertSource;
  readonly condition: Condition;
  /** The level that the value has reached; null shows the critical one. */
  readonly level: AlertLevel | null;
}

/** The level that a value is measured by, as `> 1.5 s`. */
function LevelText({ source, condition, level }: LevelTextProps) {
  if (isOfIssues({ source })) return <span class="text-muted">{NONE}</span>;
  const { comparison, critical, warning } = condition;
  const kind = valueKindOf(source);
  const value = level === "warning" && warning !== null ? warning : critical;
  const all = [
    `critical ${COMPARISON_LABELS[comparison]} ${formatAlertValue(critical, kind)}`,
    ...(warning === null
      ? []
      : [`warning ${COMPARISON_LABELS[comparison]} ${formatAlertValue(warning, kind)}`]),
  ];
  return (
    <span class="text-muted" title={all.join(", ")}>
      {`${comparison} ${formatAlertValue(value, kind)}`}
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
