import type { Random } from "../random.ts";
import type { Entry, LogLine, Work } from "./work.ts";

/** Work with its place in time and in the trace. */
export interface Placed {
  readonly work: Work;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** In seconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly parts: readonly Placed[];
}

/**
 * Lays out work and all its parts along time.
 *
 * @param start in seconds since 1970
 */
export function place(
  work: Work,
  start: number,
  random: Random,
  parentSpanId: string | null = null,
): Placed {
  const spanId = random.hex(16);
  const parts = work.parts ?? [];
  const awaited = parts.filter(({ laterMs }) => laterMs === undefined);
  const gap = work.ms / 1000 / (awaited.length + 1);
  let free = start;
  let end = start + work.ms / 1000;
  const placed = awaited.map((part) => {
    const begin = work.isParallel ? start + random.next() * gap : free + gap;
    const done = place(part, begin, random, spanId);
    free = done.end;
    end = work.isParallel ? Math.max(end, done.end + gap / 4) : done.end + gap;
    return done;
  });
  const later = parts.filter(({ laterMs }) => laterMs !== undefined).map((part) =>
    place(part, end + (part.laterMs ?? 0) / 1000, random, spanId)
  );
  return { work, spanId, parentSpanId, start, end, parts: [...placed, ...later] };
}

/** What one service does in a trace in one go: a transaction with its spans. */
export interface Segment {
  readonly entry: Entry;
  readonly root: Placed;
  /** Those below the root. */
  readonly spans: readonly Placed[];
}

/** Cuts a trace where services take over. @param root one with an entry */
export function segmentsOf(root: Placed): Segment[] {
  const { entry } = root.work;
  if (entry === undefined) throw new TypeError(`No service begins with "${root.work.name}"`);
  const spans: Placed[] = [];
  const others: Placed[] = [];
  const collect = ({ parts }: Placed) => {
    for (const part of parts) {
      if (part.work.entry !== undefined) others.push(part);
      else {
        spans.push(part);
        collect(part);
      }
    }
  };
  collect(root);
  return [{ entry, root, spans }, ...others.flatMap(segmentsOf)];
}

/** What is logged during work, with the time in seconds since 1970: from its beginning to its end. */
export function linesOf({ work, start, end }: Placed): (LogLine & { readonly time: number })[] {
  const lines = work.logs ?? [];
  return lines.map((line, index) => {
    const share = lines.length === 1 ? 1 : index / (lines.length - 1);
    return { ...line, time: start + (end - start) * share };
  });
}
