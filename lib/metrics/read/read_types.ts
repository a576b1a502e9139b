import type { Logger } from "../../core/log.ts";
import type { Sql } from "../../store/database.ts";
import type { MetricKind } from "../../records/metric_batch.ts";
import type { Deadline } from "../deadline.ts";
import type { Counted } from "../increases.ts";
import type { RawSeries, SeriesSteps } from "../points.ts";

export interface ReadServices {
  readonly sql: Sql;
  /** Told of blocks that cannot be read. */
  readonly log: Logger;
  /** When reading ends unfinished; absent: never. */
  readonly deadline?: Deadline;
}

/** Which points of a metric are read. */
export interface PointRequest {
  readonly metricId: string;
  readonly kind: MetricKind;
  /** Null: all of the metric's. */
  readonly seriesIds: readonly string[] | null;
  /** Milliseconds since 1970. Gauges: from `start` on, before `end`. Others: after `start`, up to `end`. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Points added up by step; steps begin at `startMs`, and at whole multiples of their length from there. */
export interface StepRequest extends PointRequest {
  readonly stepMs: number;
  /** How often the metric's points come, in milliseconds; 0: unknown. */
  readonly usualIntervalMs: number;
  /** What the metric is called; absent: nobody knows. */
  readonly counted?: Counted;
}

/** What was read, by ascending series id; series without points are absent. */
export interface PointRead<S> {
  readonly series: readonly S[];
  /** Blocks that could not be read: they are logged and left out. */
  readonly damaged: number;
}

/** `readSteps(services, projectId, request)` of `steps.ts`: from rollups where they are, else from raw points. */
export type ReadSteps = (
  services: ReadServices,
  projectId: string,
  request: StepRequest,
) => Promise<PointRead<SeriesSteps>>;

/** `readRaw(services, projectId, request)` of `raw.ts`: points as written, merged and without repeats. */
export type ReadRaw = (
  services: ReadServices,
  projectId: string,
  request: PointRequest,
) => Promise<PointRead<RawSeries>>;
