/**
 * Issues that may be one with another: candidates by what the store can tell quickly (type, place, words), then scored by
 * their messages and, the best of them, by the stacks of their newest events.
 */
import { payloadColumns, type PayloadPlace, withPayloads } from "../../store/event_chunks/read.ts";
import { likePattern } from "../../store/values.ts";
import type { Sql } from "../../store/database.ts";
import { asObject } from "../../ui/json.ts";
import { exceptionsOf } from "../event/interfaces.ts";
import { framesOf } from "../event/stack.ts";
import { findIssuesById, type Issue } from "../issues.ts";
import { likeness, shinglesOf, tellingWords } from "./shingles.ts";

/** What two issues have in common, each 0 to 1; null where one of them does not tell. */
export interface Likeness {
  readonly type: number | null;
  readonly message: number | null;
  readonly culprit: number | null;
  /** Calls of the application. */
  readonly stack: number | null;
}

export interface SimilarIssue {
  readonly issue: Issue;
  /** 0 to 1. */
  readonly score: number;
  readonly likeness: Likeness;
}

/** Messages of so many are compared, and stacks of so many of these. */
const MAX_COMPARED = 200;
const MAX_STACKS = 12;
const MAX_SHOWN = 10;
const MAX_WORDS = 3;
/** Less is chance: two messages of one type in the same words about something else. */
const MIN_SCORE = 0.4;
const WEIGHTS: Readonly<Record<keyof Likeness, number>> = {
  type: 2,
  message: 4,
  culprit: 1,
  stack: 4,
};

/** The issues of the project that are most like this one, the most alike first. */
export async function similarIssues(
  sql: Sql,
  projectId: string,
  issue: Issue,
): Promise<SimilarIssue[]> {
  const candidates = await findCandidates(sql, projectId, issue);
  const shingles = shinglesOf(messageOf(issue));
  const compared = candidates.map((candidate) => {
    const alike: Likeness = {
      type: sameness(issue.metadata.type, candidate.metadata.type),
      message: likeness(shingles, shinglesOf(messageOf(candidate))),
      culprit: sameness(issue.culprit, candidate.culprit),
      stack: null,
    };
    return { id: candidate.id, alike, score: scoreOf(alike) };
  }).sort((a, b) => b.score - a.score || Number(b.id) - Number(a.id));
  const some = compared.slice(0, MAX_STACKS);
  const ids = some.map(({ id }) => id);
  const [issues, stacks] = await Promise.all([
    findIssuesById(sql, projectId, ids),
    stacksOf(sql, projectId, [issue.id, ...ids]),
  ]);
  const stack = stacks.get(issue.id) ?? new Set();
  return some.flatMap(({ id, alike }) => {
    const found = issues.find((each) => each.id === id);
    const all = { ...alike, stack: likeness(stack, stacks.get(id) ?? new Set()) };
    return found === undefined ? [] : [{ issue: found, score: scoreOf(all), likeness: all }];
  }).filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score).slice(0, MAX_SHOWN);
}

type Candidate = Pick<Issue, "id" | "title" | "culprit" | "metadata">;

/** One look at each issue of the project: what is equal weighs more than words. */
async function findCandidates(
  sql: Sql,
  projectId: string,
  issue: Issue,
): Promise<readonly Candidate[]> {
  const { type = "", filename = "", function: name = "" } = issue.metadata;
  const words = tellingWords(messageOf(issue), MAX_WORDS);
  const hits = words.reduce(
    (sum, word) => sql`${sum} + (lower(title) like ${`%${likePattern(word)}%`})::int`,
    sql`0`,
  );
  return await sql<Candidate[]>`
    select id, title, culprit, metadata from (
      select id, title, culprit, metadata, last_seen,
        (${type} <> '' and metadata->>'type' = ${type})::int * 3
        + (${issue.culprit} <> '' and culprit = ${issue.culprit})::int * 2
        + (${filename} <> '' and ${name} <> '' and metadata->>'filename' = ${filename}
            and metadata->>'function' = ${name})::int * 2
        + ${hits} as rank
      from issues
      where project_id = ${projectId} and merged_into is null and id <> ${issue.id}
      offset 0
    ) as ranked
    where rank > 1
    order by rank desc, last_seen desc, id desc
    limit ${MAX_COMPARED}
  `;
}

/** What happened, without the type, which is compared by itself. */
function messageOf({ title, metadata }: Pick<Issue, "title" | "metadata">): string {
  return metadata.type === undefined ? title : metadata.value ?? "";
}

function sameness(a = "", b = ""): number | null {
  return a === "" || b === "" ? null : Number(a === b);
}

function scoreOf(alike: Likeness): number {
  let sum = 0;
  let weights = 0;
  for (const name of ["type", "message", "culprit", "stack"] as const) {
    const value = alike[name];
    if (value === null) continue;
    sum += WEIGHTS[name] * value;
    weights += WEIGHTS[name];
  }
  return weights === 0 ? 0 : sum / weights;
}

/** The application's calls in the newest event of each issue: of all exceptions, or of the stack without one. */
async function stacksOf(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const found = await sql<(PayloadPlace & { id: string; platform: string })[]>`
    select issues.id, newest.*
    from issues, lateral (
      select platform, event_id as "eventId", ${payloadColumns(sql)} from events
      where events.project_id = ${projectId} and events.issue_id = issues.id
        and events."timestamp" = issues.last_seen
      order by event_id desc limit 1
    ) as newest
    where issues.project_id = ${projectId} and issues.id = any (${[...issueIds]}::bigint[])
  `;
  const rows = await withPayloads(sql, projectId, found);
  return new Map(rows.map(({ id, platform, payload }) => [id, callsOf(payload, platform)]));
}

function callsOf(text: string, platform: string): Set<string> {
  const payload = parse(text);
  const stacks = [
    ...exceptionsOf(payload).map(({ frames }) => frames),
    framesOf(payload.stacktrace, platform),
  ];
  return new Set(
    stacks.flat().filter(({ isInApp }) => isInApp).map(({ name, file }) => `${file}\n${name}`),
  );
}

function parse(payload: string) {
  try {
    return asObject(JSON.parse(payload)) ?? {};
  } catch {
    return {};
  }
}
