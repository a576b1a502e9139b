/** What was done with an issue and what people said of it, with the box to say more. */
import type { ComponentChildren } from "preact";
import type { Assignee } from "../../accounts/assignees.ts";
import { Avatar } from "../../ui/components/badge.tsx";
import { Button } from "../../ui/components/button.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { formatQuantity } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import { Markdown } from "../../ui/markdown.tsx";
import type { ActivityEntry } from "./activity.ts";
import { assigneeName, type IssueTeam } from "./issue_team.ts";

interface ActivityPanelProps {
  readonly team: IssueTeam;
  readonly firstSeen: Date;
  /** Who looks: their own comments can be changed. */
  readonly userId: string | null;
  /** Null for who may only look. */
  readonly forms: { readonly action: string; readonly back: string } | null;
}

/** The feed, the newest on top. */
export function ActivityPanel({ team, firstSeen, userId, forms }: ActivityPanelProps) {
  return (
    <Panel title="Activity" id="activity">
      {forms && <CommentForm {...forms} />}
      <ol class="space-y-3">
        {team.activity.map((entry) => (
          <Entry key={entry.id} entry={entry} team={team} userId={userId} forms={forms} />
        ))}
        <li class="flex gap-2 text-sm text-muted">
          <Icon name="issues" class="mt-0.5 shrink-0" />
          <span>
            First seen <RelativeTime date={firstSeen} />
          </span>
        </li>
      </ol>
    </Panel>
  );
}

const TEXT_LOOK =
  "block w-full rounded-md border border-line-strong bg-surface px-2.5 py-1.5 text-base";

function CommentForm({ action, back }: { readonly action: string; readonly back: string }) {
  return (
    <form method="post" action={action} class="mb-4 space-y-2">
      <input type="hidden" name="back" value={`${back}#activity`} />
      <label class="sr-only" for="comment">Comment</label>
      <textarea
        id="comment"
        name="text"
        rows={2}
        maxLength={4096}
        required
        placeholder="Comment; @name tells somebody, Markdown works"
        class={TEXT_LOOK}
        data-key="m"
      />
      <Button size="sm" name="action" value="note">Comment</Button>
    </form>
  );
}

type EntryProps = Omit<ActivityPanelProps, "firstSeen"> & { readonly entry: ActivityEntry };

function Entry(props: EntryProps) {
  const { entry, team: { assignees } } = props;
  const actor = actorOf(entry, assignees);
  if (entry.type === "note") return <Note {...props} actor={actor ?? "Somebody"} />;
  return (
    <li class="flex gap-2 text-sm">
      {actor === null
        ? <Icon name="refresh" class="mt-0.5 shrink-0 text-muted" />
        : <Avatar name={actor} size={20} />}
      <p class="min-w-0 wrap-anywhere">
        {actor !== null && <span class="font-medium">{actor}</span>}
        {sentence(entry, actor !== null, assignees)}
        <span class="text-muted">
          <RelativeTime date={entry.createdAt} />
        </span>
      </p>
    </li>
  );
}

function Note({ entry, actor, userId, forms }: EntryProps & { readonly actor: string }) {
  const text = String(entry.data.text ?? "");
  const isOwn = forms !== null && userId !== null && entry.actor.id === userId;
  return (
    <li class="flex gap-2" id={`comment-${entry.id}`}>
      <Avatar name={actor} size={20} />
      <div class="min-w-0 flex-1 rounded-md border border-line">
        <p class="flex flex-wrap items-center gap-x-2 border-b border-line bg-canvas px-2.5 py-1 text-sm">
          <span class="font-medium">{actor}</span>
          <span class="text-muted">
            <RelativeTime date={entry.createdAt} />
          </span>
        </p>
        <div class="px-2.5 py-1.5 text-sm wrap-anywhere">
          <Markdown text={text} />
        </div>
        {isOwn && <OwnNote {...forms} noteId={entry.id} text={text} />}
      </div>
    </li>
  );
}

interface OwnNoteProps {
  readonly action: string;
  readonly back: string;
  readonly noteId: string;
  readonly text: string;
}

function OwnNote({ action, back, noteId, text }: OwnNoteProps) {
  return (
    <details class="px-2.5 pb-1.5 text-sm">
      <summary class="w-fit cursor-pointer text-meta text-muted hover:text-ink">Change</summary>
      <form method="post" action={action} class="mt-1 space-y-2">
        <input type="hidden" name="back" value={`${back}#activity`} />
        <input type="hidden" name="note" value={noteId} />
        <textarea name="text" rows={3} maxLength={4096} aria-label="Your comment" class={TEXT_LOOK}>
          {text}
        </textarea>
        <div class="flex gap-2">
          <Button size="sm" name="action" value="note-edit">Save</Button>
          <Button size="sm" kind="danger" name="action" value="note-delete">Delete</Button>
        </div>
      </form>
    </details>
  );
}

/** Who did it, by name; null when nobody did. */
function actorOf({ actor }: ActivityEntry, assignees: readonly Assignee[]): string | null {
  switch (actor.kind) {
    case "user":
      return assignees.find((each) => each.kind === "user" && each.id === actor.id)?.name ??
        "Somebody who has left";
    case "rule":
      return "An ownership rule";
    case "release":
      return "A release";
    case "system":
      return null;
  }
}

/** What was done; behind the name of who did, or by itself. */
function sentence(
  { type, data }: ActivityEntry,
  hasActor: boolean,
  assignees: readonly Assignee[],
): ComponentChildren {
  const version = visible(String(data.version ?? ""));
  const by = (active: ComponentChildren, passive: ComponentChildren) => (
    <>{hasActor ? <>{" "}{active}</> : passive}{" "}</>
  );
  switch (type) {
    case "set_resolved":
      return by("resolved it", "Resolved");
    case "set_resolved_in_release": {
      const where = version === "" ? "in the next release" : `in ${version}`;
      return by(`resolved it ${where}`, `Resolved ${where}`);
    }
    case "set_resolved_in_commit":
      return by(
        `resolved it in commit ${visible(String(data.commit ?? "").slice(0, 12))}`,
        "Resolved in a commit",
      );
    case "set_resolved_by_age":
      return by("resolved it by age", "Resolved, since it had not happened for long");
    case "set_unresolved":
      return by("set it back to unresolved", "Unresolved again: the time of its archiving is over");
    case "set_ignored":
      return by(`archived it${archivedWords(data)}`, "Archived");
    case "set_regression":
      return by(
        "made it come back",
        version === "" ? "It happened again" : `It happened again, in ${version}`,
      );
    case "set_escalating":
      return by("made it urgent", "It happens much more often than before");
    case "auto_set_ongoing":
      return by("set it to ongoing", "Ongoing for seven days");
    case "set_priority":
      return by(
        `set the priority to ${visible(String(data.priority ?? ""))}`,
        `Priority ${visible(String(data.priority ?? ""))}`,
      );
    case "assigned": {
      const named = assignees.find(({ kind, id }) =>
        kind === (data.assigneeType ?? "user") && id === String(data.assignee)
      );
      const whom = named === undefined ? "somebody who has left" : assigneeName(named);
      const rule = data.rule === undefined ? "" : ` by ${visible(String(data.rule))}`;
      return by(`assigned it to ${whom}${rule}`, `Assigned to ${whom}`);
    }
    case "unassigned":
      return by("took the assignment back", "Assigned to nobody");
    case "merge":
      return by(`merged ${issuesIn(data)} into it`, `${issuesIn(data)} merged into it`);
    case "unmerge_source":
      return by("split a part of it off", "A part was split off");
    case "unmerge_destination":
      return by("split it off another issue", "Split off another issue");
    case "mark_reviewed":
      return by("reviewed it", "Reviewed");
    case "set_public":
      return by("shared it by a link", "Shared by a link");
    case "set_private":
      return by("ended the sharing", "Shared no more");
    case "create_issue":
      return by(
        `linked it to ${visible(String(data.label ?? data.title ?? "a tracker"))}`,
        "Linked to a tracker",
      );
    case "referenced_in_commit":
      return by(
        `named it in commit ${visible(String(data.commit ?? "").slice(0, 12))}`,
        `Named in commit ${visible(String(data.commit ?? "").slice(0, 12))}`,
      );
    default:
      return by("changed it", "Changed");
  }
}

function archivedWords(data: ActivityEntry["data"]): string {
  if (data.ignoreUntilEscalating) return " until it happens much more often";
  const parts = [
    ...typeof data.ignoreDuration === "number" ? [`for ${minutesWords(data.ignoreDuration)}`] : [],
    ...typeof data.ignoreCount === "number"
      ? [`until ${formatQuantity(data.ignoreCount, "more event")}`]
      : [],
    ...typeof data.ignoreUserCount === "number"
      ? [`until ${formatQuantity(data.ignoreUserCount, "more user")}`]
      : [],
  ];
  return parts.length === 0 ? "" : ` ${parts.join(" or ")}`;
}

function minutesWords(minutes: number): string {
  if (minutes % (24 * 60) === 0) return formatQuantity(minutes / (24 * 60), "day");
  return minutes % 60 === 0
    ? formatQuantity(minutes / 60, "hour")
    : formatQuantity(minutes, "minute");
}

function issuesIn({ issues }: ActivityEntry["data"]): string {
  return formatQuantity(Array.isArray(issues) ? issues.length : 1, "issue");
}
