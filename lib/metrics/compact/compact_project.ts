import { Overtaken } from "./apply_change.ts";
import { dueDays, dueSlots } from "./due.ts";
import { packWaiting } from "./pack_waiting.ts";
import type { CompactServices } from "./read_blocks.ts";
import { rollDay } from "./roll_day.ts";
import { settleSlot } from "./settle.ts";

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
