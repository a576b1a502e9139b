import type { StatsAt } from "../../store/stats/read_stats.ts";

/** A stretch of time in which a vital was large for one kind of client. */
export interface SlowMoment {
  /** Start, in milliseconds since 1970. */
  readonly time: number;
  readonly browser: string;
  readonly device: string;
  readonly p75: number;
  /** Visits. */
  readonly count: number;
  /** One of them, 32 hex digits. */
  readonly traceId: string;
}

const MAX_MOMENTS = 10;

/** The stretches with the largest 75th percentile of which a trace is known. */
export function slowMoments(
  points: readonly (StatsAt & { readonly group: { browser: string; device: string } })[],
): SlowMoment[] {
  return points
    .flatMap(({ time, group, stats: { sketch, count, traceId } }): SlowMoment[] => {
      const p75 = sketch.quantile(0.75);
      return p75 === null || traceId === null ? [] : [{ time, ...group, p75, count, traceId }];
    })
    .sort((a, b) => b.p75 - a.p75)
    .slice(0, MAX_MOMENTS);
}
