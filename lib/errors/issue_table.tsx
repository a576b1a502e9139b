import type { IssueRow } from "./issues.ts";
import { Badge } from "../ui/components/badge.tsx";
import { Count } from "../ui/components/count.tsx";
import { LevelBadge } from "../ui/components/level_badge.tsx";
import { RelativeTime } from "../ui/components/relative_time.tsx";
import { Sparkline } from "../ui/charts/sparkline.tsx";
import { StatusBadge } from "../ui/components/status_badge.tsx";
import { Cell, type Column, Row, Table } from "../ui/components/table.tsx";
import { visible } from "../ui/read.ts";
import { formatQuantity } from "../ui/format.ts";
import type { IssueSort } from "./list_params.ts";
import { SORT_NAMES } from "./sort_menu.tsx";

export interface IssueTableProps {
  readonly issues: readonly IssueRow[];
  readonly sort: IssueSort;
  readonly sortHref: (sort: IssueSort) => string;
  readonly issueHref: (issueId: string) => string;
  /** Whether rows can be chosen for the bar above; false for who may only look. */
  readonly isSelectable: boolean;
  /** Whether rows differ in status, so that each must say its own. */
  readonly showsStatus: boolean;
}

/** Issues with what tells a bad one from a harmless one: how often, for how many, since when. */
export function IssueTable(props: IssueTableProps) {
  return (
    <Table caption="Issues" columns={columnsOf(props)} density="comfortable">
      {props.issues.map((issue) => (
        <Row key={issue.id}>
          {props.isSelectable && (
            <Cell class="w-8 pr-0 align-top">
              <input
                type="checkbox"
                name="issue"
                value={issue.id}
                aria-label={`Choose ${visible(issue.title)}`}
                class="above-row-link mt-1 size-4 accent-accent-fill"
              />
            </Cell>
          )}
          <Cell class="w-full max-w-0 py-1.5">
            <IssueSummary
              issue={issue}
              href={props.issueHref(issue.id)}
              showsStatus={props.showsStatus}
            />
          </Cell>
          <Cell class="max-lg:hidden">
            <Sparkline counts={issue.sparkline} label="events in the last 24 hours" />
          </Cell>
          <Cell align="right" class="max-md:hidden">
            <Count value={issue.countInScope} unit="events in this scope" />
          </Cell>
          <Cell align="right" class="max-md:hidden">
            <Count value={issue.usersSeen} unit="users since the beginning" />
          </Cell>
          <Cell align="right" class="max-md:hidden">
            <RelativeTime date={issue.lastSeen} />
          </Cell>
          <Cell align="right" class="max-lg:hidden">
            <RelativeTime date={issue.firstSeen} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function columnsOf({ sort, sortHref, isSelectable }: IssueTableProps): Column[] {
  const sorted = (by: IssueSort, extra: string): Column => ({
    label: SORT_NAMES[by],
    align: "right",
    class: extra,
    sort: { href: sortHref(by), direction: by === sort ? "descending" : null },
  });
  return [
    ...(isSelectable
      ? [{ label: "Choose", isLabelHidden: true, class: "w-8 pr-0" } satisfies Column]
      : []),
    { label: "Issue" },
    { label: "Last 24 h", class: "max-lg:hidden" },
    sorted("events", "max-md:hidden"),
    sorted("users", "max-md:hidden"),
    sorted("last_seen", "max-md:hidden"),
    sorted("first_seen", "max-lg:hidden"),
  ];
}

interface IssueSummaryProps {
  readonly issue: IssueRow;
  readonly href: string;
  readonly showsStatus: boolean;
}

/** What it is on the first line, where it is on the second; on phones the figures on a third. */
function IssueSummary({ issue, href, showsStatus }: IssueSummaryProps) {
  const { type, value } = issue.metadata;
  const title = visible(issue.title);
  return (
    <>
      <a href={href} class="row-link block truncate" title={title}>
        {type
          ? (
            <>
              <bdi class="font-semibold">{visible(type)}</bdi>
              {value && <bdi class="ml-2 text-muted">{firstLine(visible(value))}</bdi>}
            </>
          )
          : <bdi class="font-semibold">{title}</bdi>}
      </a>
      <div class="mt-0.5 flex min-w-0 items-center gap-2 overflow-hidden text-meta text-muted">
        <LevelBadge level={issue.level} />
        {(issue.isRegressed || showsStatus) && (
          <StatusBadge status={issue.status} isRegressed={issue.isRegressed} />
        )}
        {issue.culprit !== "" && (
          <bdi class="min-w-0 truncate font-mono" title={visible(issue.culprit)}>
            {visible(issue.culprit)}
          </bdi>
        )}
        {issue.lastRelease !== "" && (
          <Badge title={releaseWords(issue)} class="max-w-40 max-sm:hidden">
            <bdi class="truncate">{visible(issue.lastRelease)}</bdi>
          </Badge>
        )}
      </div>
      <div class="mt-1 flex gap-3 text-meta text-muted md:hidden">
        <span>{formatQuantity(issue.countInScope, "event")}</span>
        <span>{formatQuantity(issue.usersSeen, "user")}</span>
        <span class="ml-auto">
          <RelativeTime date={issue.lastSeen} />
        </span>
      </div>
    </>
  );
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

function releaseWords({ firstRelease, lastRelease }: IssueRow): string {
  return firstRelease === lastRelease || firstRelease === ""
    ? `Seen in ${visible(lastRelease)}`
    : `First in ${visible(firstRelease)}, last in ${visible(lastRelease)}`;
}
