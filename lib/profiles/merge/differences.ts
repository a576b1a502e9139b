/** What is counted since a process began: how much it grew. */
import type { StackBuilder } from "../trees/stack_builder.ts";
import { decodeStored, readPprofBytes } from "../queries/bytes.ts";
import { READ_WIDTH } from "./add_pieces.ts";
import { mergeColumns, type MergeRow, nanosOf, sampleFilterOf } from "./merge_rows.ts";
import type { Sql } from "../../store/database.ts";
import type { MergeWork } from "./merge_work.ts";
import type { ProfileSelection } from "../queries/profile_types.ts";
import { readAhead } from "./read_ahead.ts";
import { placeOf, selected } from "../queries/selected.ts";

/** What differences were made of. */
export interface Differences {
  /** Processes: service, instance, environment and release. */
  readonly instances: number;
  /** How often one of them began anew, which its total tells by being less than before. */
  readonly resets: number;
  /** Processes that are in it with all that they counted since they began: there is one profile of them only. */
  readonly whole: number;
}

/** A profile at the beginning or the end of a stretch in which totals only grow. */
export interface Turn extends MergeRow {
  readonly instance: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Place among the profiles of the instance, from 1, and how many those are. */
  readonly place: string;
  readonly count: string;
}

interface Segment {
  readonly first: Turn;
  readonly last: Turn;
}

const MAX_TURNS = 50_000;

/**
 * Adds how much values grew within the selection, for each process from its first to its last profile. When a total
 * drops, the process began anew and so does the counting; what it counted in between is not known.
 *
 * @param turns what {@linkcode readTurns} found
 * @returns null when there are none
 */
export async function addDifferences(
  target: StackBuilder,
  turns: readonly Turn[],
  selection: ProfileSelection,
  work: MergeWork,
): Promise<Differences | null> {
  if (turns.length === 0) return null;
  const segments = segmentsOf(turns);
  const counted = segments.filter((segment) => segment.first !== segment.last || isOnly(segment));
  const step = Math.ceil(counted.length * 2 / work.maxProfiles);
  for (const [place, segment] of counted.entries()) {
    if (place % step > 0) work.left += profilesOf(segment);
  }
  const chosen = counted.filter((_, place) => place % step === 0);
  await addSegments(target, chosen, selection, work);
  const instances = turns.filter(({ place }) => place === "1").length;
  return {
    instances,
    resets: segments.length - instances,
    whole: chosen.filter(isOnly).length,
  };
}

/** The profiles of a selection that cover no stretch of time, as far as something begins or ends with them. */
export async function readTurns(sql: Sql, selection: ProfileSelection): Promise<Turn[]> {
  return await sql<Turn[]>`
    with points as (
      select *, totals[place] as total from (
        select *, ${placeOf(sql, selection.type)} as place from profiles
        where ${selected(sql, selection)} and not is_delta
      ) as placed
    ),
    steps as (
      select *, lag(total) over process as before, lead(total) over process as after,
        row_number() over process as place_of,
        count(*) over (partition by service, instance, environment, release) as count
      from points
      window process as (
        partition by service, instance, environment, release order by "timestamp", profile_id
      )
    )
    select ${mergeColumns(sql)}, instance, place_of as place, count,
      before is null or total < before as "isFirst", after is null or after < total as "isLast"
    from steps
    where before is null or total < before or after is null or after < total
    order by service, instance, environment, release, place_of
    limit ${MAX_TURNS}
  `;
}

function segmentsOf(turns: readonly Turn[]): Segment[] {
  return turns.flatMap((first, index) => {
    if (!first.isFirst) return [];
    const last = first.isLast ? first : turns[index + 1];
    return last === undefined ? [] : [{ first, last }];
  });
}

function profilesOf({ first, last }: Segment): number {
  return Number(last.place) - Number(first.place) + 1;
}

/** The one profile that there is of a process. */
function isOnly({ first, last }: Segment): boolean {
  return first === last && first.count === "1";
}

async function addSegments(
  target: StackBuilder,
  segments: readonly Segment[],
  selection: ProfileSelection,
  work: MergeWork,
): Promise<void> {
  const { objects } = work.stores;
  const read = ({ first, last }: Segment) =>
    Promise.all([
      readPprofBytes(objects, last),
      first === last ? null : readPprofBytes(objects, first),
    ]);
  for await (const [segment, [end, start]] of readAhead(segments, READ_WIDTH / 2, read)) {
    await work.breathe();
    const { first, last } = segment;
    const after = end === null || work.isOver(target) ? null : decodeStored(end);
    const before = start === null ? null : decodeStored(start);
    if (after === null || (before === null && first !== last)) {
      work.left += profilesOf(segment);
      continue;
    }
    const filter = sampleFilterOf(selection, last);
    const where = filter === null ? {} : { where: filter };
    target.add(after, where);
    if (before !== null) target.add(before, { ...where, weight: -1n });
    work.profiles += profilesOf(segment);
    work.durationNanos += nanosOf(last.timestamp.getTime() - first.timestamp.getTime());
  }
}
