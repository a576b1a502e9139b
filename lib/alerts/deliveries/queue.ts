/**
 * The queue of deliveries. A channel is claimed by one isolate at a time, which sends what is due; a claim that is not
 * renewed ends by itself, and then another isolate goes on where the first one died.
 */
import type postgres from "postgres";
import { storable } from "../../core/errors.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { ofProject, projectsApart } from "../../store/sharding.ts";
import { isChannelId } from "../channels/channels.ts";
import type { ChannelType } from "../channels/channel_types.ts";
import type { Notice } from "../channels/message.ts";
import type { Answer } from "../channels/post.ts";

export interface ClaimedChannel {
  readonly projectId: string;
  readonly channelId: string;
  readonly type: ChannelType;
  readonly sealed: Uint8Array;
  /** Id of who claimed it. */
  readonly holder: string;
}

export interface WaitingDelivery {
  readonly deliveryId: string;
  readonly messageId: string;
  readonly noticeId: string;
  readonly incidentKey: string;
  readonly notice: Notice;
  /** So many times it was tried before. */
  readonly attempts: number;
  readonly dueAt: Date;
  readonly createdAt: Date;
}

const WINDOW_MS = 60_000;
/** Channels of one project that are worked on at once, so that slow receivers hold up none of another project. */
const AT_ONCE_OF_PROJECT = 4;

/**
 * Claims channels that have something due, those first whose turn was longest ago, and only some of each project.
 *
 * @param options.holder id of this process
 * @param options.leaseMs how long the claim lasts unless it is renewed
 * @param options.limit how many at most
 */
export async function claimChannels(
  sql: Sql,
  { holder, now, leaseMs, limit }: Claim,
): Promise<ClaimedChannel[]> {
  const claimed: ClaimedChannel[] = [];
  const isDue = sql`state = 'waiting' and due_at <= ${now}`;
  for (const projectId of await projectsApart(sql, "deliveries", isDue)) {
    const left = limit - claimed.length;
    if (left <= 0) break;
    claimed.push(...await claimOf(sql, { holder, now, leaseMs, limit: left }, projectId));
  }
  return claimed;
}

interface Claim {
  readonly holder: string;
  readonly now: Date;
  readonly leaseMs: number;
  readonly limit: number;
}

async function claimOf(
  sql: Sql,
  { holder, now, leaseMs, limit }: Claim,
  projectId: string | null,
): Promise<ClaimedChannel[]> {
  const of = ofProject(sql, projectId);
  return await sql<ClaimedChannel[]>`
    update notification_channels as channel
    set claimed_by = ${holder}, claimed_until = ${later(now, leaseMs)}
    from (
      select project_id, channel_id from notification_channels
      where claimed_until <= ${now} and paused_until <= ${now} ${of}
        and (project_id, channel_id) in (
          select project_id, channel_id from (
            select project_id, channel_id,
              row_number() over (partition by project_id order by claimed_until) as place, (
                select count(*) from notification_channels as busy
                where busy.project_id = idle.project_id and busy.claimed_until > ${now}
                  ${ofProject(sql, projectId, "busy")}
              ) as claimed
            from notification_channels as idle
            where claimed_until <= ${now} and paused_until <= ${now} ${of}
              and (project_id, channel_id) in (
                select project_id, channel_id from deliveries
                where state = 'waiting' and due_at <= ${now} ${of}
              )
          ) as ranked
          where place + claimed <= ${AT_ONCE_OF_PROJECT}
        )
      order by claimed_until limit ${limit}
      for update skip locked
    ) as free
    where channel.project_id = free.project_id and channel.channel_id = free.channel_id
      ${ofProject(sql, projectId, "channel")}
    returning channel.project_id::text as "projectId", channel.channel_id as "channelId",
      channel.type, channel.sealed, channel.claimed_by as holder
  `;
}

/** What waits for a channel, in order: due or not, since what is not may hold back what is. */
export async function waitingOf(
  sql: Sql,
  { projectId, channelId }: ClaimedChannel,
  limit: number,
): Promise<WaitingDelivery[]> {
  const rows = await sql<(Omit<WaitingDelivery, "notice"> & { notice: string })[]>`
    select delivery_id as "deliveryId", message_id as "messageId", notice_id as "noticeId", notice,
      incident_key as "incidentKey", attempts, due_at as "dueAt", created_at as "createdAt"
    from deliveries
    where project_id = ${projectId} and channel_id = ${channelId} and state = 'waiting'
    order by sequence
    limit ${limit}
  `;
  return rows.map((row) => ({ ...row, notice: readNotice(row.notice) }));
}

/**
 * Takes one of the messages that a channel may send a minute, and renews the claim on it if there is one.
 *
 * @returns false when it has had them, or the claim has gone to somebody else
 */
export async function takeTurn(
  sql: Sql,
  { projectId, channelId }: Pick<ClaimedChannel, "projectId" | "channelId">,
  { now, perMinute, claim }: {
    readonly now: Date;
    readonly perMinute: number;
    readonly claim: { readonly holder: string; readonly leaseMs: number } | null;
  },
): Promise<boolean> {
  const { count } = await sql`
    update notification_channels set
      window_messages = case when ${windowIsOver(sql, now)} then 1 else window_messages + 1 end,
      window_started_at = case
        when ${windowIsOver(sql, now)} then ${now}::timestamptz else window_started_at
      end
      ${claim === null ? sql`` : sql`, claimed_until = ${later(now, claim.leaseMs)}`}
    where project_id = ${projectId} and channel_id = ${channelId}
      and (${windowIsOver(sql, now)} or window_messages < ${perMinute})
      ${claim === null ? sql`` : sql`and claimed_by = ${claim.holder}`}
  `;
  return count > 0;
}

function windowIsOver(sql: Sql, now: Date) {
  return sql`window_started_at <= ${later(now, -WINDOW_MS)}::timestamptz`;
}

/**
 * Makes deliveries one message, for good, and counts an attempt before it is made: a later one sends the same under the same
 * id, and what makes us die is not tried for ever.
 *
 * @param group as it was read: of one message, or never tried
 * @returns false when somebody has tried or ended some of it since, and it is not to be sent: this process hung, and its claim ran out
 */
export async function beginAttempt(
  sql: Sql,
  { projectId, channelId }: ClaimedChannel,
  group: readonly [WaitingDelivery, ...WaitingDelivery[]],
  now: Date,
): Promise<boolean> {
  const [{ messageId, attempts }] = group;
  const ids = group.map(({ deliveryId }) => deliveryId);
  return await sql.begin(async (tx) => {
    const { count } = await tx`
      select from deliveries
      where project_id = ${projectId} and channel_id = ${channelId}
        and delivery_id = any (${ids}::uuid[]) and state = 'waiting' and attempts = ${attempts}
      for update
    `;
    if (count < ids.length) return false;
    await tx`
      update deliveries
      set message_id = ${messageId}, attempts = attempts + 1, attempted_at = ${now}
      where project_id = ${projectId} and channel_id = ${channelId}
        and delivery_id = any (${ids}::uuid[])
    `;
    return true;
  });
}

/** Notes the end of a message: it was taken, or never will be. */
export async function endMessage(
  sql: Sql,
  channel: ClaimedChannel,
  messageId: string,
  state: "sent" | "failed",
  { status, text }: Answer,
): Promise<void> {
  const changes = sql`state = ${state}, status = ${status}, answer = ${text}`;
  await changeWaiting(sql, channel, sql`message_id = ${messageId}`, changes);
}

/** Notes that a message was not taken and is to be tried again. */
export async function postponeMessage(
  sql: Sql,
  channel: ClaimedChannel,
  messageId: string,
  dueAt: Date,
  { status, text }: Answer,
): Promise<void> {
  const changes = sql`due_at = ${dueAt}, status = ${status}, answer = ${text}`;
  await changeWaiting(sql, channel, sql`message_id = ${messageId}`, changes);
}

/** Changes deliveries of a channel, but for those that have ended meanwhile. */
async function changeWaiting(
  sql: Sql,
  { projectId, channelId }: ClaimedChannel,
  which: postgres.Fragment,
  changes: postgres.Fragment,
): Promise<void> {
  await sql`
    update deliveries set ${changes}
    where project_id = ${projectId} and channel_id = ${channelId} and state = 'waiting'
      and ${which}
  `;
}

/** Lets a delivery wait until one that must go out before it is tried again. */
export async function holdBack(
  sql: Sql,
  channel: ClaimedChannel,
  deliveryId: string,
  dueAt: Date,
): Promise<void> {
  await changeWaiting(sql, channel, sql`delivery_id = ${deliveryId}`, sql`due_at = ${dueAt}`);
}

/**
 * Gives a claim back.
 *
 * @param pause until when nobody is to try, or `full` until the channel may send again, or null
 */
export async function releaseChannel(
  sql: Sql,
  { projectId, channelId, holder }: ClaimedChannel,
  now: Date,
  pause: Date | "full" | null,
): Promise<void> {
  const pausedUntil = pause === "full"
    // Citus takes no addition here that depends on the time zone of the session.
    ? sql`(window_started_at at time zone 'UTC' + ${WINDOW_MS} * interval '1 ms') at time zone 'UTC'`
    : pause === null
    ? sql`paused_until`
    : sql`${pause}::timestamptz`;
  await sql`
    update notification_channels
    set claimed_by = null, claimed_until = ${now}, paused_until = ${pausedUntil}
    where project_id = ${projectId} and channel_id = ${channelId} and claimed_by = ${holder}
  `;
}

function later(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms);
}

const MAX_INCIDENT_KEY = 500;

/**
 * Puts a notice into the queue of each of these channels, in the caller's transaction: once that is committed the
 * notice goes out, at least once, in the order of the commits. Channels that are gone, or another project's, are
 * passed over.
 */
export async function enqueueNotice(
  tx: Queryable,
  notice: Notice,
  channelIds: readonly string[],
): Promise<void> {
  await tx`
    insert into deliveries (
      project_id, channel_id, delivery_id, notice_id, notice, incident_key, message_id, state,
      due_at, created_at
    )
    select project_id, channel_id, id, ${crypto.randomUUID()}::uuid, ${JSON.stringify(notice)},
      ${incidentOf(notice)}, id, 'waiting', moment, moment
    from (
      select project_id, channel_id, gen_random_uuid() as id, ${new Date()}::timestamptz as moment
      from notification_channels
      where project_id = ${notice.projectId}
        and channel_id = any (${channelIds.filter(isChannelId)}::uuid[])
      order by channel_id
    ) as reached
  `;
}

/** The key of a notice's incident as it orders deliveries. */
export function incidentOf({ incidentKey }: Notice): string {
  return storable(incidentKey.slice(0, MAX_INCIDENT_KEY).toWellFormed());
}

/** A notice as it was put into the queue. */
export function readNotice(json: string): Notice {
  // Written by `enqueueNotice()` alone.
  const notice = JSON.parse(json) as Omit<Notice, "occurredAt"> & { occurredAt: string };
  return { ...notice, occurredAt: new Date(notice.occurredAt) };
}
