import type { AlertState } from "../rule.ts";
import type { StoredRule } from "../rules.ts";
import { RelativeTime } from "../../ui/components/relative_time.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatExact } from "../../ui/format.ts";
import { GroupName } from "./group_name.tsx";
import { LevelText } from "./level_text.tsx";
import { AlertStatusBadge } from "./status_badge.tsx";
import { formatAlertValue, valueKindOf } from "../values.ts";

export interface StateTableProps {
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
