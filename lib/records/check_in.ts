import type { Origin } from "./origin.ts";

/** A cron job reports itself. */
export interface CheckIn extends Origin {
  readonly kind: "check_in";
  /** 32 lower-case hex digits; null: the newest open one of the monitor, else a new one. */
  readonly checkInId: string | null;
  readonly monitorSlug: string;
  readonly status: "in_progress" | "ok" | "error" | "unknown";
  readonly durationSec: number | null;
  readonly traceId: string | null;
  /** Schedule and margins as the client sent them, as JSON text; or null. */
  readonly monitorConfig: string | null;
}
