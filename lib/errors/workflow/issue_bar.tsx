/** What can be done with an issue, in one row: works without script, and by one key each with it. */
import type { ComponentChildren } from "preact";
import { Button, Menu, MENU_ITEM_LOOK } from "../../ui/components/button.tsx";
import { CONTROL_LOOK } from "../../ui/components/fields.tsx";
import { classes, Icon } from "../../ui/components/icon.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import type { Issue } from "../issues.ts";
import type { IssueOwner } from "../ownership/issue_owners.ts";
import type { Assignee } from "../../accounts/assignees.ts";
import { assigneeName, assigneeValue, type IssueTeam } from "./issue_team.ts";
import { eitherOf } from "./activity_feed.tsx";
import { PRIORITY_WORDS } from "./priority_words.ts";
import { PRIORITIES, type Resolution, type Snooze } from "./state.ts";
import { type Message, message, t } from "../../core/language/translate.ts";

export interface IssueBarProps {
  readonly issue: Issue;
  readonly team: IssueTeam;
  /** Where the forms go and where they come back to. */
  readonly action: string;
  readonly back: string;
}

export const ARCHIVE_CHOICES: readonly (readonly [until: string, label: Message])[] = [
  ["escalating", message("Until it happens much more often")],
  ["hour", message("For an hour")],
  ["day", message("For a day")],
  ["week", message("For a week")],
  ["events-10", message("Until 10 more events")],
  ["events-100", message("Until 100 more events")],
  ["events-100-hour", message("Until 100 events in an hour")],
  ["users-10", message("Until 10 more users")],
  ["users-100", message("Until 100 more users")],
  ["forever", message("For good")],
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
                    title={t("Resolve (r)")}
                  >
                    {t("Resolve")}
                  </Button>
                }
                label={t("More ways to resolve")}
              >
                <Choice name="action" value="resolve-next">{t("In the next release")}</Choice>
                <Choice name="action" value="resolve-latest">{t("In the newest release")}</Choice>
              </Split>
            </>
          )
          : (
            <Button
              icon="issues"
              name="action"
              value="unresolve"
              data-key="u"
              title={t("Unresolve (u)")}
            >
              {t("Unresolve")}
            </Button>
          )}
        {issue.status === "ignored" && (
          <Button icon="check" name="action" value="resolve" data-key="r" title={t("Resolve (r)")}>
            {t("Resolve")}
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
            {t("Archive")}
            <Icon name="chevron-down" />
          </span>
        }
        buttonClass="flex h-9 cursor-pointer items-center rounded-md border border-line-strong bg-surface px-3 font-medium hover:bg-hover"
        panelClass="w-64"
      >
        {ARCHIVE_CHOICES.map(([until, label]) => (
          <Choice key={until} name="until" value={until}>{t(label)}</Choice>
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
        aria-label={t("Assignee")}
        class={SELECT_LOOK}
        data-key="a"
        title={t("Assign (a)")}
      >
        <option value="" selected={!isKnown}>{t("Unassigned")}</option>
        <AssigneeOptions assignees={team.assignees} chosen={team.assignee} />
      </select>
      <Button class="late-button scripted:hidden">{t("Assign")}</Button>
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
      <span class="text-sm text-muted">{t("Suggested:")}</span>
      {others.map(({ known, owner }) => (
        <Button
          key={owner.id}
          name="assignee"
          value={assigneeValue(known)}
          title={assignWords(assigneeName(known), owner)}
        >
          {assigneeName(known)}
        </Button>
      ))}
    </form>
  );
}

/** What the button does, and why it is offered. */
function assignWords(name: string, { source, reason }: IssueOwner): string {
  switch (source) {
    case "rule":
      return t("Assign to {name}: by the rule {rule}", { name, rule: visible(reason) });
    case "codeowners":
      return t("Assign to {name}: by CODEOWNERS, {rule}", {
        name,
        rule: visible(reason.replace(/^codeowners:/, "")),
      });
    case "suspect":
      return t("Assign to {name}: wrote the suspect commit {commit}", {
        name,
        commit: visible(reason.slice(0, 12)),
      });
  }
}

/** People, then teams. @param chosen as `assigneeValue()` */
export function AssigneeOptions({ assignees, chosen = null }: {
  readonly assignees: readonly Assignee[];
  readonly chosen?: string | null;
}) {
  const groups = [[t("People"), "user"], [t("Teams"), "team"]] as const;
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
        aria-label={t("Priority")}
        class={SELECT_LOOK}
        data-key="p"
        title={t("Priority (p)")}
      >
        {PRIORITIES.map((priority) => (
          <option key={priority} value={priority} selected={priority === team.priority}>
            {t(PRIORITY_WORDS[priority].label)}
          </option>
        ))}
      </select>
      <Button class="late-button scripted:hidden">{t("Set")}</Button>
    </form>
  );
}

function PersonalForm(
  { team: { self, participants }, action, back }: Omit<IssueBarProps, "issue">,
) {
  const isSubscribed = self.subscription !== null && self.subscription !== "off";
  const what = isSubscribed ? t("Hear no more of it (s)") : t("Hear of changes and comments (s)");
  const people = t("{n} person takes part|{n} people take part", { n: participants });
  return (
    <form method="post" action={action} class="flex gap-2">
      <input type="hidden" name="back" value={back} />
      <Button
        icon="star"
        name="action"
        value={self.isBookmarked ? "unbookmark" : "bookmark"}
        class={self.isBookmarked ? "text-warning" : "text-muted"}
        aria-label={self.isBookmarked ? t("Take the bookmark away") : t("Bookmark")}
        aria-pressed={self.isBookmarked ? "true" : "false"}
        title={self.isBookmarked ? t("Take the bookmark away (b)") : t("Bookmark (b)")}
        data-key="b"
      >
        {""}
      </Button>
      <Button
        icon="alerts"
        name="action"
        value={isSubscribed ? "unsubscribe" : "subscribe"}
        title={`${what} · ${people}`}
        data-key="s"
      >
        {isSubscribed ? t("Unsubscribe") : t("Subscribe")}
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
  if (issue.status === "ignored") {
    return snooze === null ? t("for good") : snoozeWords(issue, snooze);
  }
  return null;
}

function resolutionWords(resolution: Resolution): string {
  switch (resolution.kind) {
    case "release":
      return t("in {version}", { version: visible(resolution.version) });
    case "next":
      return t("in the release after {after}", { after: visible(resolution.after) });
    case "commit":
      return t("in commit {commit}", { commit: visible(resolution.commit.slice(0, 12)) });
  }
}

function snoozeWords(
  { timesSeen, usersSeen }: Pick<Issue, "timesSeen" | "usersSeen">,
  snooze: Snooze,
): string {
  if (snooze.ceilings !== undefined) return t("until it happens much more often");
  const parts: string[] = [];
  if (snooze.until !== undefined) {
    parts.push(t("until {time}", { time: formatDateTime(new Date(snooze.until)) }));
  }
  if (snooze.count !== undefined) {
    const left = Math.max(0, snooze.timesSeen + snooze.count - timesSeen);
    parts.push(
      snooze.window === undefined
        ? t("until {n} more event|until {n} more events", { n: left })
        : t("until {n} event in {minutes} min|until {n} events in {minutes} min", {
          n: snooze.count,
          minutes: snooze.window,
        }),
    );
  }
  if (snooze.userCount !== undefined) {
    const left = Math.max(0, snooze.usersSeen + snooze.userCount - usersSeen);
    parts.push(t("until {n} more user|until {n} more users", { n: left }));
  }
  return parts.length === 0 ? "" : eitherOf(parts);
}
