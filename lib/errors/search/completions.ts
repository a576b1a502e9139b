/** What completes a search of issues while it is typed: its keys, and the values behind them. */
import { listAssignees } from "../../accounts/assignees.ts";
import { LEVELS } from "../../records/mod.ts";
import type { Stores } from "../../store/stores.ts";
import { tagValues } from "../tags.ts";
import { PRIORITIES } from "../workflow/state.ts";
import { IS_WORDS } from "./team_keys.ts";

/** Keys that the search of issues knows beside the tags that were sent. */
export const SEARCH_KEYS: readonly string[] = [
  "is",
  "has",
  "assigned",
  "assigned_or_suggested",
  "bookmarks",
  "subscribed",
  "issue",
  "issue.priority",
  "level",
  "platform",
  "environment",
  "release",
  "release.version",
  "release.package",
  "release.build",
  "release.stage",
  "firstRelease",
  "lastRelease",
  "regressed_in_release",
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
  "stack.function",
  "stack.filename",
  "stack.module",
  "http.url",
];

const TIMES = ["-1h", "-24h", "-7d"];
const NUMBERS = [">10", ">100", ">1000"];

/** Keys whose values are the same in every project. */
const FIXED_VALUES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["is", IS_WORDS],
  ["issue.priority", PRIORITIES],
  ["error.handled", ["true", "false"]],
  ["level", LEVELS],
  ["release.stage", ["adopted", "low_adoption", "replaced"]],
  ["firstseen", TIMES],
  ["age", TIMES],
  ["lastseen", TIMES],
  ["timesseen", NUMBERS],
  ["usersseen", NUMBERS],
]);

/** Releases by any name are values of the tag. */
const TAG_OF_KEY: ReadonlyMap<string, string> = new Map([
  ["firstrelease", "release"],
  ["first-release", "release"],
  ["first_release", "release"],
  ["lastrelease", "release"],
  ["regressed_in_release", "release"],
  ["error.mechanism", "mechanism"],
  ["http.url", "url"],
]);

/** Keys whose values are people or teams, and those whose values are people. */
const ASSIGNEE_KEYS = new Set(["assigned", "assigned_to", "assigned_or_suggested"]);
const PERSON_KEYS = new Set(["bookmarks", "bookmarked_by", "subscribed", "subscribed_by"]);

const MAX_PEOPLE = 20;

/** Values that complete `key:prefix` in the search box; the most recently seen first where they are tags. */
export async function searchValues(
  { kv, sql }: Pick<Stores, "kv" | "sql">,
  project: { readonly id: string; readonly organizationId: string },
  key: string,
  prefix: string,
): Promise<readonly string[]> {
  const name = key.toLowerCase();
  const withTeams = ASSIGNEE_KEYS.has(name);
  if (withTeams || PERSON_KEYS.has(name)) {
    return await namesOf(kv, project, prefix.toLowerCase(), withTeams);
  }
  const fixed = FIXED_VALUES.get(name);
  if (fixed !== undefined) return fixed.filter((value) => value.startsWith(prefix));
  const tag = TAG_OF_KEY.get(name);
  const values = await tagValues(sql, project.id, tag ?? key, prefix);
  const isRelease = tag === "release" || name === "release";
  return isRelease && "latest".startsWith(prefix) ? ["latest", ...values] : values;
}

/** The words for oneself, members by their addresses, and teams; found by their names as well. */
async function namesOf(
  kv: Deno.Kv,
  project: { readonly id: string; readonly organizationId: string },
  prefix: string,
  withTeams: boolean,
): Promise<string[]> {
  const words = withTeams ? ["me", "my_teams", "none"] : ["me"];
  const bare = prefix.replace(/^#/, "");
  const found = (await listAssignees(kv, project)).flatMap((each) => {
    if (each.kind === "team") {
      return withTeams && each.slug.startsWith(bare) ? [`#${each.slug}`] : [];
    }
    const texts = [each.email, each.name.toLowerCase()];
    return texts.some((text) => text.startsWith(prefix)) ? [each.email] : [];
  });
  return [...words.filter((word) => word.startsWith(prefix)), ...found].slice(0, MAX_PEOPLE);
}
