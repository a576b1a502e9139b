import type { AlertTransition } from "../rule.ts";
import type { HistoryPage } from "../history.ts";
import type { StoredRule } from "../rules.ts";
import { ExactTime } from "../../ui/components/exact_time.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Pagination } from "../../ui/components/pagination.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { GroupName } from "./group_name.tsx";
import { AlertStatusBadge } from "./status_badge.tsx";
import { formatAlertValue, valueKindOf } from "../values.ts";
import { NOTICE_LABELS, STATUS_LABELS } from "../words.ts";

export interface HistoryTableProps {
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
