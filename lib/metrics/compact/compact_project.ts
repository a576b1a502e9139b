import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import { LEVEL, SLOT_MS } from "../slots.ts";
import { Overtaken } from "./apply_change.ts";
import { packWaiting } from "./pack_waiting.ts";
import type { CompactServices } from "./read_blocks.ts";
import { type DueSlot, rollDay, settleSlot } from "./settle.ts";

/**
 * Does a piece of what is due for a project, so that another can have its turn: packs points that wait, settles slots,
 * rolls days up.
 *
 * @param options.isPacking whether enough waits to be packed
 * @param options.now decides about what is due
 * @returns whether more may be due at once
 */
export async function compactProject(
  services: CompactServices,
  projectId: string,
  { isPacking, now, stopping }: {
    readonly isPacking: boolean;
    readonly now: Date;
    readonly stopping: AbortSignal;
  },
): Promise<boolean> {
  try {
    const packed = isPacking ? await packWaiting(services, projectId) : 0;
    let isMore = packed > 0;
    for (const due of await dueSlots(services.sql, projectId, now)) {
      if (stopping.aborted) return false;
      await settleSlot(services, due);
      isMore = true;
    }
    for (const due of await dueDays(services.sql, projectId, now)) {
      if (stopping.aborted) return false;
      await rollDay(services, due);
      isMore = true;
    }
    return isMore;
  } catch (error) {
    // Another isolate does the same work: it is done either way.
    if (error instanceof Overtaken) return false;
    throw error;
  }
}

/** How long after its end a slot is settled: what is a little late is merged at once. */
const SETTLE_AFTER_MS = 30 * MINUTE_MS;
const ROLL_AFTER_MS = HOUR_MS;
/** What comes late seldom comes alone. */
const AGAIN_AFTER_MS = { slot: 15 * MINUTE_MS, day: HOUR_MS };
/** A project's at a time: then it is another's turn. */
const LIMIT = 4;

/** Slots that can be settled, the oldest first. */
export async function dueSlots(sql: Sql, projectId: string, now: Date): Promise<DueSlot[]> {
  return await select(sql, projectId, now, {
    level: LEVEL.slot,
    endedBefore: now.getTime() - SLOT_MS - SETTLE_AFTER_MS,
    againAfterMs: AGAIN_AFTER_MS.slot,
  });
}

/** Days that can be rolled up, the oldest first: all that came for them is settled. */
export async function dueDays(sql: Sql, projectId: string, now: Date): Promise<DueSlot[]> {
  const days = await select(sql, projectId, now, {
    level: LEVEL.day,
    endedBefore: now.getTime() - DAY_MS - ROLL_AFTER_MS,
    againAfterMs: AGAIN_AFTER_MS.day,
  });
  const dirty = await sql<{ slot: Date }[]>`
    select slot from metric_slots
    where project_id = ${projectId} and level = ${LEVEL.slot} and dirty_since is not null
  `;
  const dirtyTimes = dirty.map(({ slot }) => slot.getTime());
  // The last slot before a day decides about its first increases.
  return days.filter(({ slot }) =>
    !dirtyTimes.some((time) => time >= slot - SLOT_MS && time < slot + DAY_MS)
  );
}

async function select(
  sql: Sql,
  projectId: string,
  now: Date,
  { level, endedBefore, againAfterMs }: {
    readonly level: number;
    readonly endedBefore: number;
    readonly againAfterMs: number;
  },
): Promise<DueSlot[]> {
  const rows = await sql<{ slot: Date; changes: string }[]>`
    select slot, changes from metric_slots
    where project_id = ${projectId} and level = ${level}::smallint
      and dirty_since is not null and slot <= ${new Date(endedBefore)}
      and (settled_at is null or dirty_since <= ${new Date(now.getTime() - againAfterMs)})
    order by slot limit ${LIMIT}
  `;
  return rows.map(({ slot, changes }) => ({ projectId, slot: slot.getTime(), changes }));
}

/** Projects in which a slot or a day can be settled. */
export async function unsettledProjects(sql: Sql, now: Date): Promise<string[]> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const rows = await sql<{ projectId: string }[]>`
    select project_id as "projectId" from metric_slots
    where dirty_since is not null and (
      (
        level = ${LEVEL.slot} and slot <= ${before(SLOT_MS + SETTLE_AFTER_MS)}
        and (settled_at is null or dirty_since <= ${before(AGAIN_AFTER_MS.slot)})
      ) or (
        level = ${LEVEL.day} and slot <= ${before(DAY_MS + ROLL_AFTER_MS)}
        and (settled_at is null or dirty_since <= ${before(AGAIN_AFTER_MS.day)})
      )
    )
    group by project_id
  `;
  return rows.map(({ projectId }) => projectId);
}
