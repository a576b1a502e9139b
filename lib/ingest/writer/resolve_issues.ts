import type { Transaction } from "../../store/database.ts";
import type { EventRow } from "./event_row.ts";

/** A group hash that no issue has yet, or that an issue known by another hash shall have too. */
interface NewHash {
  readonly projectId: string;
  readonly hash: string;
  readonly version: number;
  /** Null asks for a new issue. */
  readonly issueId: string | null;
}

/** Issue ids by `project/hash`. */
export type KnownIssues = Map<string, string>;

/**
 * Names the issue of each event, by any of its hashes in order, and reserves an id for new ones; the issue's
 * row is written later in the same transaction. When two writers meet the same new hash, the unique index makes
 * one of them wait and then take the other's issue.
 *
 * @param issues what `findIssues()` found in this transaction; ids that are reserved are added
 * @returns issue ids, parallel to `rows`
 */
export async function resolveIssues(
  tx: Transaction,
  rows: readonly EventRow[],
  issues: KnownIssues,
): Promise<string[]> {
  let missing = newHashes(rows, issues);
  while (missing.length > 0) {
    await claim(tx, missing, issues);
    missing = newHashes(rows, issues);
  }
  return rows.map((row) => {
    const issueId = issueOf(row, issues);
    if (issueId === undefined) throw new Error(`Cannot find the issue of event ${row.key}`);
    return issueId;
  });
}

function issueOf(row: EventRow, issues: KnownIssues): string | undefined {
  for (const hash of row.event.grouping.hashes) {
    const issueId = issues.get(`${row.projectId}/${hash}`);
    if (issueId !== undefined) return issueId;
  }
  return undefined;
}

/** Looks up the issues that events' hashes have already. */
export async function findIssues(
  tx: Transaction,
  rows: readonly EventRow[],
): Promise<KnownIssues> {
  const wanted = new Map<string, { projectId: string; hash: string }>();
  for (const { projectId, event } of rows) {
    for (const hash of event.grouping.hashes) {
      wanted.set(`${projectId}/${hash}`, { projectId, hash });
    }
  }
  const known: KnownIssues = new Map();
  if (wanted.size > 0) await addStored(tx, [...wanted.values()], known);
  return known;
}

async function addStored(
  tx: Transaction,
  wanted: readonly { projectId: string; hash: string }[],
  known: KnownIssues,
): Promise<void> {
  const found = await tx<{ position: number; issueId: string }[]>`
    select wanted.position::int, issue_id as "issueId"
    from unnest(
      ${wanted.map(({ projectId }) => projectId)}::bigint[],
      ${wanted.map(({ hash }) => hash)}::uuid[]
    ) with ordinality as wanted (project_id, hash, position)
    join issue_hashes using (project_id, hash)
  `;
  for (const { position, issueId } of found) {
    const key = wanted[position - 1];
    if (key !== undefined) known.set(`${key.projectId}/${key.hash}`, issueId);
  }
}

/**
 * Only an event's first hash is ever added: the others find old issues, but do not bind new ones. An event with
 * a hash that is just being added waits for the next round, where that hash is known.
 */
function newHashes(rows: readonly EventRow[], known: KnownIssues): NewHash[] {
  const missing = new Map<string, NewHash>();
  for (const row of rows) {
    const { version, hashes } = row.event.grouping;
    const keys = hashes.map((hash) => `${row.projectId}/${hash}`);
    const [hash] = hashes;
    const key = `${row.projectId}/${hash}`;
    if (known.has(key) || keys.some((candidate) => missing.has(candidate))) continue;
    const issueId = issueOf(row, known) ?? null;
    missing.set(key, { projectId: row.projectId, hash, version, issueId });
  }
  return [...missing.values()];
}

async function claim(
  tx: Transaction,
  missing: readonly NewHash[],
  issues: KnownIssues,
): Promise<void> {
  // Sorted, as every write of this transaction, so that two writers never wait for each other.
  await tx`
    insert into issue_hashes (project_id, hash, version, issue_id)
    select project_id, hash, version, coalesce(issue_id, nextval('issue_ids'))
    from unnest(
      ${missing.map(({ projectId }) => projectId)}::bigint[],
      ${missing.map(({ hash }) => hash)}::uuid[],
      ${missing.map(({ version }) => version)}::smallint[],
      ${missing.map(({ issueId }) => issueId)}::bigint[]
    ) as missing (project_id, hash, version, issue_id)
    order by project_id, hash
    on conflict (project_id, hash) do nothing
  `;
  // A new statement, and so a new snapshot: it sees what this writer or a faster one has stored.
  await addStored(tx, missing, issues);
}
