import type { Sql } from "../../store/database.ts";
import { inScope, type QueryScope } from "../../store/scope_filter.ts";
import { withinTime } from "../../store/statement_timeout.ts";
import { storable } from "../../core/storable.ts";

export interface VitalSelection extends QueryScope {
  readonly projectId: string;
  readonly services: readonly string[];
  /** Name of the page. */
  readonly name: string;
  /** As `lcp`. */
  readonly vital: string;
  /** Excluded, as buckets of counts have it, but for 0; milliseconds, or a score. */
  readonly min: number;
  /** Included; null: no limit. */
  readonly max: number | null;
}

/** One visit of a page on which a vital was measured. */
export interface VitalSample {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly startedAt: Date;
  /** Milliseconds, or a score. */
  readonly value: number;
  readonly environment: string;
  readonly release: string;
  readonly user: string | null;
}

/** What is more was measured in tabs that nobody looked at, and is in no count. */
const MAX_VALUE = 60_000;
/** All visits of the busiest page are read at worst. */
const STATEMENT_TIMEOUT_MS = 8_000;

/**
 * The visits of a page with the largest values of a vital. Only those that were measured by the page's own
 * transaction: what SDKs send as spans of their own is in the counts alone.
 *
 * @throws {QueryTooSlow} when there are more visits than can be read in time
 */
export async function listVitalSamples(
  sql: Sql,
  selection: VitalSelection,
  limit: number,
): Promise<VitalSample[]> {
  const { projectId, name, vital, start, end, services, min, max } = selection;
  return await withinTime(sql, STATEMENT_TIMEOUT_MS, async (tx) =>
    await tx<VitalSample[]>`
      select
        replace(trace_id::text, '-', '') as "traceId", span_id as "spanId", started_at as "startedAt",
        value, environment, release, user_key as "user"
      from transactions,
        lateral (select (measurements->${
      storable(vital)
    }->>'value')::double precision as value) as measured
      where project_id = ${projectId} and name = ${storable(name)}
        and "timestamp" >= ${start} and "timestamp" < ${end}
        ${inScope(tx, selection)}
        ${services.length === 0 ? tx`` : tx`and service = any (${services.map(storable)}::text[])`}
        and value ${min > 0 ? tx`>` : tx`>=`} ${min}
        and value <= ${Math.min(max ?? MAX_VALUE, MAX_VALUE)}
      order by value desc, "timestamp" desc
      limit ${limit}
    `);
}
