/** When releases of a project began, for those whose versions do not tell which is newer. */
import { compareReleases, parseVersion } from "../../records/version.ts";
import { findRelease } from "../../releases/mod.ts";
import type { Queryable } from "../../store/database.ts";

/** `999.9.9` is no release of anybody: it says that a program was tampered with. */
export function isMadeUp(version: string): boolean {
  return /^99+$/.test(String(parseVersion(version)?.numbers[0] ?? ""));
}

/** When releases began; what is not there was never heard of, or is deleted. */
export type ReleaseTimes = ReadonlyMap<string, Date>;

/** @param versions of which the times are needed */
export async function releaseTimes(
  sql: Queryable,
  projectId: string,
  versions: readonly string[],
): Promise<ReleaseTimes> {
  const found = await Promise.all(versions.map((each) => findRelease(sql, projectId, each)));
  return new Map(
    found.flatMap((each) => each === null ? [] : [[each.version, each.createdAt] as const]),
  );
}

/** Whether only the times of two releases tell which is newer. */
export function needTimes(a: string, b: string): boolean {
  return a !== b && compareReleases(a, b) === null;
}
