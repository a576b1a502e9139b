import type { Origin, TracePlace } from "./origin.ts";

/** One observation of a metric. */
export interface MetricPoint extends Origin, TracePlace {
  readonly kind: "metric";
  /** 32 lower-case hex digits, the same again for the same request. */
  readonly pointId: string;
  readonly name: string;
  readonly type: "counter" | "gauge" | "distribution";
  readonly unit: string;
  readonly value: number;
  /** Free-form attributes as JSON text of one object of scalars and lists. */
  readonly attributes: string;
}
