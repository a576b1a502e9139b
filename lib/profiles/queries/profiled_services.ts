import { HOUR_MS } from "../../core/time.ts";
import { timesFiner } from "../../core/value_units.ts";
import type postgres from "postgres";
import type { ValueType } from "../../formats/pprof/profile.ts";
import { bestFirst, natureOf, readTypeId, typeId } from "../../formats/pprof/sample_types.ts";
import type { ProfileKind } from "../../records/mod.ts";
import type { Sql } from "../../store/database.ts";
import { findType } from "../trees/stacks.ts";
import { hourOf, profileParts } from "./profile_hours.ts";
import {
  placeOf,
  type ProfileQuery,
  type ProfileScope,
  type ProfileSelection,
  selected,
} from "./profile_query.ts";

/** What there is of one kind of profiles of a service. */
export interface ProfiledKind {
  readonly kind: ProfileKind;
  /** In the order of {@linkcode bestFirst}. */
  readonly types: readonly ValueType[];
  readonly profiles: number;
  readonly lastSeen: Date;
  /** As stored, compressed. */
  readonly bytes: number;
}

/** A service that sends profiles; its name may be `""`. */
export interface ProfiledService {
  readonly service: string;
  /** Of its newest profile. */
  readonly platform: string;
  /** Those of most profiles first. */
  readonly kinds: readonly ProfiledKind[];
}

interface KindRow {
  readonly service: string;
  readonly kind: ProfileKind;
  readonly platform: string;
  readonly types: readonly string[];
  /** Which of them have samples in any profile. */
  readonly filled: readonly boolean[];
  readonly profiles: string;
  readonly lastSeen: Date;
  readonly bytes: string;
}

/** The services of a project that sent profiles, by name, with what can be looked at of each. */
export async function readProfiledServices(
  sql: Sql,
  scope: ProfileScope,
): Promise<ProfiledService[]> {
  const parts = await sql<KindRow[]>`
    select service, kind, platform, types, max(profiles) as profiles, max("lastSeen") as "lastSeen",
      max(bytes) as bytes, array_agg(filled order by place) as filled
    from (
      select service, kind, platform, types, place, sum(profiles) as profiles,
        max(last_seen) as "lastSeen", sum(bytes) as bytes, sum(filled) > 0 as filled
      from (${profileParts(sql, { ...scope, kind: undefined, type: undefined })}) as parts
      group by service, kind, platform, types, place
    ) as places
    group by service, kind, platform, types
    having max(profiles) > 0
    order by service, max(profiles) desc, types
  `;
  return [...Map.groupBy(parts, ({ service }) => service)].map(([service, ofService]) => ({
    service,
    platform: newestOf(ofService).platform,
    kinds: [...Map.groupBy(ofService, ({ kind }) => kind)]
      .map(([kind, ofKind]) => kindOf(kind, ofKind))
      .sort((a, b) => b.profiles - a.profiles || (a.kind < b.kind ? -1 : 1)),
  }));
}

function kindOf(kind: ProfileKind, parts: readonly KindRow[]): ProfiledKind {
  const types = new Map<string, ValueType>();
  const filled = new Set<string>();
  for (const part of parts) {
    for (const [place, id] of part.types.entries()) {
      const type = readTypeId(id);
      if (type !== null) types.set(typeId(type), type);
      if (part.filled[place]) filled.add(id);
    }
  }
  return {
    kind,
    types: bestFirst([...types.values()], (type) => filled.has(typeId(type))),
    profiles: parts.reduce((sum, { profiles }) => sum + Number(profiles), 0),
    lastSeen: newestOf(parts).lastSeen,
    bytes: parts.reduce((sum, { bytes }) => sum + Number(bytes), 0),
  };
}

/** @param parts at least one */
function newestOf(parts: readonly KindRow[]): KindRow {
  return parts.reduce((newest, part) => part.lastSeen > newest.lastSeen ? part : newest);
}

/** A release in an environment, as profiles name them; either may be `""`. */
export interface ProfiledVersion {
  readonly release: string;
  readonly environment: string;
  /** When the first of its profiles within the time began. */
  readonly firstSeen: Date;
}

const MAX_VERSIONS = 500;

/** Releases and environments that sent profiles, those that began last first. */
export async function readProfiledVersions(
  sql: Sql,
  query: ProfileQuery,
): Promise<ProfiledVersion[]> {
  return await sql<ProfiledVersion[]>`
    select release, environment, min(first_seen) as "firstSeen"
    from (${profileParts(sql, query)}) as parts
    -- Of each profile one part is enough.
    where place = 1
      ${query.type === undefined ? sql`` : sql`and ${placeOf(sql, query.type)} is not null`}
    group by release, environment
    having sum(profiles) > 0
    order by min(first_seen) desc, release desc, environment
    limit ${MAX_VERSIONS}
  `;
}

/** Releases with the time of their first profile in milliseconds since 1970, in whatever environment. */
export function releaseStarts(versions: readonly ProfiledVersion[]): Map<string, number> {
  const starts = new Map<string, number>();
  for (const { release, firstSeen } of versions) {
    if (release === "") continue;
    starts.set(release, Math.min(starts.get(release) ?? Infinity, firstSeen.getTime()));
  }
  return starts;
}

/** Releases by the time of their first profile, the newest first. */
export function releasesByAge(versions: readonly ProfiledVersion[]): string[] {
  return [...releaseStarts(versions)].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? 1 : -1))
    .map(([name]) => name);
}

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

interface VolumeRow {
  readonly time: Date;
  readonly id: string;
  readonly profiles: string;
  readonly total: string;
}

/**
 * Where steps along a time are counted from: its start, or the beginning of its hour for steps of whole hours, by which
 * profiles are added up.
 */
export function firstStep({ start }: Pick<ProfileSelection, "start">, stepMs: number): Date {
  return stepMs % HOUR_MS === 0 ? hourOf(start) : start;
}

/**
 * How many profiles there are along the time, and the values of one type. Steps without profiles are left out.
 *
 * @param stepMs length of a step, which are counted from {@linkcode firstStep}
 */
export async function readVolume(
  sql: Sql,
  selection: ProfileSelection,
  stepMs: number,
): Promise<VolumePoint[]> {
  const { kind, type } = selection;
  const nature = natureOf(kind, type.type, false);
  const parts = nature === "cumulative" || stepMs % HOUR_MS !== 0
    ? await volumeOfProfiles(sql, selection, stepMs)
    : await volumeOfHours(sql, selection, stepMs);
  return [...Map.groupBy(parts, ({ time }) => time.getTime())].map(([time, ofStep]) => {
    const profiles = ofStep.reduce((sum, part) => sum + Number(part.profiles), 0);
    const total = ofStep.reduce((sum, part) => sum + scaled(part, type.unit), 0);
    return {
      time: new Date(time),
      profiles,
      total: nature === "snapshot" ? total / profiles : total,
    };
  });
}

async function volumeOfHours(
  sql: Sql,
  selection: ProfileSelection,
  stepMs: number,
): Promise<readonly VolumeRow[]> {
  return await sql<VolumeRow[]>`
    select date_bin(
        ${stepMs} * interval '1 millisecond', time, ${firstStep(selection, stepMs)}
      ) as time,
      types[place] as id, sum(profiles) as profiles, sum(total) as total
    from (${profileParts(sql, selection)}) as parts
    where place = ${placeOf(sql, selection.type)}
    group by 1, 2
    having sum(profiles) > 0
    order by 1
  `;
}

/** What grows within a process is told by its profiles only, one after the other. */
async function volumeOfProfiles(
  sql: Sql,
  selection: ProfileSelection,
  stepMs: number,
): Promise<readonly VolumeRow[]> {
  const { type } = selection;
  return await sql<VolumeRow[]>`
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
    select date_bin(
        ${stepMs} * interval '1 millisecond', "timestamp", ${firstStep(selection, stepMs)}
      ) as time, id,
      count(*) as profiles, coalesce(sum(value), 0) as total
    from found
    group by time, id
    order by time
  `;
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

function scaled({ id, total }: VolumeRow, unit: string): number {
  const own = readTypeId(id)?.unit ?? unit;
  const times = timesFiner(unit, own);
  return times === null
    ? Number(total) / Number(timesFiner(own, unit) ?? 1n)
    : Number(total) * Number(times);
}

/** What is looked at, and what the functions are of. */
interface ChosenValue extends Pick<ProfileSelection, "kind" | "type"> {
  /** Of the newest profile, as `go`. */
  readonly platform: string;
}

interface Newest {
  readonly kind: ProfileKind;
  readonly types: readonly string[];
  readonly totals: readonly string[];
  readonly platform: string;
}

/**
 * What is looked at when a request leaves out the kind or the type: those of the newest profile that fits the rest, of
 * its values the first of {@linkcode bestFirst}.
 *
 * @returns null when no profile fits
 */
export async function chooseValue(sql: Sql, query: ProfileQuery): Promise<ChosenValue | null> {
  const [newest] = await sql<Newest[]>`
    select kind, types, totals, platform from profiles where ${selected(sql, query)}
    order by "timestamp" desc, profile_id desc limit 1
  `;
  if (newest === undefined) return null;
  const { kind, platform } = newest;
  const types = newest.types.flatMap((id) => readTypeId(id) ?? []);
  const filled = new Set(newest.types.filter((_, place) => newest.totals[place] !== "0"));
  const [first] = bestFirst(types, (type) => filled.has(typeId(type)));
  const wanted = query.type === undefined ? first : types[findType(types, query.type)];
  const type = wanted ?? query.type;
  return type === undefined ? null : { kind, type, platform };
}
