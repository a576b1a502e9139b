import type { Sql } from "../../store/database.ts";
import type { ProfileQuery } from "./profile_types.ts";
import { selected } from "./selected.ts";

/** A release in an environment, as profiles name them; either may be `""`. */
export interface ProfiledVersion {
  readonly release: string;
  readonly environment: string;
  readonly profiles: number;
  /** When the first of its profiles within the time began. */
  readonly firstSeen: Date;
}

const MAX_VERSIONS = 500;

/** Releases and environments that sent profiles, those that began last first. */
export async function readProfiledVersions(
  sql: Sql,
  query: ProfileQuery,
): Promise<ProfiledVersion[]> {
  const rows = await sql<(Omit<ProfiledVersion, "profiles"> & { profiles: string })[]>`
    select release, environment, count(*) as profiles, min("timestamp") as "firstSeen"
    from profiles
    where ${selected(sql, query)}
    group by release, environment
    order by min("timestamp") desc, release desc, environment
    limit ${MAX_VERSIONS}
  `;
  return rows.map((row) => ({ ...row, profiles: Number(row.profiles) }));
}

/** Releases by the time of their first profile, the newest first. */
export function releasesByAge(versions: readonly ProfiledVersion[]): string[] {
  const firsts = new Map<string, number>();
  for (const { release, firstSeen } of versions) {
    if (release === "") continue;
    firsts.set(release, Math.min(firsts.get(release) ?? Infinity, firstSeen.getTime()));
  }
  return [...firsts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? 1 : -1)).map(([name]) => name);
}
