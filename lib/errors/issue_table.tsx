import { Sparkline } from "../ui/charts/bar_chart.tsx";
import { Avatar, Badge, LevelBadge, StatusBadge } from "../ui/components/badge.tsx";
import { Menu, MENU_ITEM_LOOK } from "../ui/components/button.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { type RowColumn, RowTable } from "../ui/components/table.tsx";
import { Count, RelativeTime } from "../ui/components/values.tsx";
import { formatCount } from "../ui/format.ts";
import { visible } from "../ui/json.ts";
import { shortIdOf } from "./workflow/short_id.ts";
import { assigneeName, assigneeValue, type ListTeam } from "./workflow/issue_team.ts";
import { PRIORITY_WORDS } from "./workflow/priority_words.ts";
import type { Priority } from "./workflow/state.ts";
import { ISSUE_SORTS, type IssueRow, type IssueSort } from "./issues.ts";
import { type Message, message, t } from "../core/language/translate.ts";
import { issueWords } from "./monitor_words.ts";

interface IssueTableProps {
  /** Of the project: short ids begin with it. */
  readonly slug: string;
  readonly issues: readonly IssueRow[];
  /** Who has them and how urgent they are; null where that is not told. */
  readonly team: ListTeam | null;
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
    <RowTable
      caption={t("Issues")}
      density="comfortable"
      rows={props.issues}
      rowKey={({ id }) => id}
      columns={columnsOf(props)}
    />
  );
}

const CHOICE: Omit<RowColumn<IssueRow>, "label"> = {
  isLabelHidden: true,
  class: "w-8 pr-0",
  cellClass: "w-8 pr-0 align-top",
  cell: ({ id, ...issue }) => (
    <input
      type="checkbox"
      name="issue"
      value={id}
      aria-label={t("Choose {title}", { title: issueWords(issue).title })}
      class="above-row-link mt-1 size-4 accent-accent-fill"
    />
  ),
};

function columnsOf(
  { slug, team, sort, sortHref, issueHref, isSelectable, showsStatus }: IssueTableProps,
): RowColumn<IssueRow>[] {
  const sorted = (
    by: IssueSort,
    hidden: string,
    cell: RowColumn<IssueRow>["cell"],
  ): RowColumn<IssueRow> => ({
    label: t(SORT_NAMES[by]),
    align: "right",
    class: hidden,
    sort: { href: sortHref(by), direction: by === sort ? "descending" : null },
    cell,
  });
  return [
    ...(isSelectable ? [{ ...CHOICE, label: t("Choose") }] : []),
    {
      label: t("Issue"),
      cellClass: "w-full max-w-0 py-1.5",
      cell: (issue) => (
        <IssueSummary
          issue={issue}
          shortId={shortIdOf(slug, issue.number)}
          href={issueHref(issue.id)}
          showsStatus={showsStatus}
          priority={team?.of.get(issue.id)?.priority ?? "high"}
          assignee={team && nameOfAssignee(team, issue.id)}
        />
      ),
    },
    {
      label: t("Last 24 h"),
      class: "max-lg:hidden",
      cell: ({ sparkline }) => (
        <Sparkline
          counts={sparkline}
          label="{n} event in the last 24 hours|{n} events in the last 24 hours"
        />
      ),
    },
    sorted(
      "events",
      "max-md:hidden",
      ({ countInScope }) => (
        <Count value={countInScope} unit="{n} event in this scope|{n} events in this scope" />
      ),
    ),
    sorted(
      "users",
      "max-md:hidden",
      ({ usersSeen }) => (
        <Count
          value={usersSeen}
          unit="{n} user since the beginning|{n} users since the beginning"
        />
      ),
    ),
    sorted("last_seen", "max-md:hidden", ({ lastSeen }) => <RelativeTime date={lastSeen} />),
    ...team === null ? [] : [assigneeColumn(team)],
    sorted("first_seen", "max-lg:hidden", ({ firstSeen }) => <RelativeTime date={firstSeen} />),
  ];
}

function assigneeColumn(team: ListTeam): RowColumn<IssueRow> {
  return {
    label: t("Assignee"),
    class: "max-lg:hidden",
    cellClass: "max-w-40 max-lg:hidden",
    cell: ({ id }) => <AssigneeCell team={team} issueId={id} />,
  };
}

interface IssueSummaryProps {
  readonly issue: IssueRow;
  readonly shortId: string;
  readonly href: string;
  readonly showsStatus: boolean;
  readonly priority: Priority;
  /** Null for nobody. */
  readonly assignee: string | null;
}

function nameOfAssignee({ of, assignees }: ListTeam, issueId: string): string | null {
  const value = of.get(issueId)?.assignee ?? "";
  const found = assignees.find((each) => assigneeValue(each) === value);
  return found === undefined ? null : assigneeName(found);
}

/** Who has an issue: nothing for nobody. */
function AssigneeCell({ team, issueId }: { readonly team: ListTeam; readonly issueId: string }) {
  const name = nameOfAssignee(team, issueId);
  if (name === null) return <span class="text-faint">–</span>;
  return (
    <span class="flex items-center gap-1.5" title={name}>
      <Avatar name={name} size={20} />
      <span class="truncate">{name}</span>
    </span>
  );
}

/** What it is on the first line, where it is on the second; on phones the figures on a third. */
function IssueSummary(props: IssueSummaryProps) {
  const { issue, shortId, href, showsStatus, priority, assignee } = props;
  const { type, value } = issue.metadata;
  const { title, culprit } = issueWords(issue);
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
        <span class="shrink-0 font-mono">{shortId}</span>
        {priority !== "high" && (
          <Badge title={t(PRIORITY_WORDS[priority].title)} class="max-sm:hidden">
            {t(PRIORITY_WORDS[priority].word)}
          </Badge>
        )}
        {(showsStatus || issue.substatus !== "ongoing") && (
          <StatusBadge status={issue.status} substatus={issue.substatus} />
        )}
        {culprit !== "" && <bdi class="min-w-0 truncate font-mono" title={culprit}>{culprit}</bdi>}
        {issue.lastRelease !== "" && (
          <Badge title={releaseWords(issue)} class="max-w-40 max-sm:hidden">
            <bdi class="truncate">{visible(issue.lastRelease)}</bdi>
          </Badge>
        )}
      </div>
      <div class="mt-1 flex gap-3 text-meta whitespace-nowrap text-muted md:hidden">
        <span>
          {t("{count} event|{count} events", {
            n: issue.countInScope,
            count: formatCount(issue.countInScope),
          })}
        </span>
        <span>
          {t("{count} user|{count} users", {
            n: issue.usersSeen,
            count: formatCount(issue.usersSeen),
          })}
        </span>
        {assignee !== null && <bdi class="min-w-0 truncate">{assignee}</bdi>}
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
    ? t("Seen in {release}", { release: visible(lastRelease) })
    : t("First in {firstRelease}, last in {lastRelease}", {
      firstRelease: visible(firstRelease),
      lastRelease: visible(lastRelease),
    });
}

/** Names of the orders; the headers of the table say the same. */
export const SORT_NAMES: Record<IssueSort, Message> = {
  last_seen: message("Last seen"),
  first_seen: message("First seen"),
  events: message("Events"),
  users: message("Users"),
  trends: message("Trends"),
  inbox: message("State since"),
};

interface SortMenuProps {
  readonly sort: IssueSort;
  readonly sortHref: (sort: IssueSort) => string;
}

/** Sorting where the window is too narrow for the headers that sort. */
export function SortMenu({ sort, sortHref }: SortMenuProps) {
  return (
    <Menu
      class="max-lg:ml-auto"
      label={t("Sort: {order}", { order: t(SORT_NAMES[sort]) })}
      align="right"
      buttonClass="inline-flex h-7 items-center gap-1.5 rounded-md border border-line-strong bg-surface px-2 text-sm hover:bg-hover"
      button={
        <>
          <Icon name="sort-down" size={14} class="text-muted" />
          {t(SORT_NAMES[sort])}
        </>
      }
    >
      <ul>
        {ISSUE_SORTS.map((each) => (
          <li key={each}>
            <a
              href={sortHref(each)}
              aria-current={each === sort ? "true" : undefined}
              class={MENU_ITEM_LOOK}
            >
              <span class="flex-1">{t(SORT_NAMES[each])}</span>
              {each === sort && <Icon name="check" size={14} class="text-accent" />}
            </a>
          </li>
        ))}
      </ul>
    </Menu>
  );
}
