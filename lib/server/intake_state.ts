import type { Health } from "./health.ts";
import type { SpoolState } from "../ingest/spool.ts";
import type { Services } from "./services.ts";
import { withTimeLimit } from "../core/time_limit.ts";

/** `ok`: stored at once · `spooling`: kept for later, Postgres is away · `refusing`: answered with 503. */
export type IntakeState = "ok" | "spooling" | "refusing";

const LIMIT_MS = 2_000;

/** The state of the spool, or null while the object store does not answer. */
export async function spoolState({ spool }: Pick<Services, "spool">): Promise<SpoolState | null> {
  try {
    return await withTimeLimit(spool.state(), LIMIT_MS);
  } catch {
    return null;
  }
}

/**
 * What becomes of requests now. Without the object store only attachments and profiles are lost.
 *
 * @param isDiskLow whether nothing is taken because the disk has no room
 */
export function intakeState(
  health: Health,
  spool: SpoolState | null,
  isDiskLow: boolean,
): IntakeState {
  if (isDiskLow) return "refusing";
  const isAway = (store: string) => !health.ok && health.failing.includes(store);
  if (isAway("kv")) return "refusing";
  if (!isAway("postgres")) return "ok";
  const isFull = spool === null || spool.waitingBytes >= spool.maxBytes;
  return isAway("objects") || isFull ? "refusing" : "spooling";
}
