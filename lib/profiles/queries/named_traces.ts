import type { Queryable } from "../../store/database.ts";
import type { ProfileRow } from "./profile_types.ts";

/** A trace that samples of a profile name. */
export interface NamedTrace {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits; null when samples name none, or several. */
  readonly spanId: string | null;
}

export interface NamedTraces {
  /** Those of the largest values first. */
  readonly traces: readonly NamedTrace[];
  /** Of all, also those that were left out. */
  readonly count: number;
}

/**
 * The traces that samples of profiles name, by the id of the profile; profiles without any are not in it.
 *
 * @param limit how many of each profile are told
 */
export async function readNamedTraces(
  sql: Queryable,
  projectId: string,
  profiles: readonly Pick<ProfileRow, "profileId" | "timestamp">[],
  limit: number,
): Promise<ReadonlyMap<string, NamedTraces>> {
  if (profiles.length === 0) return new Map();
  const times = profiles.map(({ timestamp }) => timestamp.toISOString());
  const rows = await sql<(NamedTrace & { profileId: string; count: number })[]>`
    select "profileId", replace(trace_id::text, '-', '') as "traceId", "spanId", count
    from (
      select wanted as "profileId", trace_id,
        case when count(*) = 1 then nullif(max(span_id), '') end as "spanId",
        count(*) over (partition by wanted)::integer as count,
        row_number() over (
          partition by wanted order by sum(totals[array_upper(totals, 1)]) desc nulls last, trace_id
        ) as place
      from unnest(
        ${profiles.map(({ profileId }) => profileId)}::text[],
        ${times}::text[]::timestamptz[]
      ) as profile (wanted, began)
      -- The index is one of times. Given as a list, it is taken even where many profiles begin at the same moment.
      join profile_traces on project_id = ${projectId}
        and "timestamp" = any (${times}::text[]::timestamptz[]) and "timestamp" = began
        and profile_id = wanted::uuid
      group by wanted, trace_id
    ) as named
    where place <= ${limit}
    order by "profileId", place
  `;
  const found = new Map<string, { traces: NamedTrace[]; count: number }>();
  for (const { profileId, traceId, spanId, count } of rows) {
    const entry = found.get(profileId) ?? { traces: [], count };
    entry.traces.push({ traceId, spanId });
    found.set(profileId, entry);
  }
  return found;
}
