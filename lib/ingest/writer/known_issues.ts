/** Which issues the hashes of events have already. */
import type { Transaction } from "../../store/database.ts";
import { isByValue } from "../../store/write_rows.ts";
import type { EventRow } from "./rows.ts";

/** Issue ids by `project/hash`. */
export type KnownIssues = Map<string, string>;

/** A group hash of a project. */
interface Hash {
  readonly projectId: string;
  readonly hash: string;
}

/** Looks up the issues that events' hashes have already. */
export async function findIssues(
  tx: Transaction,
  rows: readonly EventRow[],
): Promise<KnownIssues> {
  const wanted = new Map<string, Hash>();
  for (const { projectId, event } of rows) {
    for (const hash of event.grouping.hashes) {
      wanted.set(`${projectId}/${hash}`, { projectId, hash });
    }
  }
  const known: KnownIssues = new Map();
  if (wanted.size > 0) await addStored(tx, [...wanted.values()], known);
  return known;
}

/** Adds those of the hashes that are stored. */
export async function addStored(
  tx: Transaction,
  wanted: readonly Hash[],
  known: KnownIssues,
): Promise<void> {
  const groups = isByValue(tx)
    ? Map.groupBy(wanted, ({ projectId }) => projectId)
    : new Map([[null, wanted]]);
  await Promise.all([...groups].map(async ([projectId, hashes]) => {
    const found = projectId === null
      ? await findOfAll(tx, hashes)
      : await findOfProject(tx, projectId, hashes);
    for (const { position, issueId } of found) {
      const key = hashes[position - 1];
      if (key !== undefined) known.set(`${key.projectId}/${key.hash}`, issueId);
    }
  }));
}

interface Found {
  /** Of the hash among those wanted, from 1. */
  readonly position: number;
  readonly issueId: string;
}

async function findOfAll(tx: Transaction, wanted: readonly Hash[]): Promise<Found[]> {
  return await tx<Found[]>`
    select wanted.position::int, issue_id as "issueId"
    from unnest(
      ${wanted.map(({ projectId }) => projectId)}::bigint[],
      ${wanted.map(({ hash }) => hash)}::uuid[]
    ) with ordinality as wanted (project_id, hash, position)
    join issue_hashes using (project_id, hash)
  `;
}

/** Citus sends it to one worker. */
async function findOfProject(
  tx: Transaction,
  projectId: string,
  wanted: readonly Hash[],
): Promise<Found[]> {
  const hashes = wanted.map(({ hash }) => hash);
  return await tx<Found[]>`
    select array_position(${hashes}::uuid[], hash) as position, issue_id as "issueId"
    from issue_hashes where project_id = ${projectId} and hash = any (${hashes}::uuid[])
  `;
}
