import type { Sql } from "../store/database.ts";
import { ISSUE_STATUSES } from "./issue_status.ts";
import { LEVELS } from "../records/mod.ts";
import { tagValues } from "./tags.ts";

/** Keys that the search of issues knows beside the tags that were sent. */
export const SEARCH_KEYS: readonly string[] = [
  "is",
  "has",
  "level",
  "platform",
  "environment",
  "release",
  "firstRelease",
  "lastRelease",
  "firstSeen",
  "lastSeen",
  "timesSeen",
  "usersSeen",
  "user.id",
  "user.email",
  "user.username",
  "user.ip",
  "error.type",
  "error.value",
  "error.handled",
  "error.mechanism",
  "http.url",
];

/** Keys whose values are the same in every project. */
const FIXED_VALUES: Readonly<Record<string, readonly string[]>> = {
  is: [...ISSUE_STATUSES, "regressed", "unhandled", "handled"],
  "error.handled": ["true", "false"],
  level: LEVELS,
  firstseen: ["-1h", "-24h", "-7d"],
  lastseen: ["-1h", "-24h", "-7d"],
  timesseen: [">10", ">100", ">1000"],
  usersseen: [">10", ">100", ">1000"],
};

/** Releases by any name are values of the tag. */
const TAG_OF_KEY: Readonly<Record<string, string>> = {
  firstrelease: "release",
  lastrelease: "release",
  "error.mechanism": "mechanism",
  "http.url": "url",
};

/** Values that complete `key:prefix` in the search box; the most recently seen first where they are tags. */
export async function searchValues(
  sql: Sql,
  projectId: string,
  key: string,
  prefix: string,
): Promise<readonly string[]> {
  const name = key.toLowerCase();
  const fixed = Object.hasOwn(FIXED_VALUES, name) ? FIXED_VALUES[name] : undefined;
  if (fixed) return fixed.filter((value) => value.startsWith(prefix));
  const tag = Object.hasOwn(TAG_OF_KEY, name) ? TAG_OF_KEY[name] : undefined;
  return await tagValues(sql, projectId, tag ?? key, prefix);
}
