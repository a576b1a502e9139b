import type { ProfileSelection } from "../queries/profile_types.ts";
import { readVolume, type VolumePoint } from "../queries/volume.ts";
import type { Sql } from "../../store/database.ts";
import { stepOf } from "../../store/stats/steps.ts";

/** How many profiles there are along the time, and what they add up to. */
export interface Volume {
  readonly stepMs: number;
  /** Starts of the steps, in milliseconds since 1970. */
  readonly times: readonly number[];
  readonly profiles: readonly number[];
  /** In the unit of the selection; null where there is no profile. */
  readonly totals: readonly (number | null)[];
  /** Of all steps. */
  readonly count: number;
}

/** Reads how much there is of a selection along its time. */
export async function loadVolume(
  sql: Sql,
  selection: ProfileSelection,
  now: Date,
): Promise<Volume> {
  const stepMs = stepOf(selection, now);
  return alongSteps(await readVolume(sql, selection, stepMs), selection, stepMs, now);
}

/** Puts points in their places along an interval; steps are counted from its start. */
export function alongSteps(
  points: readonly VolumePoint[],
  { start, end }: Pick<ProfileSelection, "start" | "end">,
  stepMs: number,
  now: Date,
): Volume {
  const byTime = new Map(points.map((point) => [point.time.getTime(), point]));
  const last = points.at(-1)?.time.getTime() ?? start.getTime();
  const until = Math.min(end.getTime(), Math.max(now.getTime(), last + 1));
  const count = Math.max(1, Math.ceil((until - start.getTime()) / stepMs));
  const times = Array.from({ length: count }, (_, place) => start.getTime() + place * stepMs);
  return {
    stepMs,
    times,
    profiles: times.map((time) => byTime.get(time)?.profiles ?? 0),
    totals: times.map((time) => byTime.get(time)?.total ?? null),
    count: points.reduce((sum, { profiles }) => sum + profiles, 0),
  };
}
