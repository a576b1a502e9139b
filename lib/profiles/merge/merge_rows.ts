import type postgres from "postgres";
import { Turns } from "../../core/waiting.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { countByHours } from "../queries/profile_hours.ts";
import { type ProfileRow, type ProfileSelection, selected } from "../queries/profile_query.ts";
import { decodeStored, readPprofBytes } from "../queries/stored_profiles.ts";
import type { SampleFilter } from "../trees/sample_filter.ts";
import type { StackBuilder } from "../trees/stack_builder.ts";

/** What a merge has to know of a profile. */
export interface MergeRow extends
  Pick<
    ProfileRow,
    | "profileId"
    | "timestamp"
    | "durationMs"
    | "service"
    | "environment"
    | "release"
    | "traceId"
    | "spanId"
    | "profilerId"
    | "isDelta"
    | "blobKey"
  > {
  /** As `cpu:nanoseconds`. */
  readonly types: readonly string[];
  /** Samples say whether their thread ran what the profile was taken for. */
  readonly tellsActive: boolean;
  /** Which samples are meant when none are chosen otherwise; all without. */
  readonly served?: readonly SampleFilter[];
}

/** `select` of a {@linkcode MergeRow}. */
export function mergeColumns(sql: Queryable): postgres.Fragment {
  return sql`
    replace(profile_id::text, '-', '') as "profileId", "timestamp", duration_ms as "durationMs",
    service, environment, release, replace(trace_id::text, '-', '') as "traceId",
    span_id as "spanId", replace(profiler_id::text, '-', '') as "profilerId",
    is_delta as "isDelta", blob_key as "blobKey", types,
    coalesce(labels -> 'active_thread' ? 'true', false) as "tellsActive"
  `;
}

/** Profiles to be merged. */
interface MergeRows {
  readonly rows: readonly MergeRow[];
  /** How many more there are. */
  readonly left: number;
}

/**
 * The profiles of a selection; of too many one in two, in four and so on, which are the same ones in the next hour.
 *
 * @param onlyDelta leave out what is counted since processes began
 * @param max how many rows at most, nearly
 */
export async function readMergeRows(
  sql: Queryable,
  selection: ProfileSelection,
  onlyDelta: boolean,
  max: number,
): Promise<MergeRows> {
  const where = sql`${selected(sql, selection)} ${onlyDelta ? sql`and is_delta` : sql``}`;
  const told = await countByHours(sql, selection, onlyDelta);
  if (told === null || told <= max) {
    const rows = await sql<MergeRow[]>`
      select ${mergeColumns(sql)} from profiles where ${where} limit ${max + 1}
    `;
    if (rows.length <= max) return { rows, left: 0 };
  }
  const count = told ?? await countRows(sql, where);
  const step = 2 ** Math.ceil(Math.log2(Math.max(count, max + 1) / max));
  const sampled = await sql<MergeRow[]>`
    select ${mergeColumns(sql)} from profiles where ${where} and ${oneIn(sql, step)}
  `;
  return { rows: sampled, left: Math.max(0, count - sampled.length) };
}

async function countRows(sql: Queryable, where: postgres.Fragment): Promise<number> {
  const [all] = await sql<{ count: string }[]>`
    select count(*) as count from profiles where ${where}
  `;
  return Number(all?.count ?? 0);
}

/** Of two bytes. */
const CHANCES = 65_536;
/** More are not looked up one by one in the index. */
const MOST_CHANCES = 1_024;

/** Chooses one profile in so many. Ids are random: their last bits choose evenly, whatever else profiles have in common. */
function oneIn(sql: Queryable, step: number): postgres.Fragment {
  const chance =
    sql`(get_byte(uuid_send(profile_id), 14) * 256 + get_byte(uuid_send(profile_id), 15))`;
  const values = Math.ceil(CHANCES / step);
  if (values > MOST_CHANCES) return sql`${chance} % ${step}::integer = 0`;
  return sql`${chance} = any (${Array.from({ length: values }, (_, at) => at * step)}::integer[])`;
}

/** Which samples of a profile a selection means; null for all. */
export function sampleFilterOf(
  { labels = [], traceId, spanId, threadId, clip, start, end }: ProfileSelection,
  row: Pick<MergeRow, "traceId" | "spanId">,
): SampleFilter | null {
  const filter: SampleFilter = {
    labels: labels.length > 0 ? labels : undefined,
    // What belongs to the trace or the span as a whole need not say so in its samples.
    traceId: row.traceId === traceId ? undefined : traceId,
    spanId: row.spanId === spanId ? undefined : spanId,
    threadId,
    ...clip ? { fromNanos: nanosOf(start.getTime()), untilNanos: nanosOf(end.getTime()) } : {},
  };
  return Object.values(filter).some((value) => value !== undefined) ? filter : null;
}

/** Milliseconds, fractions included, in nanoseconds. */
export function nanosOf(ms: number): bigint {
  return BigInt(Math.round(ms * 1_000)) * 1_000n;
}

/** Objects that are read at once. */
export const READ_WIDTH = 16;

/** A profile, or those of its samples that any of the filters lets through; these must not overlap. */
export interface MergePiece {
  readonly row: Pick<MergeRow, "blobKey" | "types">;
  /** Null: all of it. */
  readonly filters: readonly SampleFilter[] | null;
  /** Nanoseconds that these samples cover; null: as many as the profile. */
  readonly nanos: bigint | null;
}

/** Reads profiles and adds them to a tree. @returns whether all of them are in it */
export async function addPieces(
  target: StackBuilder,
  pieces: readonly MergePiece[],
  work: MergeWork,
): Promise<boolean> {
  const { objects } = work.stores;
  const before = work.profiles;
  const read = ({ row }: MergePiece) => readPprofBytes(objects, row);
  for await (const [{ filters, nanos }, bytes] of readAhead(pieces, READ_WIDTH, read)) {
    await work.breathe();
    if (work.isOver(target)) break;
    const profile = bytes === null ? null : decodeStored(bytes);
    if (profile === null) continue;
    for (const where of filters ?? [undefined]) {
      target.add(profile, where === undefined ? {} : { where });
    }
    work.profiles++;
    work.durationNanos += nanos ?? profile.durationNanos;
  }
  const missing = pieces.length - (work.profiles - before);
  work.left += missing;
  return missing === 0;
}

/** Where profiles are read from. */
export interface ProfileStores {
  readonly sql: Sql;
  readonly objects: Pick<ObjectStore, "get" | "put">;
}

/** How much one merge may do. */
export interface MergeLimits {
  /** Profiles in it; of more, an even share is taken. */
  readonly maxProfiles?: number | undefined;
  /** Milliseconds after which no more profiles are read. */
  readonly budgetMs?: number | undefined;
  /** Nodes of a tree, nearly; stacks end where there are more. */
  readonly maxNodes?: number | undefined;
}

const MAX_PROFILES = 5_000;
const BUDGET_MS = 20_000;

/** One merge at work: what it may use, and what came of it so far. */
export class MergeWork {
  readonly maxProfiles: number;
  readonly maxNodes: number | undefined;
  /** Profiles that are in it. */
  profiles = 0;
  /** What they cover, added up. */
  durationNanos = 0n;
  /** Profiles that are not: beyond the limits, gone or damaged. */
  left = 0;
  /** Stacks that are in it without their innermost frames. */
  cut = 0;
  readonly #deadline: number;
  readonly #turns = new Turns();

  constructor(
    readonly stores: ProfileStores,
    readonly stopping: AbortSignal | undefined,
    { maxProfiles = MAX_PROFILES, budgetMs = BUDGET_MS, maxNodes }: MergeLimits = {},
  ) {
    this.maxProfiles = maxProfiles;
    this.maxNodes = maxNodes;
    this.#deadline = performance.now() + budgetMs;
  }

  /** No more profiles should be added to a tree. */
  isOver({ isFull }: { readonly isFull: boolean }): boolean {
    return isFull || performance.now() > this.#deadline;
  }

  /**
   * Lets other requests have their turn, if this one had its own.
   *
   * @throws {DOMException} AbortError when nobody waits for the work any longer
   */
  async breathe(): Promise<void> {
    this.stopping?.throwIfAborted();
    await this.#turns.breathe();
    this.stopping?.throwIfAborted();
  }
}

/**
 * Reads things in their order while the next ones are on their way.
 *
 * @param width how many are read at once
 * @returns each with what was read; a failure is thrown when its turn comes
 */
export async function* readAhead<Item, Value>(
  items: readonly Item[],
  width: number,
  read: (item: Item) => Promise<Value>,
): AsyncGenerator<readonly [Item, Value]> {
  const waiting: Promise<Value>[] = [];
  let next = 0;
  for (const item of items) {
    for (; next < items.length && waiting.length < width; next++) {
      const value = read(items[next] as Item);
      // Nobody hears of those behind the first that fails, or that are not waited for any more.
      value.catch(() => {});
      waiting.push(value);
    }
    yield [item, await (waiting.shift() as Promise<Value>)];
  }
}
