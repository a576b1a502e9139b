/** The channels of a project: where its notices go. */
import { changesBetween } from "../../records/audit.ts";
import { auditChange, type AuditedKind, insertAudit, inTransaction } from "../../store/audit.ts";
import type { Queryable } from "../../store/database.ts";
import type { ChannelType } from "./channel_types.ts";

export interface Channel {
  readonly projectId: string;
  /** UUID. */
  readonly channelId: string;
  readonly type: ChannelType;
  readonly name: string;
  /** Where it leads as far as it may be shown: mail addresses, or the host and the last characters of a secret. */
  readonly target: string;
  /** An import made it, and nobody has entered its settings yet: nothing goes out through it. */
  readonly awaitsSettings: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** E-mail address of whoever changed it last; `""` when a bootstrap token did. */
  readonly updatedBy: string;
}

/** What a channel is stored as, beside its ids and times. */
interface ChannelRow {
  readonly type: ChannelType;
  readonly name: string;
  readonly target: string;
  /** The settings with their secrets, sealed; empty while they are awaited. */
  readonly sealed: Uint8Array;
  readonly updatedBy: string;
}

/** All channels of a project, by name. */
export async function listChannels(sql: Queryable, projectId: string): Promise<Channel[]> {
  return await sql<Channel[]>`
    select ${columns(sql)} from notification_channels
    where project_id = ${projectId}
    order by lower(name), channel_id
  `;
}

/** The channel of this id, or null when the project has none. */
export async function findChannel(
  sql: Queryable,
  projectId: string,
  channelId: string,
): Promise<Channel | null> {
  if (!isChannelId(channelId)) return null;
  const [channel] = await sql<Channel[]>`
    select ${columns(sql)} from notification_channels
    where project_id = ${projectId} and channel_id = ${channelId}
  `;
  return channel ?? null;
}

/** The sealed settings of a channel, empty while they are awaited; null when it is gone. */
export async function findSealed(
  sql: Queryable,
  projectId: string,
  channelId: string,
): Promise<Uint8Array | null> {
  const [row] = await sql<{ sealed: Uint8Array }[]>`
    select sealed from notification_channels
    where project_id = ${projectId} and channel_id = ${channelId}
  `;
  return row?.sealed ?? null;
}

/** Stores a new channel. */
export async function createChannel(
  sql: Queryable,
  projectId: string,
  channelId: string,
  { type, name, target, sealed, updatedBy }: ChannelRow,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await insertChannel(tx, projectId, channelId, { type, name, target, sealed, updatedBy });
    const made = { projectId, channelId, name, type, target };
    await auditChange(tx, "notification_action.create", AUDITED, null, made);
  });
}

/** Its settings are sealed; `target` tells what may be shown of them. */
const AUDITED: AuditedKind<Pick<Channel, "projectId" | "channelId" | "name" | "type" | "target">> =
  {
    kind: "channel",
    of: ({ projectId, channelId, name }) => ({ projectId, id: channelId, label: name }),
    shown: ({ name, type, target }) => ({ name, type, target }),
  };

async function insertChannel(
  sql: Queryable,
  projectId: string,
  channelId: string,
  { type, name, target, sealed, updatedBy }: ChannelRow,
): Promise<void> {
  await sql`
    insert into notification_channels (
      project_id, channel_id, type, name, target, sealed, created_at, updated_at, updated_by
    ) values (
      ${projectId}, ${channelId}, ${type}, ${name}, ${target}, ${sealed}, now(), now(), ${updatedBy}
    )
  `;
}

/**
 * Stores changed settings. What waits goes out through them at once.
 *
 * @returns false when the channel is gone
 */
export async function updateChannel(
  sql: Queryable,
  projectId: string,
  channelId: string,
  { name, target, sealed, updatedBy }: Omit<ChannelRow, "type">,
  event = "notification_action.edit",
): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    const before = await findChannel(tx, projectId, channelId);
    const { count } = await tx`
      update notification_channels set
        name = ${name}, target = ${target}, sealed = ${sealed}, updated_at = now(),
        updated_by = ${updatedBy}, paused_until = '-infinity'
      where project_id = ${projectId} and channel_id = ${channelId}
    `;
    if (count === 0 || before === null) return false;
    // Settings that are not shown may be what changed.
    await insertAudit(tx, {
      event,
      projectId,
      target: { kind: AUDITED.kind, id: channelId, label: name },
      changes: changesBetween(AUDITED.shown(before), { name, type: before.type, target }),
    });
    return true;
  });
}

/**
 * Deletes a channel with all its deliveries; alerts no longer tell it anything.
 *
 * @returns false when it was gone already
 */
export async function deleteChannel(
  sql: Queryable,
  projectId: string,
  channelId: string,
): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    const before = await findChannel(tx, projectId, channelId);
    const isDeleted = await dropChannel(tx, projectId, channelId);
    if (isDeleted) await auditChange(tx, "notification_action.remove", AUDITED, before, null);
    return isDeleted;
  });
}

async function dropChannel(
  sql: Queryable,
  projectId: string,
  channelId: string,
): Promise<boolean> {
  const [row] = await sql<{ isDeleted: boolean }[]>`
    with gone as (
      delete from notification_channels
      where project_id = ${projectId} and channel_id = ${channelId}
      returning 1
    ),
    with_it as (
      delete from deliveries where project_id = ${projectId} and channel_id = ${channelId}
    ),
    without_it as (
      update alert_rules
      set definition = jsonb_set(
        definition, '{channelIds}', (definition->'channelIds') - ${channelId}::text
      )
      where project_id = ${projectId}
        and (definition->'channelIds') @> to_jsonb(${channelId}::text)
    )
    select exists (select from gone) as "isDeleted"
  `;
  return row?.isDeleted ?? false;
}

/** Whether a text can be the id of a channel or a delivery. */
export function isChannelId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

function columns(sql: Queryable) {
  return sql`
    project_id::text as "projectId", channel_id as "channelId", type, name, target,
    sealed = '' as "awaitsSettings", created_at as "createdAt", updated_at as "updatedAt",
    updated_by as "updatedBy"
  `;
}
