/** What is true of an issue for one person: whether they have seen it, marked it, and want to hear of it. */
import type { Queryable } from "../../store/database.ts";

/** Why somebody hears of an issue. */
export type SubscriptionReason =
  | "commented"
  | "assigned"
  | "bookmarked"
  | "changed_status"
  | "mentioned"
  | "team_mentioned"
  | "unknown";

/** Subscribes somebody to issues, unless they are already, or have said that they do not want to be. */
export async function subscribe(
  sql: Queryable,
  projectId: string,
  issueIds: readonly string[],
  userId: string,
  reason: SubscriptionReason,
): Promise<void> {
  await sql`
    insert into issue_people as known (project_id, issue_id, user_id, subscription)
    select ${projectId}, id, ${userId}, ${reason}
    from unnest(${[...issueIds].sort(byNumber)}::bigint[]) as id
    on conflict (project_id, issue_id, user_id) do update set subscription = excluded.subscription
    where known.subscription is null
  `;
}

function byNumber(a: string, b: string): number {
  return Number(BigInt(a) - BigInt(b));
}

/** What is absent stays as it is. */
export interface PersonalChange {
  readonly hasSeen?: boolean;
  readonly isBookmarked?: boolean;
  readonly isSubscribed?: boolean;
}

/** Changes what is true of issues for one person. A bookmark subscribes, and taking it away unsubscribes. */
export async function changePersonal(
  sql: Queryable,
  projectId: string,
  issueIds: readonly string[],
  userId: string,
  { hasSeen, isBookmarked, isSubscribed }: PersonalChange,
  now: Date = new Date(),
): Promise<void> {
  const wanted = isSubscribed ?? isBookmarked;
  if (hasSeen === undefined && wanted === undefined) return;
  const reason = wanted === undefined
    ? null
    : !wanted
    ? "off"
    : isSubscribed === undefined
    ? "bookmarked"
    : "unknown";
  await sql`
    insert into issue_people as known
      (project_id, issue_id, user_id, seen_at, is_bookmarked, subscription)
    select project_id, id, ${userId}, ${hasSeen ? now : null}, ${isBookmarked ?? false}, ${reason}
    from issues
    where project_id = ${projectId} and id = any (${[...issueIds]}::bigint[])
    order by id
    on conflict (project_id, issue_id, user_id) do update set
      seen_at = ${hasSeen === undefined ? sql`known.seen_at` : sql`excluded.seen_at`},
      is_bookmarked = ${
    isBookmarked === undefined ? sql`known.is_bookmarked` : sql`excluded.is_bookmarked`
  },
      subscription = ${reason === null ? sql`known.subscription` : sql`excluded.subscription`}
  `;
}

/** One person and one issue. */
export interface Person {
  readonly issueId: string;
  readonly userId: string;
  readonly seenAt: Date | null;
  readonly isBookmarked: boolean;
  /** Null: not subscribed. */
  readonly subscription: SubscriptionReason | "off" | null;
}

/** Everybody who has something to do with these issues; of one person only, when named. */
export async function peopleOf(
  sql: Queryable,
  projectId: string,
  issueIds: readonly string[],
  userId: string | null = null,
): Promise<Person[]> {
  return await sql<Person[]>`
    select issue_id as "issueId", user_id as "userId", seen_at as "seenAt",
      is_bookmarked as "isBookmarked", subscription
    from issue_people
    where project_id = ${projectId} and issue_id = any (${[...issueIds]}::bigint[])
      ${userId === null ? sql`` : sql`and user_id = ${userId}`}
    order by seen_at desc nulls last, user_id
  `;
}
