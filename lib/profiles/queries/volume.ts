import type postgres from "postgres";
import { natureOf, readTypeId } from "../../formats/pprof/sample_types.ts";
import { timesFiner } from "../trees/value_units.ts";
import type { Sql } from "../../store/database.ts";
import type { ProfileSelection } from "./profile_types.ts";
import { placeOf, selected } from "./selected.ts";

/** Profiles that began within one step of time. */
export interface VolumePoint {
  /** Start of the step. */
  readonly time: Date;
  readonly profiles: number;
  /**
   * In the unit of the selection: the sum of all values; of what is counted since processes began, by how much it grew;
   * of snapshots the average.
   */
  readonly total: number;
}

interface Part {
  readonly time: Date;
  readonly id: string;
  readonly profiles: string;
  readonly total: string;
}

/**
 * How many profiles there are along the time, and the values of one type. Steps without profiles are left out.
 *
 * @param stepMs length of a step, which are counted from `start`
 */
export async function readVolume(
  sql: Sql,
  selection: ProfileSelection,
  stepMs: number,
): Promise<VolumePoint[]> {
  const { kind, type, start } = selection;
  const isSnapshot = natureOf(kind, type.type, false) === "snapshot";
  const parts = await sql<Part[]>`
    with found as (
      select "timestamp", id, ${valueColumn(sql, selection)} as value
      from (
        select *, types[place] as id, totals[place] as total
        from (
          select "timestamp", profile_id, service, instance, environment, release, is_delta, types,
            totals, ${placeOf(sql, type)} as place
          from profiles
          where ${selected(sql, { ...selection, type: undefined })}
          -- Else the place would be looked for once for each use of it.
          offset 0
        ) as placed
        where place is not null
      ) as valued
    )
    select date_bin(${stepMs} * interval '1 millisecond', "timestamp", ${start}) as time, id,
      count(*) as profiles, coalesce(sum(value), 0) as total
    from found
    group by time, id
    order by time
  `;
  return [...Map.groupBy(parts, ({ time }) => time.getTime())].map(([time, ofStep]) => {
    const profiles = ofStep.reduce((sum, part) => sum + Number(part.profiles), 0);
    const total = ofStep.reduce((sum, part) => sum + scaled(part, type.unit), 0);
    return { time: new Date(time), profiles, total: isSnapshot ? total / profiles : total };
  });
}

/** What one profile adds: its value, or by how much it is above that of the profile before of the same process. */
function valueColumn(sql: Sql, { kind, type }: ProfileSelection): postgres.Fragment {
  if (natureOf(kind, type.type, false) !== "cumulative") return sql`total`;
  return sql`
    case when is_delta then total else greatest(0, total - lag(total) over (
      partition by is_delta, service, instance, environment, release order by "timestamp", profile_id
    )) end
  `;
}

function scaled({ id, total }: Part, unit: string): number {
  const own = readTypeId(id)?.unit ?? unit;
  const times = timesFiner(unit, own);
  return times === null
    ? Number(total) / Number(timesFiner(own, unit) ?? 1n)
    : Number(total) * Number(times);
}
