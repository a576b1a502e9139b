import type { Ingest } from "../control/ingest_lookup.ts";
import type { RateLimiter } from "../control/rates.ts";
import { Refusal } from "./refusal.ts";

export interface AdmissionLimits {
  /** Requests a second of one project; twice that in a burst. */
  readonly ratePerSec: number;
  /** Requests a calendar month of the organization; 0 is unlimited. */
  readonly monthlyQuota: number;
}

/**
 * Spends one permit of the project's rate and one of its organization's month.
 *
 * @throws {Refusal} 429 when there is none left
 */
export async function admit(
  { project }: Ingest,
  { ratePerSec, monthlyQuota }: AdmissionLimits,
  rates: RateLimiter,
): Promise<void> {
  const rate = await rates.take(project.id, ratePerSec);
  if (!rate.ok) throw overRate(project.id, rate.retryAfterSec);
  const quota = await rates.takeMonthly(project.organizationId, monthlyQuota, 1);
  if (!quota.ok) throw overQuota(project.id, quota.retryAfterSec);
}

function overRate(projectId: string, retryAfterSec: number): Refusal {
  return new Refusal(
    429,
    "This project sends more requests a second than it may",
    { kind: "rate_limited", reason: "project_rate", projectId },
    limitHeaders(retryAfterSec, "project", "rate_limit"),
  );
}

function overQuota(projectId: string, retryAfterSec: number): Refusal {
  return new Refusal(
    429,
    "This organization has used up its quota for the month",
    { kind: "over_quota", reason: "monthly_quota", projectId },
    limitHeaders(retryAfterSec, "organization", "monthly_quota"),
  );
}

/**
 * Tells SDKs to keep quiet for so many whole seconds, in the two headers that they read. The categories are left empty, which means
 * all of them, since the limit is on requests. No blanks: PHP's SDK would not understand the number.
 */
function limitHeaders(
  retryAfterSec: number,
  scope: "project" | "organization",
  reason: string,
): Record<string, string> {
  return {
    "retry-after": String(retryAfterSec),
    "x-sentry-rate-limits": `${retryAfterSec}::${scope}:${reason}`,
  };
}
