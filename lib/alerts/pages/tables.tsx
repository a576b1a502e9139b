import { alertPath, issuePath } from "../../ui/links.ts";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import { ExactTime, RelativeTime } from "../../ui/components/values.tsx";
import { Icon, type IconName } from "../../ui/components/icon.tsx";
import { Pagination, RowTable, TablePanel } from "../../ui/components/table.tsx";
import { NONE } from "../../ui/format.ts";
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
import { type Message, message, t } from "../../core/language/translate.ts";

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
      caption={t("Alerts")}
      density="comfortable"
      rows={rows}
      rowKey={({ rule }) => rule.ruleId}
      columns={[
        {
          label: t("State"),
          cell: ({ rule, summary }) => <RuleState rule={rule} summary={summary} now={now} />,
        },
        {
          label: t("Alert"),
          cellClass: "w-full max-w-0 min-w-32 sm:min-w-48",
          cell: ({ rule }) => <RuleLink rule={rule} />,
        },
        {
          label: t("Value"),
          align: "right",
          help: t("Of the group that is worst"),
          cell: ({ rule, summary }) =>
            formatAlertValue(summary.worst?.value ?? null, valueKindOf(rule.source)),
        },
        {
          label: t("Level"),
          align: "right",
          class: "max-sm:hidden",
          cell: ({ rule, summary }) => (
            <LevelText rule={rule} level={summary.worst?.level ?? null} />
          ),
        },
        {
          label: t("Since"),
          class: "max-md:hidden",
          cell: ({ summary }) => <RelativeTime date={summary.worst?.since ?? null} />,
        },
        {
          label: t("Last notified"),
          class: "max-lg:hidden",
          cell: ({ rule }) => <RelativeTime date={rule.toldAt} />,
        },
        {
          label: t("Channels"),
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
    return <Badge icon="minus" title={t("It is not evaluated")}>{t("off")}</Badge>;
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
        <Badge icon="ignored" title={t("No notifications at the moment")}>{t("muted")}</Badge>
      )}
      {groups > 1 && (
        <span class="text-meta text-muted tabular-nums" title={t("Groups in this state")}>
          {t("{part} of {total}", { part: alike, total: groups })}
        </span>
      )}
    </span>
  );
}

function watchedWords(rule: StoredRule): string {
  const source = sourceWords(rule.source);
  const condition = conditionWords(rule);
  return rule.environments.length === 0
    ? t("{source}, {condition}", { source, condition })
    : t("{source} in {environments}, {condition}", {
      source,
      environments: rule.environments.join(", "),
      condition,
    });
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
      title={t("States")}
      id="alert-states"
      isWide
      rows={states}
      rowKey={({ group }) => group}
      limit={MOST}
      rest={(total) =>
        t("The worst {most} of {n} group.|The worst {most} of {n} groups.", {
          most: MOST,
          n: total,
        })}
      columns={[
        {
          label: t("State"),
          cell: ({ status, level }) => <AlertStatusBadge status={status} level={level} />,
        },
        {
          label: t("Group"),
          cellClass: "w-full max-w-0 min-w-32 truncate",
          cell: ({ group }) => <GroupName rule={rule} group={group} />,
        },
        { label: t("Value"), align: "right", cell: ({ value }) => formatAlertValue(value, kind) },
        {
          label: t("Level"),
          align: "right",
          class: "max-sm:hidden",
          cell: ({ level }) => <LevelText rule={rule} level={level} />,
        },
        { label: t("Since"), align: "right", cell: ({ since }) => <RelativeTime date={since} /> },
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
        {t("Nothing has changed yet. Changes are kept for 90 days.")}
      </p>
    );
  }
  const kind = valueKindOf(rule.source);
  return (
    <>
      <RowTable
        caption={t("History")}
        isWide
        rows={rows.map((entry, place) => ({ ...entry, place }))}
        rowKey={({ place }) => place}
        columns={[
          { label: t("When"), cellClass: "text-muted", cell: ({ at }) => <ExactTime date={at} /> },
          { label: t("Change@@difference"), cell: (entry) => <Change entry={entry} /> },
          {
            label: t("Group"),
            cellClass: "max-w-64 min-w-24 truncate",
            cell: ({ group }) => <GroupName rule={rule} group={group} />,
          },
          { label: t("Value"), align: "right", cell: ({ value }) => formatAlertValue(value, kind) },
          {
            label: t("Notification"),
            cellClass: "whitespace-nowrap",
            cell: ({ notice }) => (
              <span class={notice === "sent" ? undefined : "text-muted"}>
                {t(NOTICE_LABELS[notice])}
              </span>
            ),
          },
        ]}
      />
      {(previousCursor !== null || nextCursor !== null) && (
        <div class="border-t border-line">
          <Pagination
            label={t("Pages of the history")}
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
          <span class="text-muted">{t(STATUS_LABELS[from])}</span>
          <Icon name="arrow-right" size={12} class="text-muted" />
          <span class="sr-only">{t("to")}</span>
        </>
      )}
      <AlertStatusBadge status={to} level={level} />
    </span>
  );
}

interface Look {
  readonly word: Message;
  readonly tone: Tone;
  readonly icon: IconName;
  readonly help: Message;
}

const LOOKS: Readonly<Record<Exclude<AlertStatus, "firing">, Look>> = {
  ok: { word: message("ok"), tone: "ok", icon: "ok", help: message("The condition does not hold") },
  pending: {
    word: message("pending"),
    tone: "info",
    icon: "clock",
    help: message("The condition holds, but not for long enough yet"),
  },
  no_data: {
    word: message("no data"),
    tone: "neutral",
    icon: "ignored",
    help: message("There was nothing to judge in the last window"),
  },
};

const FIRING: Readonly<Record<AlertLevel, Look>> = {
  critical: {
    word: message("critical"),
    tone: "danger",
    icon: "fatal",
    help: message("Over the critical level"),
  },
  warning: {
    word: message("warning"),
    tone: "warning",
    icon: "warning",
    help: message("Over the warning level"),
  },
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
    return (
      <Badge icon="clock" title={t("It is evaluated twice a minute")}>{t("not run yet")}</Badge>
    );
  }
  const { word, tone, icon, help } = status === "firing"
    ? FIRING[level ?? "critical"]
    : LOOKS[status];
  return <Badge tone={tone} icon={icon} title={t(help)}>{t(word)}</Badge>;
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
    t("critical {level}", { level: levelWords(rule, critical) }),
    ...warning === null ? [] : [t("warning {level}", { level: levelWords(rule, warning) })],
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
  if (group === "") return <span class="text-muted">{t("all")}</span>;
  if (!isOfIssues(rule)) return <bdi title={group} class="font-mono">{group}</bdi>;
  return (
    <a class="link" href={issuePath(rule.projectId, group)}>{t("Issue {id}", { id: group })}</a>
  );
}
