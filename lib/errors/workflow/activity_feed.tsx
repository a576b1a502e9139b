/** What was done with an issue and what people said of it, with the box to say more. */
import type { ComponentChildren } from "preact";
import type { Assignee } from "../../accounts/assignees.ts";
import { Avatar } from "../../ui/components/badge.tsx";
import { Button } from "../../ui/components/button.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { visible } from "../../ui/json.ts";
import { Markdown } from "../../ui/markdown.tsx";
import type { ActivityEntry } from "./activity.ts";
import { assigneeName, type IssueTeam } from "./issue_team.ts";
import { PRIORITY_WORDS } from "./priority_words.ts";
import { PRIORITIES } from "./state.ts";
import { rich, t } from "../../core/language/translate.ts";

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
    <Panel title={t("Activity")} id="activity">
      {forms && <CommentForm {...forms} />}
      <ol class="space-y-3">
        {team.activity.map((entry) => (
          <Entry key={entry.id} entry={entry} team={team} userId={userId} forms={forms} />
        ))}
        <li class="flex gap-2 text-sm text-muted">
          <Icon name="issues" class="mt-0.5 shrink-0" />
          <span>
            {rich("First seen {time}", { time: <RelativeTime date={firstSeen} /> })}
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
      <label class="sr-only" for="comment">{t("Comment")}</label>
      <textarea
        id="comment"
        name="text"
        rows={2}
        maxLength={4096}
        required
        placeholder={t("Comment; @name tells somebody, Markdown works")}
        class={TEXT_LOOK}
        data-key="m"
      />
      <Button size="sm" name="action" value="note">{t("Comment@@verb")}</Button>
    </form>
  );
}

type EntryProps = Omit<ActivityPanelProps, "firstSeen"> & { readonly entry: ActivityEntry };

function Entry(props: EntryProps) {
  const { entry, team: { assignees } } = props;
  const actor = actorOf(entry, assignees);
  if (entry.type === "note") return <Note {...props} actor={actor ?? t("Somebody")} />;
  return (
    <li class="flex gap-2 text-sm">
      {actor === null
        ? <Icon name="refresh" class="mt-0.5 shrink-0 text-muted" />
        : <Avatar name={actor} size={20} />}
      <p class="min-w-0 wrap-anywhere">
        {sentence(
          entry,
          actor === null ? null : <span class="font-medium">{actor}</span>,
          assignees,
        )}{" "}
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
      <summary class="w-fit cursor-pointer text-meta text-muted hover:text-ink">
        {t("Change@@verb")}
      </summary>
      <form method="post" action={action} class="mt-1 space-y-2">
        <input type="hidden" name="back" value={`${back}#activity`} />
        <input type="hidden" name="note" value={noteId} />
        <textarea
          name="text"
          rows={3}
          maxLength={4096}
          aria-label={t("Your comment")}
          class={TEXT_LOOK}
        >
          {text}
        </textarea>
        <div class="flex gap-2">
          <Button size="sm" name="action" value="note-edit">{t("Save")}</Button>
          <Button size="sm" kind="danger" name="action" value="note-delete">{t("Delete")}</Button>
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
        t("Somebody who has left");
    case "rule":
      return t("An ownership rule");
    case "release":
      return t("A release");
    case "system":
      return null;
  }
}

/** What was done, by whom where that is known. */
function sentence(
  { type, data }: ActivityEntry,
  actor: ComponentChildren,
  assignees: readonly Assignee[],
): ComponentChildren {
  const isByNobody = actor === null;
  const version = visible(String(data.version ?? ""));
  const commit = visible(String(data.commit ?? "").slice(0, 12));
  switch (type) {
    case "set_resolved":
      return isByNobody ? t("Resolved@@activity") : rich("{actor} resolved it", { actor });
    case "set_resolved_in_release":
      if (version === "") {
        return isByNobody
          ? t("Resolved in the next release")
          : rich("{actor} resolved it in the next release", { actor });
      }
      return isByNobody
        ? t("Resolved in {version}", { version })
        : rich("{actor} resolved it in {version}", { actor, version });
    case "set_resolved_in_commit":
      return isByNobody
        ? t("Resolved in a commit")
        : rich("{actor} resolved it in commit {commit}", { actor, commit });
    case "set_resolved_by_age":
      return isByNobody
        ? t("Resolved, since it had not happened for long")
        : rich("{actor} resolved it by age", { actor });
    case "set_unresolved":
      return isByNobody
        ? t("Unresolved again: the time of its archiving is over")
        : rich("{actor} set it back to unresolved", { actor });
    case "set_ignored":
      return isByNobody ? t("Archived@@activity") : archived(data, actor);
    case "set_regression":
      if (!isByNobody) return rich("{actor} made it come back", { actor });
      return version === ""
        ? t("It happened again")
        : t("It happened again, in {version}", { version });
    case "set_escalating":
      return isByNobody
        ? t("It happens much more often than before")
        : rich("{actor} made it urgent", { actor });
    case "auto_set_ongoing":
      return isByNobody
        ? t("Ongoing for seven days")
        : rich("{actor} set it to ongoing", { actor });
    case "set_priority":
      return prioritised(String(data.priority ?? ""), actor);
    case "assigned":
      return assigned(data, actor, assignees);
    case "unassigned":
      return isByNobody
        ? t("Assigned to nobody")
        : rich("{actor} took the assignment back", { actor });
    case "merge": {
      const n = Array.isArray(data.issues) ? data.issues.length : 1;
      return isByNobody
        ? t("{n} issue merged into it|{n} issues merged into it", { n })
        : rich("{actor} merged {n} issue into it|{actor} merged {n} issues into it", { actor, n });
    }
    case "unmerge_source":
      return isByNobody
        ? t("A part was split off")
        : rich("{actor} split a part of it off", { actor });
    case "unmerge_destination":
      return isByNobody
        ? t("Split off another issue")
        : rich("{actor} split it off another issue", { actor });
    case "mark_reviewed":
      return isByNobody ? t("Reviewed") : rich("{actor} reviewed it", { actor });
    case "set_public":
      return isByNobody ? t("Shared by a link") : rich("{actor} shared it by a link", { actor });
    case "set_private":
      return isByNobody ? t("Shared no more") : rich("{actor} ended the sharing", { actor });
    case "create_issue":
      return isByNobody ? t("Linked to a tracker") : rich("{actor} linked it to {issue}", {
        actor,
        issue: visible(String(data.label ?? data.title ?? t("a tracker"))),
      });
    case "referenced_in_commit":
      return isByNobody
        ? t("Named in commit {commit}", { commit })
        : rich("{actor} named it in commit {commit}", { actor, commit });
    default:
      return isByNobody ? t("Changed") : rich("{actor} changed it", { actor });
  }
}

function prioritised(priority: string, actor: ComponentChildren): ComponentChildren {
  const known = PRIORITIES.find((each) => each === priority);
  const word = known === undefined ? visible(priority) : t(PRIORITY_WORDS[known].word);
  return actor === null
    ? t("Priority {priority}", { priority: word })
    : rich("{actor} set the priority to {priority}", { actor, priority: word });
}

function assigned(
  data: ActivityEntry["data"],
  actor: ComponentChildren,
  assignees: readonly Assignee[],
): ComponentChildren {
  const named = assignees.find(({ kind, id }) =>
    kind === (data.assigneeType ?? "user") && id === String(data.assignee)
  );
  const whom = named === undefined ? t("somebody who has left") : assigneeName(named);
  if (actor === null) return t("Assigned to {whom}", { whom });
  return data.rule === undefined
    ? rich("{actor} assigned it to {whom}", { actor, whom })
    : rich("{actor} assigned it to {whom} by {rule}", {
      actor,
      whom,
      rule: visible(String(data.rule)),
    });
}

function archived(data: ActivityEntry["data"], actor: ComponentChildren): ComponentChildren {
  if (data.ignoreUntilEscalating) {
    return rich("{actor} archived it until it happens much more often", { actor });
  }
  const { ignoreDuration, ignoreCount, ignoreUserCount } = data;
  const parts = [
    ...typeof ignoreDuration === "number" ? [minutesWords(ignoreDuration)] : [],
    ...typeof ignoreCount === "number"
      ? [t("until {n} more event|until {n} more events", { n: ignoreCount })]
      : [],
    ...typeof ignoreUserCount === "number"
      ? [t("until {n} more user|until {n} more users", { n: ignoreUserCount })]
      : [],
  ];
  return parts.length === 0
    ? rich("{actor} archived it", { actor })
    : rich("{actor} archived it {howLong}", { actor, howLong: eitherOf(parts) });
}

/** Ends of which the first that comes counts. */
export function eitherOf(parts: readonly string[]): string {
  return parts.reduce((one, other) => t("{one} or {other}", { one, other }));
}

function minutesWords(minutes: number): string {
  if (minutes % (24 * 60) === 0) {
    return t("for {n} day|for {n} days", { n: minutes / (24 * 60) });
  }
  return minutes % 60 === 0
    ? t("for {n} hour|for {n} hours", { n: minutes / 60 })
    : t("for {n} minute|for {n} minutes", { n: minutes });
}
