/** Conditions that only a look at the project's releases and people can tell, turned into plain ones. */
import { compareParsed, parseVersion, type Version } from "../../records/version.ts";
import { DAY_MS } from "../../core/time.ts";
import type { Queryable } from "../../store/database.ts";
import {
  type Comparison,
  type IssueFilter,
  type IssueNode,
  mapTerms,
  type Match,
  NO_ISSUE,
  termsOf,
  type VersionTerm,
} from "./terms.ts";
import { type Searcher, settlePeople } from "./people.ts";
import { comparable } from "./version_keys.ts";

/** A release of a project, and when it was heard of first. */
interface KnownRelease {
  readonly release: string;
  readonly firstSeen: Date;
}

/**
 * The same search without questions about versions of releases and about people: each becomes the names of the releases
 * that fit, and ids of people and teams. A search without any is returned as it is, and nothing is asked.
 *
 * @param searcher who searches; without one, what is asked about people finds nothing
 */
export async function settle(
  sql: Queryable,
  projectId: string,
  asked: IssueFilter,
  searcher: Searcher | undefined,
): Promise<IssueFilter> {
  const filter = searcher === undefined ? asked : await settlePeople(searcher, projectId, asked);
  const questions = [...termsOf(filter)].filter((term) => term.kind === "version");
  if (questions.length === 0) return filter;
  const asksStage = questions.some(({ part }) => part === "stage");
  const [releases, stages] = await Promise.all([
    knownReleases(sql, projectId),
    asksStage ? stagesOf(sql, projectId) : new Map<string, string>(),
  ]);
  return mapTerms(filter, (term) => term.kind === "version" ? named(term, releases, stages) : term);
}

function named(
  term: VersionTerm,
  releases: readonly KnownRelease[],
  stages: ReadonlyMap<string, string>,
): IssueNode {
  if (term.part === "latest") {
    const latest = latestOf(releases);
    if (latest === null) return NO_ISSUE;
    if (term.of === "regressed_in") return { kind: "regressed_in", match: [[latest]] };
    return term.of === "release"
      ? tagged([latest])
      : { kind: "release", column: term.of, match: [[latest]] };
  }
  const fits = fitting(term);
  return tagged(
    releases.map(({ release }) => release).filter((release) =>
      term.part === "stage"
        ? stages.get(release) === term.stage
        : fits(release, parseVersion(release))
    ),
  );
}

function tagged(releases: readonly string[]): IssueNode {
  if (releases.length === 0) return NO_ISSUE;
  return { kind: "tag", key: "release", match: releases.map((release) => [release]) };
}

function fitting(
  term: Exclude<VersionTerm, { part: "latest" }>,
): (release: string, version: Version | null) => boolean {
  switch (term.part) {
    case "package":
      return (_, version) => version !== null && isAnyOf(term.match, version.package ?? "");
    case "build":
      return (_, version) => version !== null && isAnyOf(term.match, version.build);
    case "version_text":
      return (release, version) =>
        version !== null && isAnyOf(term.match, release.slice(release.lastIndexOf("@") + 1));
    case "version": {
      const wanted = parseVersion(comparable(term.version));
      return (_, version) =>
        version !== null && wanted !== null &&
        (wanted.package === null || wanted.package === version.package) &&
        holds(term.operator, compareParsed(version, wanted));
    }
    case "stage":
      return () => false;
  }
}

function holds(operator: Comparison, difference: number): boolean {
  switch (operator) {
    case ">":
      return difference > 0;
    case ">=":
      return difference >= 0;
    case "<":
      return difference < 0;
    case "<=":
      return difference <= 0;
    case "=":
      return difference === 0;
    case "!=":
      return difference !== 0;
  }
}

function isAnyOf(match: Match, text: string): boolean {
  return match.some((pattern) =>
    pattern.length === 1 ? pattern[0] === text : fitsPattern(pattern, text.toLowerCase())
  );
}

/** Without a regular expression: what people type must not be able to make one that never ends. */
function fitsPattern(pattern: readonly string[], text: string): boolean {
  const parts = pattern.map((part) => part.toLowerCase());
  const [first = "", last = ""] = [parts.at(0), parts.at(-1)];
  if (text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** The newest: by version among those that have one, else by when they were heard of first. */
function latestOf(releases: readonly KnownRelease[]): string | null {
  let latest: (KnownRelease & { version: Version | null }) | null = null;
  for (const each of releases) {
    const candidate = { ...each, version: parseVersion(each.release) };
    if (latest === null || isNewer(candidate, latest)) latest = candidate;
  }
  return latest?.release ?? null;
}

function isNewer(
  a: KnownRelease & { version: Version | null },
  b: KnownRelease & { version: Version | null },
): boolean {
  if (a.version !== null && b.version !== null) {
    const difference = compareParsed(a.version, b.version);
    if (difference !== 0) return difference > 0;
  }
  return a.firstSeen > b.firstSeen;
}

/** The releases that errors of a project came from. */
async function knownReleases(sql: Queryable, projectId: string): Promise<KnownRelease[]> {
  return await sql<KnownRelease[]>`
    select release, min(hour) as "firstSeen" from project_hours
    where project_id = ${projectId} and release <> ''
    group by release
  `;
}

/** A release is adopted from this share of sessions on. */
const ADOPTED = 0.1;
const ADOPTION_DAYS = 14;

/** How far each release is used, by the sessions of the last day and of the two weeks before. */
async function stagesOf(sql: Queryable, projectId: string): Promise<Map<string, string>> {
  const since = new Date(Date.now() - ADOPTION_DAYS * DAY_MS);
  const rows = await sql<{ release: string; stage: string }[]>`
    with days as (
      select release, floor(extract(epoch from now() - hour) / 86400) as ago, sum(total) as total
      from session_hours
      where project_id = ${projectId} and hour >= ${since} and release <> ''
      group by 1, 2
    ),
    shares as (
      select release, ago, total / sum(total) over (partition by ago) as share from days
      where total > 0
    )
    select release, case
        when coalesce(max(share) filter (where ago = 0), 0) >= ${ADOPTED}::float8 then 'adopted'
        when max(share) >= ${ADOPTED}::float8 then 'replaced'
        else 'low_adoption' end as stage
    from shares group by release
  `;
  return new Map(rows.map(({ release, stage }) => [release, stage]));
}
