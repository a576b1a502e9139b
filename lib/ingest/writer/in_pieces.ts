import { idsOf } from "../../metrics/ids.ts";
import type { NewSeries } from "./known_series.ts";

/** Of labels in one statement: texts and what is sent to Postgres have their limits, and requests are committed together. */
const MAX_CHARACTERS = 16_000_000;

/**
 * Series in as many pieces as their labels are long for. Several are in the order of their ids, so that whoever writes
 * the same ones locks them in one order.
 */
export function inPieces(
  series: readonly NewSeries[],
  maxCharacters = MAX_CHARACTERS,
): readonly (readonly NewSeries[])[] {
  const whole = series.reduce((sum, each) => sum + lengthOf(each), 0);
  if (whole <= maxCharacters) return [series];
  const pieces: NewSeries[][] = [];
  let room = 0;
  for (const each of series.toSorted(byId)) {
    const length = lengthOf(each);
    if (room < length || pieces.length === 0) {
      pieces.push([]);
      room = maxCharacters;
    }
    pieces.at(-1)?.push(each);
    room -= length;
  }
  return pieces;
}

function lengthOf({ series: { labels } }: NewSeries): number {
  let length = 0;
  for (const [key, value] of labels) length += key.length + value.length;
  return length;
}

function byId(some: NewSeries, other: NewSeries): number {
  return compared(some.projectId, other.projectId) ||
    compared(idsOf(some.series).seriesId, idsOf(other.series).seriesId);
}

/** Without leading zeros the longer number is the larger one. */
function compared(some: string, other: string): number {
  return some.length - other.length || (some < other ? -1 : some > other ? 1 : 0);
}
