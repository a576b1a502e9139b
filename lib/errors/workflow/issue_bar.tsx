/** What can be done with an issue, in one row: works without script, and by one key each with it. */
import type { ComponentChildren } from "preact";
import { Button, Menu, MENU_ITEM_LOOK } from "../../ui/components/button.tsx";
import { CONTROL_LOOK } from "../../ui/components/fields.tsx";
import { classes, Icon } from "../../ui/components/icon.tsx";
import { formatDateTime, formatExact, formatQuantity } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import type { Issue } from "../issues.ts";
import type { IssueOwner } from "../ownership/issue_owners.ts";
import type { Assignee } from "../../accounts/assignees.ts";
import { assigneeName, assigneeValue, type IssueTeam } from "./issue_team.ts";
import { PRIORITIES, type Resolution, type Snooze } from "./state.ts";

export interface IssueBarProps {
  readonly issue: Issue;
  readonly team: IssueTeam;
  /** Where the forms go and where they come back to. */
  readonly action: string;
  readonly back: string;
}

export const ARCHIVE_CHOICES: readonly (readonly [until: string, label: string])[] = [
  ["escalating", "Until it happens much more often"],
  ["hour", "For an hour"],
  ["day", "For a day"],
  ["week", "For a week"],
  ["events-10", "Until 10 more events"],
  ["events-100", "Until 100 more events"],
  ["events-100-hour", "Until 100 events in an hour"],
  ["users-10", "Until 10 more users"],
  ["users-100", "Until 100 more users"],
  ["forever", "For good"],
];

export function IssueBar(props: IssueBarProps) {
  const { issue, team, action, back } = props;
  return (
    <div class="flex flex-wrap items-start gap-2">
      <form method="post" action={action} class="flex flex-wrap items-start gap-2">
        <input type="hidden" name="back" value={back} />
        {issue.status === "unresolved"
          ? (
            <>
              <Split
                button={
                  <Button
                    kind="primary"
                    icon="check"
                    name="action"
                    value="resolve"
                    class="rounded-r-none"
                    data-key="r"
                    title="Resolve (r)"
                  >
                    Resolve
                  </Button>
                }
                label="More ways to resolve"
              >
                <Choice name="action" value="resolve-next">In the next release</Choice>
                <Choice name="action" value="resolve-latest">In the newest release</Choice>
              </Split>
            </>
          )
          : (
            <Button
              icon="issues"
              name="action"
              value="unresolve"
              data-key="u"
              title="Unresolve (u)"
            >
              Unresolve
            </Button>
          )}
        {issue.status === "ignored" && (
          <Button icon="check" name="action" value="resolve" data-key="r" title="Resolve (r)">
            Resolve
          </Button>
        )}
      </form>
      {issue.status === "unresolved" && <ArchiveForm action={action} back={back} />}
      <AssigneeForm {...props} />
      <PriorityForm {...props} />
      <SuggestedOwners {...props} />
      <PersonalForm team={team} action={action} back={back} />
    </div>
  );
}

/** A button with more of its kind behind an arrow. */
function Split({ button, label, children }: {
  readonly button: ComponentChildren;
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    <span class="flex">
      {button}
      <Menu
        label={label}
        button={<Icon name="chevron-down" />}
        buttonClass="flex h-9 cursor-pointer items-center rounded-r-md border border-l-0 border-line-strong bg-surface px-2 hover:bg-hover"
        panelClass="w-56"
      >
        {children}
      </Menu>
    </span>
  );
}

function ArchiveForm({ action, back }: Pick<IssueBarProps, "action" | "back">) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="back" value={back} />
      <input type="hidden" name="action" value="archive" />
      <Menu
        button={
          <span class="flex items-center gap-1.5" data-key="e">
            <Icon name="ignored" />
            Archive
            <Icon name="chevron-down" />
          </span>
        }
        buttonClass="flex h-9 cursor-pointer items-center rounded-md border border-line-strong bg-surface px-3 font-medium hover:bg-hover"
        panelClass="w-64"
      >
        {ARCHIVE_CHOICES.map(([until, label]) => (
          <Choice key={until} name="until" value={until}>{label}</Choice>
        ))}
      </Menu>
    </form>
  );
}

function Choice({ name, value, children }: {
  readonly name: string;
  readonly value: string;
  readonly children: ComponentChildren;
}) {
  return <button type="submit" name={name} value={value} class={MENU_ITEM_LOOK}>{children}</button>;
}

const SELECT_LOOK = classes(CONTROL_LOOK, "h-9 w-auto max-w-48 py-0");

/** Choosing sends the form; without script its button does. */
function AssigneeForm({ team, action, back }: IssueBarProps) {
  const isKnown = team.assignees.some((each) => assigneeValue(each) === team.assignee);
  return (
    <form method="post" action={action} class="flex gap-1" data-submit-on-change="">
      <input type="hidden" name="back" value={back} />
      <input type="hidden" name="action" value="assign" />
      <select
        name="assignee"
        aria-label="Assignee"
        class={SELECT_LOOK}
        data-key="a"
        title="Assign (a)"
      >
        <option value="" selected={!isKnown}>Nobody has it</option>
        <AssigneeOptions assignees={team.assignees} chosen={team.assignee} />
      </select>
      <Button class="scripted:hidden">Assign</Button>
    </form>
  );
}

/** Whom rules and commits name, beside whoever has it: a click assigns. */
function SuggestedOwners({ team, action, back }: IssueBarProps) {
  const others = team.suggested.flatMap((owner) => {
    const known = team.assignees.find((each) => assigneeValue(each) === assigneeValue(owner));
    return known === undefined || assigneeValue(known) === team.assignee ? [] : { known, owner };
  });
  if (others.length === 0) return null;
  return (
    <form method="post" action={action} class="flex flex-wrap items-center gap-1">
      <input type="hidden" name="back" value={back} />
      <input type="hidden" name="action" value="assign" />
      <span class="text-sm text-muted">Suggested:</span>
      {others.map(({ known, owner }) => (
        <Button
          key={owner.id}
          name="assignee"
          value={assigneeValue(known)}
          title={`Assign to ${assigneeName(known)}: ${sourceWords(owner)}`}
        >
          {assigneeName(known)}
        </Button>
      ))}
    </form>
  );
}

function sourceWords({ source, reason }: IssueOwner): string {
  switch (source) {
    case "rule":
      return `by the rule ${visible(reason)}`;
    case "codeowners":
      return `by CODEOWNERS, ${visible(reason.replace(/^codeowners:/, ""))}`;
    case "suspect":
      return `wrote the suspect commit ${visible(reason.slice(0, 12))}`;
  }
}

/** People, then teams. @param chosen as `assigneeValue()` */
export function AssigneeOptions({ assignees, chosen = null }: {
  readonly assignees: readonly Assignee[];
  readonly chosen?: string | null;
}) {
  const groups = [["People", "user"], ["Teams", "team"]] as const;
  return (
    <>
      {groups.map(([label, kind]) => {
        const members = assignees.filter((each) => each.kind === kind);
        return members.length > 0 && (
          <optgroup key={kind} label={label}>
            {members.map((each) => (
              <option
                key={each.id}
                value={assigneeValue(each)}
                selected={assigneeValue(each) === chosen}
              >
                {assigneeName(each)}
              </option>
            ))}
          </optgroup>
        );
      })}
    </>
  );
}

function PriorityForm({ team, action, back }: IssueBarProps) {
  return (
    <form method="post" action={action} class="flex gap-1" data-submit-on-change="">
      <input type="hidden" name="back" value={back} />
      <input type="hidden" name="action" value="priority" />
      <select
        name="priority"
        aria-label="Priority"
        class={SELECT_LOOK}
        data-key="p"
        title="Priority (p)"
      >
        {PRIORITIES.map((priority) => (
          <option key={priority} value={priority} selected={priority === team.priority}>
            {`${priority.charAt(0).toUpperCase()}${priority.slice(1)} priority`}
          </option>
        ))}
      </select>
      <Button class="scripted:hidden">Set</Button>
    </form>
  );
}

function PersonalForm(
  { team: { self, participants }, action, back }: Omit<IssueBarProps, "issue">,
) {
  const isSubscribed = self.subscription !== null && self.subscription !== "off";
  const people = `${formatQuantity(participants, "person", "people")} ${
    participants === 1 ? "takes" : "take"
  } part`;
  return (
    <form method="post" action={action} class="flex gap-2">
      <input type="hidden" name="back" value={back} />
      <Button
        icon="star"
        name="action"
        value={self.isBookmarked ? "unbookmark" : "bookmark"}
        class={self.isBookmarked ? "text-warning" : "text-muted"}
        aria-label={self.isBookmarked ? "Take the bookmark away" : "Bookmark"}
        aria-pressed={self.isBookmarked ? "true" : "false"}
        title={self.isBookmarked ? "Take the bookmark away (b)" : "Bookmark (b)"}
        data-key="b"
      >
        {""}
      </Button>
      <Button
        icon="alerts"
        name="action"
        value={isSubscribed ? "unsubscribe" : "subscribe"}
        title={`${
          isSubscribed ? "Hear no more of it" : "Hear of changes and comments"
        } (s) · ${people}`}
        data-key="s"
      >
        {isSubscribed ? "Unsubscribe" : "Subscribe"}
      </Button>
    </form>
  );
}

/** In what an issue is resolved, or what ends its archiving; null when the status says it all. */
export function statusWords(
  issue: Pick<Issue, "status" | "timesSeen" | "usersSeen" | "substatus">,
  { resolution, snooze }: Pick<IssueTeam, "resolution" | "snooze">,
): string | null {
  if (issue.status === "resolved") return resolution && resolutionWords(resolution);
  if (issue.status === "ignored") return snooze === null ? "for good" : snoozeWords(issue, snooze);
  return null;
}

function resolutionWords(resolution: Resolution): string {
  switch (resolution.kind) {
    case "release":
      return `in ${visible(resolution.version)}`;
    case "next":
      return `in the release after ${visible(resolution.after)}`;
    case "commit":
      return `in commit ${visible(resolution.commit.slice(0, 12))}`;
  }
}

function snoozeWords(
  { timesSeen, usersSeen }: Pick<Issue, "timesSeen" | "usersSeen">,
  snooze: Snooze,
): string {
  if (snooze.ceilings !== undefined) return "until it happens much more often";
  const parts: string[] = [];
  if (snooze.until !== undefined) parts.push(`until ${formatDateTime(new Date(snooze.until))}`);
  if (snooze.count !== undefined) {
    parts.push(
      snooze.window === undefined
        ? `until ${
          formatQuantity(Math.max(0, snooze.timesSeen + snooze.count - timesSeen), "more event")
        }`
        : `until ${formatQuantity(snooze.count, "event")} in ${formatExact(snooze.window)} min`,
    );
  }
  if (snooze.userCount !== undefined) {
    parts.push(
      `until ${
        formatQuantity(Math.max(0, snooze.usersSeen + snooze.userCount - usersSeen), "more user")
      }`,
    );
  }
  return parts.join(" or ");
}
