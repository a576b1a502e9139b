/** Functions that take a larger share than they did in the release before. */
import type { ValueType } from "../../formats/pprof/profile.ts";
import { callTree } from "../trees/call_tree.ts";
import type { CallTree, Frame } from "../trees/stacks.ts";
import { type FunctionTotals, topFunctions } from "../trees/top_functions.ts";
import { type MergeServices, sharedMerge } from "../selection.ts";
import type { Merged } from "./merge.ts";
import type { Sql } from "../../store/database.ts";
import { profileParts } from "../queries/profile_hours.ts";
import { placeOf, type ProfileSelection } from "../queries/profile_query.ts";

/** A function in the newest release and in the one before. Shares are 0 to 1, of the release's total. */
export interface SlowerFunction {
  readonly frame: Frame;
  readonly selfShare: number;
  readonly baseSelfShare: number;
  /** With what it calls. */
  readonly totalShare: number;
  readonly baseTotalShare: number;
  /** Samples that it is in; null when the profiles do not count samples. */
  readonly samples: number | null;
}

/** What a release did to the functions of a service. */
export interface Regressions {
  readonly release: string;
  readonly base: string;
  /** Profiles that were compared. */
  readonly profiles: number;
  readonly baseProfiles: number;
  /** Those that grew most first. */
  readonly functions: readonly SlowerFunction[];
}

const LEAST_PROFILES = 3;
/** By how much of the whole a share has to grow: one percentage point. */
const LEAST_GROWTH = 0.01;
const MAX_FUNCTIONS = 20;
/** Standard deviations by which a share must have grown: chance does that to one function in a thousand. */
const LEAST_DEVIATIONS = 3;
const COUNTS = new Set(["samples", "sample"]);

/**
 * Compares the newest release in a selection with the one that began before it.
 *
 * @returns null when there are no two releases with three profiles each
 * @throws as {@linkcode sharedMerge}
 */
export async function readRegressions(
  services: MergeServices,
  selection: ProfileSelection,
): Promise<Regressions | null> {
  const [release, base] = await newestReleases(services.sql, selection);
  if (release === undefined || base === undefined) return null;
  // One after the other: two at once would take the same time, and twice the memory.
  const now = await sharedMerge(services, { ...selection, releases: [release] });
  const before = await sharedMerge(services, { ...selection, releases: [base] });
  return {
    release,
    base,
    profiles: now.profiles,
    baseProfiles: before.profiles,
    functions: slowerFunctions(
      sharesOf(now, selection.type),
      sharesOf(before, selection.type),
    ).slice(0, MAX_FUNCTIONS),
  };
}

async function newestReleases(sql: Sql, selection: ProfileSelection): Promise<string[]> {
  const rows = await sql<{ release: string }[]>`
    select release from (${profileParts(sql, selection)}) as parts
    where place = ${placeOf(sql, selection.type)} and release <> ''
    group by release
    having sum(profiles) >= ${LEAST_PROFILES}
    order by min(first_seen) desc, release desc
    limit 2
  `;
  return rows.map(({ release }) => release);
}

interface Share {
  readonly frame: Frame;
  readonly self: number;
  readonly total: number;
  readonly selfSamples: number;
  readonly samples: number;
}

interface Shares {
  readonly byFunction: ReadonlyMap<string, Share>;
  /** Of all functions together; null when nothing counts samples. */
  readonly samples: number | null;
}

function sharesOf({ stacks, average }: Merged, type: ValueType): Shares {
  const tree = callTree(stacks, type, average);
  const counted = stacks.types.find((other) => COUNTS.has(other.type) && other.unit === "count");
  const counts = counted === undefined ? null : callTree(stacks, counted);
  const samples = new Map(
    (counts === null ? [] : topFunctions(counts)).map((each) => [keyOf(each), each]),
  );
  const whole = wholeOf(tree);
  const byFunction = new Map(
    topFunctions(tree).map((each): [string, Share] => [keyOf(each), {
      frame: each.frame,
      self: Number(each.self) / whole,
      total: Number(each.total) / whole,
      selfSamples: Number(samples.get(keyOf(each))?.self ?? 0n),
      samples: Number(samples.get(keyOf(each))?.total ?? 0n),
    }]),
  );
  return { byFunction, samples: counts === null ? null : wholeOf(counts) };
}

function wholeOf({ totals }: CallTree): number {
  return Math.max(1, Number(totals[0] ?? 0n));
}

/** Not by line: that is what changes from release to release. */
function keyOf({ frame: { name, file, module } }: FunctionTotals): string {
  return JSON.stringify([name, file, module]);
}

function slowerFunctions(now: Shares, before: Shares): SlowerFunction[] {
  const isCounted = now.samples !== null && before.samples !== null;
  const isClear = (samples: number, baseSamples: number) =>
    !isCounted || deviations(samples, now.samples ?? 0, baseSamples, before.samples ?? 0) >=
      LEAST_DEVIATIONS;
  const found = [...now.byFunction].flatMap(([key, share]): SlowerFunction[] => {
    const base = before.byFunction.get(key) ?? NOTHING;
    const isSelfGrown = share.self - base.self >= LEAST_GROWTH &&
      isClear(share.selfSamples, base.selfSamples);
    const isTotalGrown = share.total - base.total >= LEAST_GROWTH &&
      isClear(share.samples, base.samples);
    if (!isSelfGrown && !isTotalGrown) return [];
    return [{
      frame: share.frame,
      selfShare: share.self,
      baseSelfShare: base.self,
      totalShare: share.total,
      baseTotalShare: base.total,
      samples: isCounted ? share.samples : null,
    }];
  });
  return found.sort((a, b) => growthOf(b) - growthOf(a));
}

const NOTHING = { self: 0, total: 0, selfSamples: 0, samples: 0 };

/** How many standard deviations lie between two shares, of so many samples each, if chance drew them. */
function deviations(part: number, whole: number, basePart: number, baseWhole: number): number {
  if (whole === 0 || baseWhole === 0) return 0;
  const pooled = (part + basePart) / (whole + baseWhole);
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / whole + 1 / baseWhole));
  // Nothing varies where every sample has the function: then it is what each sample weighs that differs.
  return deviation === 0 ? Infinity : (part / whole - basePart / baseWhole) / deviation;
}

function growthOf(
  { selfShare, baseSelfShare, totalShare, baseTotalShare }: SlowerFunction,
): number {
  return Math.max(selfShare - baseSelfShare, totalShare - baseTotalShare);
}
