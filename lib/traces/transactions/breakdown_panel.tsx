import type { Breakdown, SpanGroup } from "./span_breakdown.ts";
import { groupName } from "../../store/stats/series.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatDuration, formatExact, formatPercent } from "../../ui/format.ts";
import { type Scope, scopedHref } from "../../ui/scope.ts";
import { sectionPath, traceHref } from "../../ui/links.ts";
import { CATEGORY_WORDS } from "../list_parts.tsx";
import { ShareOf } from "../../ui/figures.tsx";

export interface BreakdownPanelProps {
  readonly projectId: string;
  readonly scope: Scope;
  readonly breakdown: Breakdown;
}

const SHOWN = 15;
/** So many of the same work one after the other could have been one. */
const MANY_IN_A_ROW = 5;

/** Where the time goes: spans below the newest transactions, by what they do. */
export function BreakdownPanel({ projectId, scope, breakdown }: BreakdownPanelProps) {
  const { groups, transactions, totalMs } = breakdown;
  return (
    <Panel
      title="Where the time goes"
      description={`Spans of the newest ${
        formatExact(transactions)
      } transactions. Own time is without what spans below took.`}
      flush
    >
      {groups.length === 0
        ? <p class="px-4 py-6 text-sm text-muted">These transactions have no spans.</p>
        : (
          <Table
            caption="Spans by what they do"
            columns={[
              { label: "Work" },
              { label: "Per transaction", align: "right", class: "max-sm:hidden" },
              { label: "Average", align: "right", class: "max-md:hidden" },
              { label: "Own time", align: "right" },
            ]}
          >
            {groups.slice(0, SHOWN).map((group) => (
              <Row key={`${group.category}/${group.op}/${group.name}`}>
                <Cell class="w-full max-w-0 min-w-48">
                  <GroupName projectId={projectId} scope={scope} group={group} />
                </Cell>
                <Cell align="right" class="max-sm:hidden">
                  {(group.count / Math.max(1, transactions)).toFixed(1)}
                </Cell>
                <Cell align="right" class="max-md:hidden">
                  {formatDuration(group.totalMs / group.count)}
                </Cell>
                <Cell align="right">
                  <ShareOf
                    share={totalMs === 0 ? 0 : group.selfMs / totalMs}
                    title={`${formatDuration(group.selfMs)} in all of these transactions`}
                  >
                    {formatPercent(totalMs === 0 ? null : group.selfMs / totalMs)}
                  </ShareOf>
                </Cell>
              </Row>
            ))}
          </Table>
        )}
    </Panel>
  );
}

function GroupName(
  { projectId, scope, group }: { projectId: string; scope: Scope; group: SpanGroup },
) {
  const { category, op, name, mostInARow, traceId } = group;
  const href = category === ""
    ? null
    : scopedHref(`${sectionPath(projectId, "queries")}/detail`, scope, {
      category,
      group: groupName(name),
    });
  const isRepeated = category !== "" && mostInARow >= MANY_IN_A_ROW;
  return (
    <>
      <span class="flex min-w-0 items-baseline gap-2">
        {href === null
          ? <bdi class="min-w-0 truncate" title={name}>{name}</bdi>
          : (
            <a class="link min-w-0 truncate font-mono" href={href} title={name}>
              <bdi>{name}</bdi>
            </a>
          )}
        {isRepeated && (
          <a href={traceHref(projectId, traceId, null, scope)} class="shrink-0">
            <Badge
              tone="warning"
              icon="warning"
              title="The same work again and again, one after the other: fetch it all at once"
            >
              {formatExact(mostInARow)} in a row
            </Badge>
          </a>
        )}
      </span>
      <span class="block truncate text-meta text-muted">
        {category === "" ? op : `${CATEGORY_WORDS[category]} · ${op}`}
      </span>
    </>
  );
}
