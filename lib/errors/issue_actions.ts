import type { User } from "../accounts/users.ts";
import { resolveAssignee } from "../accounts/assignees.ts";
import { InvalidInput } from "../core/errors.ts";
import type { Backend } from "../store/stores.ts";
import { isId } from "../store/query_limits.ts";
import type { Flash } from "../ui/cookies.ts";
import { type Merged, mergeIssues } from "./issue_merge.ts";
import { letEventsFollow } from "./issue_moves.ts";
import { lastUnmerge, unmergeIssue } from "./issue_unmerge.ts";
import { takeBack } from "./manage/take_back.ts";
import { issuesOfProject } from "./issues.ts";
import { remapIssue, type RemapStores, remapWords } from "./remap/remap_events.ts";
import { changeIssues, type IssueChange } from "./workflow/change.ts";
import type { ArchiveUntil, StatusChange } from "./workflow/change_status.ts";
import { addNote, deleteNote, editNote } from "./workflow/notes.ts";
import { review } from "./workflow/inbox.ts";
import { changePersonal, type PersonalChange } from "./workflow/people.ts";
import { findIssueNamed, shortIdOf } from "./workflow/short_id.ts";
import { PRIORITY_WORDS } from "./workflow/priority_words.ts";
import { type IssueActor, PRIORITIES } from "./workflow/state.ts";
import { undoChange } from "./workflow/undo_change.ts";
import { type Message, message, t } from "../core/language/translate.ts";

/** More than a page of the list holds. */
const MAX_ISSUES = 200;

/** Choices of the menu "Archive", by their names in forms. */
const ARCHIVE_UNTIL: ReadonlyMap<string, ArchiveUntil> = new Map([
  ["forever", {}],
  ["escalating", { escalating: true }],
  ["hour", { minutes: 60 }],
  ["day", { minutes: 24 * 60 }],
  ["week", { minutes: 7 * 24 * 60 }],
  ["events-10", { count: 10 }],
  ["events-100", { count: 100 }],
  ["events-100-hour", { count: 100, window: 60 }],
  ["users-10", { userCount: 10 }],
  ["users-100", { userCount: 100 }],
]);

/** What a form of list or page asks for. */
export interface IssueAction {
  readonly project: { readonly id: string; readonly organizationId: string; readonly slug: string };
  /** Who asks. */
  readonly user: Pick<User, "id">;
  /** Decimal ids and short ids; anything else is passed over. */
  readonly issues: readonly string[];
  /** `action`, and what belongs to it. */
  readonly form: URLSearchParams;
}

/** What became of it: what to tell the person, and how to take it back. */
export type ActionDone = Omit<Flash, "undo"> & {
  /** For the action `undo`; null when there is nothing to take back. */
  readonly undo: string | null;
};

type ActionBackend = Pick<Backend, "kv" | "sql" | "log" | "stopping"> & RemapStores;

/** Does what an issue form asks for. */
export async function actOnIssues(
  backend: ActionBackend,
  { project, user, issues, form }: IssueAction,
): Promise<ActionDone> {
  const ids = await idsOf(backend, project, issues);
  const asked = { backend, project, actor: { kind: "user", id: user.id } as const, ids, form };
  try {
    return await act(asked, form.get("action") ?? "");
  } catch (error) {
    // What a person entered, in words for them.
    if (error instanceof InvalidInput) return warning(error.message);
    throw error;
  }
}

interface Asked extends Pick<IssueAction, "project" | "form"> {
  readonly backend: ActionBackend;
  readonly actor: IssueActor & { readonly id: string };
  readonly ids: readonly string[];
}

async function idsOf(
  { sql }: ActionBackend,
  project: IssueAction["project"],
  named: readonly string[],
): Promise<string[]> {
  const some = named.slice(0, MAX_ISSUES);
  const short = await Promise.all(
    some.filter((each) => !isId(each)).map((each) => findIssueNamed(sql, each, [project])),
  );
  return [...some.filter(isId), ...short.flatMap((found) => found === null ? [] : [found.id])];
}

async function act(asked: Asked, action: string): Promise<ActionDone> {
  const { backend, project, actor, ids, form } = asked;
  if (action === "undo") {
    const undo = form.get("undo") ?? "";
    const count = isId(undo) ? await undoChange(backend, project.id, undo, actor) : 0;
    if (count === 0 && await takeBack(backend, project.id, undo, actor)) {
      return done(t("Taken back."));
    }
    return count > 0
      ? done(t("{n} issue as before.|{n} issues as before.", { n: count }))
      : warning(t("This cannot be taken back any more."));
  }
  if (action === "merge") return await merge(asked);
  if (action === "unmerge") return await unmerge(asked);
  if (action === "map-again") return await mapAgain(asked);
  if (action === "review") return await reviewed(asked);
  if (action.startsWith("note")) return await note(asked, action);
  const personal = PERSONAL.get(action);
  if (personal !== undefined) {
    const known = await issuesOfProject(backend.sql, project.id, ids);
    await changePersonal(backend.sql, project.id, known, actor.id, personal[0]);
    return done(t(personal[1]));
  }
  const change = await changeOf(asked, action);
  if (change === null) {
    return {
      kind: "danger",
      text: t("This is nothing that can be done with an issue."),
      undo: null,
    };
  }
  return await changeAll(asked, change);
}

const PERSONAL: ReadonlyMap<string, readonly [PersonalChange, Message]> = new Map([
  ["bookmark", [{ isBookmarked: true }, message("Bookmarked.")]],
  ["unbookmark", [{ isBookmarked: false }, message("No bookmark any more.")]],
  ["subscribe", [{ isSubscribed: true }, message("You will hear of this issue.")]],
  ["unsubscribe", [{ isSubscribed: false }, message("You will not hear of this issue.")]],
  ["see", [{ hasSeen: true }, message("Marked as seen.")]],
  ["unsee", [{ hasSeen: false }, message("Marked as not seen.")]],
]);

async function reviewed({ backend, project, actor, ids }: Asked): Promise<ActionDone> {
  const changed = await backend.sql.begin((tx) =>
    review(tx, project.id, ids, true, actor, new Date())
  );
  return changed.length === 0
    ? warning(t("There was nothing to review in what you chose."))
    : done(t("{n} issue reviewed.|{n} issues reviewed.", { n: changed.length }));
}

/** @throws {InvalidInput} for values that no form of ours sends */
async function changeOf(
  { backend, project, form }: Asked,
  action: string,
): Promise<IssueChange | null> {
  const status = statusOf(action, form);
  if (status !== null) return { status };
  if (action === "priority") {
    const priority = PRIORITIES.find((each) => each === form.get("priority"));
    if (priority === undefined) {
      throw new InvalidInput("priority", t("Choose high, medium or low."));
    }
    return { priority };
  }
  if (action !== "assign") return null;
  const named = form.get("assignee") ?? "";
  if (named === "") return { assignee: null };
  const assignee = await resolveAssignee(
    backend.kv,
    project.organizationId,
    project.id,
    named,
  );
  if (assignee === null) {
    throw new InvalidInput("assignee", t("Choose a member or a team of the organization."));
  }
  return { assignee };
}

function statusOf(action: string, form: URLSearchParams): StatusChange | null {
  // The bar of the list has one form for all: there the button says how long.
  const [, named] = /^archive-(.+)$/.exec(action) ?? [];
  switch (named === undefined ? action : "archive") {
    case "resolve":
      return { to: "resolved" };
    case "resolve-next":
      return { to: "resolved", in: { kind: "next" } };
    case "resolve-latest":
      return { to: "resolved", in: { kind: "release", version: "latest" } };
    case "unresolve":
      return { to: "unresolved" };
    case "ignore":
    case "archive": {
      const until = ARCHIVE_UNTIL.get(named ?? form.get("until") ?? "forever");
      if (until === undefined) throw new InvalidInput("until", t("Choose how long to archive it."));
      return { to: "ignored", until };
    }
    default:
      return null;
  }
}

async function changeAll(
  { backend, project, actor, ids }: Asked,
  change: IssueChange,
): Promise<ActionDone> {
  if (ids.length === 0) return warning(t("Choose at least one issue first."));
  const { changed, undo } = await changeIssues(backend, project.id, ids, change, actor);
  if (changed.length > 0) {
    return {
      kind: "ok",
      text: changedWords(change, changed.length),
      undo,
    };
  }
  const known = await issuesOfProject(backend.sql, project.id, ids);
  return known.length === 0
    ? warning(t("Nothing changed: this project has no such issue."))
    : warning(t(UNCHANGED[kindOf(change)], { priority: priorityWord(change) }));
}

type ChangeKind =
  | "priority"
  | "unassigned"
  | "assigned"
  | "resolved_next"
  | "resolved"
  | "archived"
  | "unresolved";

function kindOf({ status, priority, assignee }: IssueChange): ChangeKind {
  if (priority !== undefined) return "priority";
  if (assignee !== undefined) return assignee === null ? "unassigned" : "assigned";
  switch (status?.to) {
    case "resolved":
      return status.in?.kind === "next" ? "resolved_next" : "resolved";
    case "ignored":
      return "archived";
    default:
      return "unresolved";
  }
}

const CHANGED: Readonly<Record<ChangeKind, Message>> = {
  priority: message(
    "{n} issue given the priority {priority}.|{n} issues given the priority {priority}.",
  ),
  unassigned: message("{n} issue assigned to nobody.|{n} issues assigned to nobody."),
  assigned: message("{n} issue assigned.|{n} issues assigned."),
  resolved_next: message(
    "{n} issue resolved in the next release.|{n} issues resolved in the next release.",
  ),
  resolved: message("{n} issue resolved.|{n} issues resolved."),
  archived: message("{n} issue archived.|{n} issues archived."),
  unresolved: message("{n} issue set back to unresolved.|{n} issues set back to unresolved."),
};

const UNCHANGED: Readonly<Record<ChangeKind, Message>> = {
  priority: message("Nothing changed: this was given the priority {priority} before."),
  unassigned: message("Nothing changed: this was assigned to nobody before."),
  assigned: message("Nothing changed: this was assigned before."),
  resolved_next: message("Nothing changed: this was resolved in the next release before."),
  resolved: message("Nothing changed: this was resolved before."),
  archived: message("Nothing changed: this was archived before."),
  unresolved: message("Nothing changed: this was set back to unresolved before."),
};

/** What was done to so many issues. */
function changedWords(change: IssueChange, n: number): string {
  return t(CHANGED[kindOf(change)], { n, priority: priorityWord(change) });
}

function priorityWord({ priority }: IssueChange): string {
  return priority === undefined ? "" : t(PRIORITY_WORDS[priority].word);
}

async function merge({ backend, project, actor, ids }: Asked): Promise<ActionDone> {
  const merged = await mergeIssues(backend.sql, project.id, ids, new Date(), { actor });
  if (merged === null) return warning(t("Choose at least two issues to merge."));
  await letEventsFollow(backend, project.id);
  const name = await nameOf({ backend, project }, merged.into);
  return {
    kind: "ok",
    text: t("{n} issue merged into {name}.|{n} issues merged into {name}.", {
      n: merged.sources.length,
      name,
    }),
    undo: merged.undo,
  };
}

async function unmerge(
  { backend, project, actor, ids: [issueId], form }: Asked,
): Promise<ActionDone> {
  const mergedId = form.get("merged") ?? "";
  const isDone = issueId !== undefined && isId(mergedId) &&
    await unmergeIssue(backend.sql, project.id, issueId, mergedId, actor);
  if (!isDone) return warning(t("This is not part of the issue any more."));
  await letEventsFollow(backend, project.id);
  return {
    kind: "ok",
    text: t("{issue} is an issue of its own again.", {
      issue: await nameOf({ backend, project }, mergedId),
    }),
    undo: await lastUnmerge(backend.sql, project.id, issueId),
  };
}

async function mapAgain({ backend, project, ids: [issueId] }: Asked): Promise<ActionDone> {
  if (issueId === undefined) return warning(t("Choose an issue first."));
  const result = await remapIssue(backend, project.id, issueId);
  return { kind: result.mapped > 0 ? "ok" : "warning", text: remapWords(result), undo: null };
}

async function nameOf(
  { backend, project }: Pick<Asked, "backend" | "project">,
  issueId: Merged["into"],
): Promise<string> {
  const [row] = await backend.sql<{ number: number }[]>`
    select number::float8 as number from issues where project_id = ${project.id} and id = ${issueId}
  `;
  return row === undefined ? `#${issueId}` : shortIdOf(project.slug, row.number);
}

async function note(
  { backend, project, actor, ids: [issueId], form }: Asked,
  action: string,
): Promise<ActionDone> {
  if (issueId === undefined) return warning(t("This project has no such issue."));
  const place = { projectId: project.id, organizationId: project.organizationId, issueId };
  const text = form.get("text") ?? "";
  const noteId = form.get("note") ?? "";
  if (action === "note") {
    await addNote(backend, place, actor.id, { text });
    return done(t("Comment added."));
  }
  const isDone = action === "note-delete"
    ? await deleteNote(backend, place, actor.id, noteId)
    : await editNote(backend, place, actor.id, noteId, { text }) !== null;
  return isDone
    ? done(action === "note-delete" ? t("Comment deleted.") : t("Comment changed."))
    : warning(t("You have no such comment here."));
}

function done(text: string): ActionDone {
  return { kind: "ok", text, undo: null };
}

function warning(text: string): ActionDone {
  return { kind: "warning", text, undo: null };
}
