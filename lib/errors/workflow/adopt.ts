/** Issues that came from elsewhere: how they stood there, since when they are known, what was said of them. */
import { resolveAssignee } from "../../accounts/assignees.ts";
import { InvalidInput, storable } from "../../core/errors.ts";
import type { Sql } from "../../store/database.ts";
import { writeActivity } from "./activity.ts";
import { changeIssues, type IssueChange } from "./change.ts";
import type { StatusChange } from "./change_status.ts";
import { type IssueActor, type Priority, SYSTEM } from "./state.ts";

/** A comment, with who made it as far as they are known. */
export interface ForeignComment {
  readonly text: string;
  readonly at: Date;
  readonly name: string;
  readonly email: string;
}

export interface ForeignIssue {
  readonly status: StatusChange | null;
  readonly priority: Priority | null;
  /** Mail address of whom it is assigned to; `""`: nobody. */
  readonly assignee: string;
  readonly firstSeen: Date | null;
  readonly lastSeen: Date | null;
  readonly comments: readonly ForeignComment[];
  /** What is to be said of where it came from, once; `""`: nothing. */
  readonly remark: string;
  /** Names that remark for ever. */
  readonly remarkId: string;
}

interface AdoptServices {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
}

interface AdoptPlace {
  readonly projectId: string;
  readonly organizationId: string;
  readonly issueId: string;
}

/** Makes an issue stand as it did elsewhere. Done again, it changes nothing. */
export async function adoptIssue(
  services: AdoptServices,
  place: AdoptPlace,
  foreign: ForeignIssue,
): Promise<void> {
  const { kv, sql } = services;
  const { projectId, organizationId, issueId } = place;
  await noteTimes(sql, place, foreign);
  const person = foreign.assignee === ""
    ? null
    : await resolveAssignee(kv, organizationId, projectId, foreign.assignee);
  const change: IssueChange = {
    ...(foreign.status !== null && { status: foreign.status }),
    ...(foreign.priority !== null && { priority: foreign.priority }),
    ...(person?.kind === "user" && {
      assignee: { kind: "user", id: person.id, email: person.email },
    }),
  };
  try {
    await changeIssues(services, projectId, [issueId], change, SYSTEM);
  } catch (error) {
    // Resolved in a release that nobody knows here: it is resolved all the same.
    if (!(error instanceof InvalidInput) || foreign.status?.to !== "resolved") throw error;
    const plain: IssueChange = { ...change, status: { to: "resolved" } };
    await changeIssues(services, projectId, [issueId], plain, SYSTEM);
  }
  await addComments(services, place, foreign);
}

/** The event that it shows is found wherever it is: nothing else depends on these. */
async function noteTimes(
  sql: Sql,
  { projectId, issueId }: AdoptPlace,
  { firstSeen, lastSeen }: ForeignIssue,
): Promise<void> {
  await sql`
    update issues set
      first_seen = least(first_seen, ${firstSeen}::timestamptz),
      last_seen = greatest(last_seen, least(${lastSeen}::timestamptz, now())),
      last_seen_on = (greatest(last_seen, least(${lastSeen}::timestamptz, now())) at time zone 'UTC')::date
    where project_id = ${projectId} and id = ${issueId}
  `;
}

const MAX_COMMENTS = 1_000;
const MAX_LENGTH = 4_096;

async function addComments(
  { kv, sql }: AdoptServices,
  { projectId, organizationId, issueId }: AdoptPlace,
  { comments, remark, remarkId }: ForeignIssue,
): Promise<void> {
  const made: {
    readonly actor: IssueActor;
    readonly text: string;
    readonly at: Date;
    readonly id: string;
  }[] = [];
  for (const { text, at, name, email } of comments.slice(0, MAX_COMMENTS)) {
    const person = email === ""
      ? null
      : await resolveAssignee(kv, organizationId, null, email).catch(() => null);
    const isKnown = person?.kind === "user";
    made.push({
      actor: isKnown ? { kind: "user", id: person.id } : SYSTEM,
      text: isKnown ? text : `${name || email || "?"}: ${text}`,
      at,
      id: "",
    });
  }
  if (remark !== "") made.push({ actor: SYSTEM, text: remark, at: new Date(), id: remarkId });
  await sql.begin(async (tx) => {
    await tx`
      select 1 from issues where project_id = ${projectId} and id = ${issueId} for no key update
    `;
    for (const { actor, text: sent, at, id } of made) {
      const text = storable(sent).toWellFormed().slice(0, MAX_LENGTH);
      const [same] = await tx`
        select 1 from issue_activity
        where project_id = ${projectId} and issue_id = ${issueId} and type = 'note' and ${
        id === ""
          ? tx`data->>'text' = ${text} and created_at = ${at}`
          : tx`data->>'external_id' = ${id}`
      }
      `;
      if (same !== undefined) continue;
      const data = id === "" ? { text } : { text, external_id: id };
      await writeActivity(tx, [{ projectId, issueId, type: "note", actor, data, at }]);
    }
  });
}
