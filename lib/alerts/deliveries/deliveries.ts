/** Deliveries as pages and the API show them. */
import {
  type Cursor,
  type CursorPage,
  cutPage,
  isId,
  isIsoTime,
  readCursor,
} from "../../store/query_limits.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { insertAudit, inTransaction } from "../../store/audit.ts";
import { findChannel, isChannelId } from "../channels/channels.ts";
import type { Notice } from "../channels/message.ts";
import type { Answer } from "../channels/post.ts";
import { incidentOf, readNotice } from "./queue.ts";

export type DeliveryState = "waiting" | "sent" | "failed";

export interface Delivery {
  /** UUID. */
  readonly deliveryId: string;
  /** What receivers know the message by; that of another delivery when both went out as one. */
  readonly messageId: string;
  readonly noticeId: string;
  readonly notice: Notice;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** HTTP status or SMTP reply code of the last attempt; null when there was none. */
  readonly status: number | null;
  /** What was answered last, or why nothing was; `""` before the first attempt. */
  readonly answer: string;
  readonly createdAt: Date;
  readonly attemptedAt: Date | null;
  /** When it is tried (again), while it waits. */
  readonly dueAt: Date;
}

/** The newest delivery of a channel. */
export interface LastDelivery {
  readonly state: DeliveryState;
  readonly createdAt: Date;
}

/**
 * The deliveries of a channel, the newest first.
 *
 * @param cursor as text from an earlier page, or null
 */
export async function listDeliveries(
  sql: Sql,
  projectId: string,
  channelId: string,
  { cursor: text, limit }: { readonly cursor: string | null; readonly limit: number },
): Promise<CursorPage<Delivery>> {
  const cursor = readCursor(text, (value, id) => isIsoTime(value) && isId(id));
  const isBackwards = cursor?.direction === "previous";
  const rows = await sql<(Omit<Delivery, "notice"> & { notice: string; sequence: string })[]>`
    select ${columns(sql)}, sequence::text from deliveries
    where project_id = ${projectId} and channel_id = ${channelId}
      ${beyond(sql, cursor)}
    order by sequence ${isBackwards ? sql`asc` : sql`desc`}
    limit ${limit + 1}
  `;
  const page = cutPage(rows, limit, cursor, ({ createdAt, sequence }) => ({
    value: createdAt.toISOString(),
    id: sequence,
  }));
  return {
    ...page,
    rows: page.rows.map(({ sequence: _, ...row }) => ({ ...row, notice: readNotice(row.notice) })),
  };
}

function beyond(sql: Sql, cursor: Cursor | null) {
  if (cursor === null) return sql``;
  return cursor.direction === "previous"
    ? sql`and sequence > ${cursor.id}`
    : sql`and sequence < ${cursor.id}`;
}

/** One delivery of a channel, or null. */
export async function findDelivery(
  sql: Queryable,
  projectId: string,
  channelId: string,
  deliveryId: string,
): Promise<Delivery | null> {
  if (!isChannelId(channelId) || !isChannelId(deliveryId)) return null;
  const [row] = await sql<(Omit<Delivery, "notice"> & { notice: string })[]>`
    select ${columns(sql)} from deliveries
    where project_id = ${projectId} and channel_id = ${channelId} and delivery_id = ${deliveryId}
  `;
  return row === undefined ? null : { ...row, notice: readNotice(row.notice) };
}

/** The newest delivery of each channel of a project that has any, by channel id. */
export async function lastDeliveries(
  sql: Sql,
  projectId: string,
): Promise<ReadonlyMap<string, LastDelivery>> {
  const rows = await sql<(LastDelivery & { channelId: string })[]>`
    select channel.channel_id as "channelId", newest.state, newest.created_at as "createdAt"
    from notification_channels as channel
    cross join lateral (
      select state, created_at from deliveries
      where project_id = channel.project_id and channel_id = channel.channel_id
      order by sequence desc limit 1
    ) as newest
    where channel.project_id = ${projectId}
  `;
  return new Map(rows.map(({ channelId, ...last }) => [channelId, last]));
}

/**
 * Puts the notice of a delivery into the queue once more, as a delivery of its own. What still waits is tried at once
 * instead.
 *
 * @returns false when there is no such delivery
 */
export async function sendAgain(
  sql: Sql,
  projectId: string,
  channelId: string,
  deliveryId: string,
): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    const isThere = await queueAgain(tx, projectId, channelId, deliveryId);
    const channel = isThere ? await findChannel(tx, projectId, channelId) : null;
    if (channel === null) return isThere;
    await insertAudit(tx, {
      event: "notification_action.send",
      projectId,
      target: { kind: "channel", id: channelId, label: channel.name },
      changes: { delivery: [null, deliveryId] },
    });
    return true;
  });
}

async function queueAgain(
  sql: Queryable,
  projectId: string,
  channelId: string,
  deliveryId: string,
): Promise<boolean> {
  const delivery = await findDelivery(sql, projectId, channelId, deliveryId);
  if (delivery === null) return false;
  const now = new Date();
  const { count } = await sql`
    update deliveries set due_at = ${now}
    where project_id = ${projectId} and channel_id = ${channelId}
      and message_id = ${delivery.messageId} and state = 'waiting'
  `;
  if (count > 0) {
    await sql`
      update notification_channels set paused_until = '-infinity'
      where project_id = ${projectId} and channel_id = ${channelId}
    `;
    return true;
  }
  await insertDelivery(sql, { projectId, channelId, ...delivery }, {
    state: "waiting",
    attempts: 0,
    answer: { status: null, text: "" },
    at: now,
  });
  return true;
}

/** Stores a delivery that `enqueueNotice()` did not make. */
export async function insertDelivery(
  sql: Queryable,
  { projectId, channelId, noticeId, notice }: {
    readonly projectId: string;
    readonly channelId: string;
    readonly noticeId: string;
    readonly notice: Notice;
  },
  { state, attempts, answer, at, deliveryId = crypto.randomUUID() }: {
    readonly state: DeliveryState;
    readonly attempts: number;
    readonly answer: Answer;
    readonly at: Date;
    readonly deliveryId?: string;
  },
): Promise<void> {
  await sql`
    insert into deliveries (
      project_id, channel_id, delivery_id, notice_id, notice, incident_key, message_id, state,
      attempts, due_at, status, answer, created_at, attempted_at
    ) values (
      ${projectId}, ${channelId}, ${deliveryId}, ${noticeId}, ${JSON.stringify(notice)},
      ${incidentOf(notice)}, ${deliveryId}, ${state}, ${attempts}, ${at}, ${answer.status},
      ${answer.text}, ${at}, ${attempts === 0 ? null : at}
    )
  `;
}

function columns(sql: Queryable) {
  return sql`
    delivery_id as "deliveryId", message_id as "messageId", notice_id as "noticeId", notice, state,
    attempts, status, answer, created_at as "createdAt", attempted_at as "attemptedAt",
    due_at as "dueAt"
  `;
}
