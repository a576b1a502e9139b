/** Comments of people on issues: activity of the type `note`. */
import { resolveAssignee, seeingOf } from "../../accounts/assignees.ts";
import { listMembers } from "../../accounts/members.ts";
import { InvalidInput, storable } from "../../core/errors.ts";
import { HOUR_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import { isId } from "../../store/query_limits.ts";
import { type ActivityEntry, findActivity, writeActivity } from "./activity.ts";
import { subscribe } from "./people.ts";
import { t } from "../../core/language/translate.ts";

interface NoteServices {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
}

/** The issue that a comment belongs to. */
export interface NotePlace {
  readonly projectId: string;
  readonly organizationId: string;
  readonly issueId: string;
}

export interface NoteText {
  readonly text: string;
  /** As Sentry's clients send them: `user:1`, `team:2`. Beside them `@name` in the text counts. */
  readonly mentions?: readonly string[];
  readonly externalId?: string;
}

const MAX_LENGTH = 4_096;
const MAX_MENTIONS = 50;

/**
 * Adds a comment. Who comments, and who is mentioned, hears of the issue from then on.
 *
 * @throws {InvalidInput} for an empty or too long text, or the same text by the same person within an hour
 */
export async function addNote(
  { kv, sql }: NoteServices,
  place: NotePlace,
  userId: string,
  note: NoteText,
  now: Date = new Date(),
): Promise<ActivityEntry> {
  const text = checkText(note.text);
  const { projectId, issueId } = place;
  const mentioned = await mentionsIn(kv, place, text, note.mentions ?? []);
  const id = await sql.begin(async (tx) => {
    // One after the other: of two that send the same at once, the second is refused.
    await tx`
      select 1 from issues where project_id = ${projectId} and id = ${issueId} for no key update
    `;
    const [same] = await tx`
      select 1 from issue_activity
      where project_id = ${projectId} and issue_id = ${issueId} and type = 'note'
        and actor_kind = 'user' and actor_id = ${userId} and data->>'text' = ${text}
        and created_at > ${new Date(now.getTime() - HOUR_MS)}
    `;
    if (same !== undefined) {
      throw new InvalidInput("text", t("You have already posted that comment."));
    }
    const [written] = await writeActivity(tx, [{
      projectId,
      issueId,
      type: "note",
      actor: { kind: "user", id: userId },
      data: {
        text,
        ...mentioned.length === 0 ? {} : { mentions: mentioned },
        ...note.externalId === undefined
          ? {}
          : { external_id: storable(note.externalId).toWellFormed() },
      },
      at: now,
    }]);
    await subscribe(tx, projectId, [issueId], userId, "commented");
    await subscribeMentioned(tx, place, mentioned);
    return written ?? "";
  });
  const entry = await findActivity(sql, projectId, issueId, id);
  if (entry === null) throw new Error(`Comment ${id} is gone`);
  return entry;
}

/** Changes an own comment. @returns null when there is none of this id @throws {InvalidInput} as `addNote()` */
export async function editNote(
  { kv, sql }: NoteServices,
  place: NotePlace,
  userId: string,
  noteId: string,
  note: NoteText,
): Promise<ActivityEntry | null> {
  const text = checkText(note.text);
  const { projectId, issueId } = place;
  if (!isId(noteId)) return null;
  const mentioned = await mentionsIn(kv, place, text, note.mentions ?? []);
  const data = JSON.stringify({ text, mentions: mentioned });
  const { count } = await sql`
    update issue_activity set data = data || ${data}::text::jsonb
    where ${ownNote(sql, place, userId, noteId)}
  `;
  if (count === 0) return null;
  await sql.begin((tx) => subscribeMentioned(tx, place, mentioned));
  return await findActivity(sql, projectId, issueId, noteId);
}

/** Deletes an own comment; with the last one of a person their subscription by it ends. @returns false: there is none */
export async function deleteNote(
  { sql }: Pick<NoteServices, "sql">,
  place: NotePlace,
  userId: string,
  noteId: string,
): Promise<boolean> {
  if (!isId(noteId)) return false;
  const { projectId, issueId } = place;
  return await sql.begin(async (tx) => {
    const { count } = await tx`
      delete from issue_activity where ${ownNote(tx, place, userId, noteId)}
    `;
    if (count === 0) return false;
    await tx`
      update issue_people set subscription = null
      where project_id = ${projectId} and issue_id = ${issueId} and user_id = ${userId}
        and subscription = 'commented' and not exists (
          select 1 from issue_activity
          where project_id = ${projectId} and issue_id = ${issueId} and type = 'note'
            and actor_kind = 'user' and actor_id = ${userId}
        )
    `;
    return true;
  });
}

function ownNote(
  sql: Sql | Parameters<typeof writeActivity>[0],
  place: NotePlace,
  userId: string,
  noteId: string,
) {
  return sql`
    project_id = ${place.projectId} and issue_id = ${place.issueId} and id = ${noteId}
      and type = 'note' and actor_kind = 'user' and actor_id = ${userId}
  `;
}

function checkText(text: string): string {
  const trimmed = text.replaceAll("\0", "").toWellFormed().trim();
  if (trimmed === "") throw new InvalidInput("text", t("Write something first."));
  if (trimmed.length <= MAX_LENGTH) return trimmed;
  throw new InvalidInput(
    "text",
    t("A comment has at most {n} character.|A comment has at most {n} characters.", {
      n: MAX_LENGTH,
    }),
  );
}

/** Members who see the project, and teams, that a comment names, as `user:1` and `team:2`, each once; what names nobody is text. */
async function mentionsIn(
  kv: Deno.Kv,
  { organizationId, projectId }: Pick<NotePlace, "organizationId" | "projectId">,
  text: string,
  sent: readonly string[],
): Promise<string[]> {
  const words = [...text.matchAll(/(?<![\w@.])@([\w.+-]+(?:@[\w.-]+\w)?)/g)].map(([, word]) =>
    (word ?? "").replace(/[.-]+$/, "").toLowerCase()
  );
  const teams = [...text.matchAll(/(?<![\w/&#])#([a-z0-9][a-z0-9_-]*)/gi)]
    .map(([, slug]) => `#${slug?.toLowerCase()}`);
  const named = [...sent.filter((each) => /^(?:user|team):[\w-]+$/.test(each)), ...teams];
  const found = await Promise.all(
    named.slice(0, MAX_MENTIONS).map((each) =>
      resolveAssignee(kv, organizationId, projectId, each)
    ),
  );
  const mentions = found.flatMap((each) => each === null ? [] : [`${each.kind}:${each.id}`]);
  if (words.length > 0) {
    const members = await listMembers(kv, organizationId);
    for (const { user } of await seeingOf(kv, organizationId, projectId, members)) {
      const names = [user.email, user.email.split("@")[0] ?? "", user.name.replaceAll(" ", "")];
      if (names.some((name) => name !== "" && words.includes(name.toLowerCase()))) {
        mentions.push(`user:${user.id}`);
      }
    }
  }
  return [...new Set(mentions)].slice(0, MAX_MENTIONS);
}

async function subscribeMentioned(
  tx: Parameters<typeof writeActivity>[0],
  { projectId, issueId }: NotePlace,
  mentioned: readonly string[],
): Promise<void> {
  for (const each of [...mentioned].sort()) {
    const [kind, id = ""] = each.split(":");
    if (kind === "user") await subscribe(tx, projectId, [issueId], id, "mentioned");
  }
}
