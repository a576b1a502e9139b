import type { ValueType } from "../../formats/pprof/profile.ts";
import { FrameTable } from "../trees/frame_table.ts";
import {
  type OrderedThread,
  type TimedStack,
  type TimeOrder,
  timeOrder,
} from "../trees/time_order.ts";
import { nanosOf, type ProfilePart, stretchOf } from "../profile_part.ts";
import type { ProfilePiece } from "./read_part.ts";

/**
 * Profiles that follow each other as one, thread by thread, in nanoseconds since the first began; of a part with a
 * time only that stretch, in nanoseconds since it begins.
 *
 * @param type see {@linkcode timeOrder}
 */
export function joinedOrder(
  pieces: readonly ProfilePiece[],
  type: ValueType,
  part: ProfilePart,
): TimeOrder {
  const orders = pieces.map(({ profile }) => timeOrder(profile, type));
  const table = new FrameTable();
  const stretch = stretchOf(part);
  const zero = stretch === null ? pieces[0]?.profile.timeNanos ?? 0n : nanosOf(stretch.from);
  const end = stretch === null ? Infinity : Number(nanosOf(stretch.until) - zero);
  const threads = new Map<string, { name: string; isActive: boolean; samples: TimedStack[] }>();
  for (const [place, { frames, threads: ofOne }] of orders.entries()) {
    const numbers = frames.map((frame, number) => number === 0 ? 0 : table.add(frame));
    const shift = Number((pieces[place]?.profile.timeNanos ?? 0n) - zero);
    for (const { id, name, isActive, samples } of ofOne) {
      const known = threads.get(id) ?? { name: "", isActive: false, samples: [] };
      threads.set(id, known);
      known.name ||= name;
      known.isActive ||= isActive;
      for (const sample of samples) {
        const moved = clipped(sample, shift, stretch === null ? -Infinity : 0, end);
        if (moved) {
          known.samples.push({
            ...moved,
            stack: moved.stack.map((at) => numbers[at] ?? 0),
          });
        }
      }
    }
  }
  return {
    type: orders[0]?.type ?? type,
    frames: table.frames,
    threads: [...threads].map(([id, facts]): OrderedThread => ({ id, ...facts }))
      .filter(({ samples }) => samples.length > 0)
      .sort((a, b) =>
        Number(b.isActive) - Number(a.isActive) || b.samples.length - a.samples.length ||
        (a.id < b.id ? -1 : 1)
      ),
  };
}

/** What of a stack lies between two times, or null when nothing does. */
function clipped(
  { start, duration, stack }: TimedStack,
  shift: number,
  from: number,
  until: number,
): TimedStack | null {
  const begins = Math.max(from, start + shift);
  const ends = Math.min(until, start + shift + duration);
  return ends > begins ? { start: begins, duration: ends - begins, stack } : null;
}
