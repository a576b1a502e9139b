import type { Services } from "../server/services.ts";
import type { Sql } from "../store/database.ts";
import { type TooLarge, tooLargeSince } from "./outcomes.ts";
import { withTimeLimit } from "../core/time_limit.ts";

const HOUR_MS = 60 * 60_000;
/** Every page asks, and nobody needs to know sooner. */
const KEPT_MS = 15_000;
/** A frame is shown without it rather than late. */
const LIMIT_MS = 1_000;
/** Lists of projects that are remembered at once. */
const MAX_KEPT = 1_000;

interface Kept {
  readonly at: number;
  readonly found: Promise<readonly TooLarge[]>;
}

const kept = new WeakMap<Sql, Map<string, Kept>>();

/** What some projects lost lately since their requests were too large: in this hour (UTC) and the one before. Never throws. */
export async function loadTooLarge(
  { sql, log }: Pick<Services, "sql" | "log">,
  projectIds: readonly string[],
  now = Date.now(),
): Promise<readonly TooLarge[]> {
  if (projectIds.length === 0) return [];
  const answers = kept.get(sql) ?? new Map<string, Kept>();
  kept.set(sql, answers);
  const key = projectIds.join(" ");
  let answer = answers.get(key);
  if (answer === undefined || now - answer.at >= KEPT_MS) {
    if (answers.size >= MAX_KEPT) answers.clear();
    answer = { at: now, found: tooLargeSince(sql, projectIds, hourBefore(now)) };
    answers.set(key, answer);
  }
  try {
    return await withTimeLimit(answer.found, LIMIT_MS);
  } catch (error) {
    log.warn("cannot tell what was refused as too large", { error });
    return [];
  }
}

function hourBefore(now: number): Date {
  return new Date(Math.floor((now - HOUR_MS) / HOUR_MS) * HOUR_MS);
}
