import type { Refusals } from "../usage/mod.ts";
import type { RateLimiter } from "../accounts/rates.ts";
import type { DiskSpace } from "../core/disk_space.ts";
import type { SeriesLimits } from "../metrics/series_limits.ts";
import type { Backend } from "../store/stores.ts";
import type { FamilyStore } from "./family_store.ts";
import type { Spool } from "./spool.ts";
import type { Writer } from "./writer/writer.ts";

/** What the pipeline works with. */
export interface IngestServices extends Backend {
  readonly writer: Writer;
  /** How many series of metrics projects have. */
  readonly seriesLimits: SeriesLimits;
  /** What remote write was told of metrics. */
  readonly families: FamilyStore;
  readonly rates: RateLimiter;
  /** Refused requests, for whoever wonders why nothing arrives. */
  readonly refusals: Refusals;
  readonly spool: Spool;
  /** Room for the embedded stores. */
  readonly disk: DiskSpace;
}
