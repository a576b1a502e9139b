import type { Queryable } from "../../store/database.ts";
import { storable } from "../../core/storable.ts";
import { isChannelId } from "../channels/channels.ts";
import type { Notice } from "./notice.ts";

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
