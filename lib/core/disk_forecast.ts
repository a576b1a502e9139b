/** How fast a disk fills, by what was noted a few times a day; of the disk of embedded stores in a file beside them that can be read while they are in use. */
import { join } from "node:path";
import type { Room } from "./disk_space.ts";
import { DAY_MS, HOUR_MS } from "./time.ts";

/** What was free at a time, in milliseconds since 1970. */
export interface DiskNote {
  readonly at: number;
  readonly freeBytes: number;
}

const EVERY_MS = 6 * HOUR_MS;
/** Older ones say little about tomorrow. */
const KEPT_MS = 14 * DAY_MS;
/** A shorter time says nothing. */
const MIN_SPAN_MS = DAY_MS;
/** Beyond that nobody plans. */
const MAX_DAYS = 3_650;

/** Notes what is free, unless that was done a moment ago. @throws what writing into the folder throws */
export async function noteDisk(
  dataDir: string,
  { freeBytes }: Room,
  now: Date = new Date(),
): Promise<void> {
  const known = await readDiskNotes(dataDir);
  const notes = withNote(known, { at: now.getTime(), freeBytes });
  if (notes === known) return;
  const path = pathOf(dataDir);
  await Deno.writeTextFile(`${path}.part`, JSON.stringify(notes));
  await Deno.rename(`${path}.part`, path);
}

/** Adds a note behind the others, without those that are too old; the same notes when one was made a moment ago. */
export function withNote(known: readonly DiskNote[], note: DiskNote): readonly DiskNote[] {
  const last = known.at(-1);
  if (last !== undefined && note.at - last.at < EVERY_MS) return known;
  return [...known.filter(({ at }) => at > note.at - KEPT_MS), note];
}

/** What was noted, oldest first; nothing when there is no file, or none that can be read. */
export async function readDiskNotes(dataDir: string): Promise<readonly DiskNote[]> {
  try {
    const notes: unknown = JSON.parse(await Deno.readTextFile(pathOf(dataDir)));
    return Array.isArray(notes) ? notes.filter(isNote) : [];
  } catch {
    return [];
  }
}

function isNote(note: Partial<DiskNote> | null): note is DiskNote {
  return typeof note?.at === "number" && typeof note.freeBytes === "number";
}

/** Whether it has been looked at for long enough to say anything. */
export function canForecast(notes: readonly DiskNote[]): boolean {
  const [first] = notes;
  const last = notes.at(-1);
  return first !== undefined && last !== undefined && last.at - first.at >= MIN_SPAN_MS;
}

/**
 * In how many days a disk is full, if it goes on as in the last two weeks: along the straight line that is nearest to
 * what was noted.
 *
 * @returns null while less than a day is known, or when it does not fill within ten years
 */
export function fullInDays(notes: readonly DiskNote[], now: Room): number | null {
  const [first] = notes;
  if (first === undefined || !canForecast(notes)) return null;
  const slope = slopeOf(notes.map(({ at, freeBytes }) => [(at - first.at) / DAY_MS, freeBytes]));
  if (slope >= 0) return null;
  const days = now.freeBytes / -slope;
  return days > MAX_DAYS ? null : days;
}

function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (place: 0 | 1) =>
    points.reduce((sum, point) => sum + point[place], 0) / points.length;
  const [middleX, middleY] = [mean(0), mean(1)];
  const up = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0);
  const across = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
  return across === 0 ? 0 : up / across;
}

function pathOf(dataDir: string): string {
  return join(dataDir, "disk_notes.json");
}
