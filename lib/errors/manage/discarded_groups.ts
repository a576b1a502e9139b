/** What a project discards as another one can take it over: the hashes by which events are known again. */
import { insertAudit, inTransaction } from "../../store/audit.ts";
import type { Sql } from "../../store/database.ts";
import { lockMerges } from "../issue_merge.ts";

export interface DiscardedGroup {
  /** Of the issue, as it was. */
  readonly type: string;
  readonly title: string;
  readonly culprit: string;
  readonly level: string;
  readonly hashes: readonly GroupHash[];
}

export interface GroupHash {
  /** 32 lower-case hex digits. */
  readonly hash: string;
  /** Of the way of grouping that made it. */
  readonly version: number;
}

interface HashRow extends Omit<DiscardedGroup, "hashes">, GroupHash {
  readonly id: string;
}

/** Of all groups together: some megabytes. */
export const MAX_GROUP_HASHES = 50_000;

/** The groups that a project discards, the latest first. */
export async function discardedGroups(sql: Sql, projectId: string): Promise<DiscardedGroup[]> {
  const rows = await sql<HashRow[]>`
    select discards.id, type, title, culprit, level, replace(hash::text, '-', '') as hash, version
    from discards join issue_hashes
      on issue_hashes.project_id = discards.project_id and issue_hashes.issue_id = -discards.id
    where discards.project_id = ${projectId}
    order by discarded_at desc, discards.id desc, hash limit ${MAX_GROUP_HASHES}
  `;
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((hashes) => {
    const [first] = hashes;
    if (first === undefined) return [];
    const { type, title, culprit, level } = first;
    return {
      type,
      title,
      culprit,
      level,
      hashes: hashes.map(({ hash, version }) => ({ hash, version })),
    };
  });
}

/**
 * Discards a group that was discarded elsewhere. Hashes that belong to something here stay there.
 *
 * @param by who asks, as people know them
 * @returns false when all of them do, so that there is nothing to discard
 */
export async function discardGroup(
  sql: Sql,
  projectId: string,
  { type, title, culprit, level, hashes }: DiscardedGroup,
  by: string,
): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    await lockMerges(tx, projectId);
    const [discard] = await tx<{ id: string }[]>`
      insert into discards (project_id, type, title, culprit, level, discarded_by, discarded_at)
      values (${projectId}, ${type}, ${title}, ${culprit}, ${level}, ${by}, now())
      returning id::text as id
    `;
    const id = discard?.id ?? "";
    const bound = await tx`
      insert into issue_hashes (project_id, hash, version, issue_id)
      select ${projectId}, hash, version, -(${id}::bigint)
      from unnest(
        ${hashes.map(({ hash }) => hash)}::uuid[], ${
      hashes.map(({ version }) => version)
    }::smallint[]
      ) as brought (hash, version)
      order by hash
      on conflict (project_id, hash) do nothing
      returning hash
    `;
    if (bound.length === 0) {
      await tx`delete from discards where project_id = ${projectId} and id = ${id}`;
      return false;
    }
    await insertAudit(tx, {
      event: "issue.discard",
      projectId,
      target: { kind: "discard", id, label: title.slice(0, MAX_LABEL) },
    });
    return true;
  });
}

const MAX_LABEL = 200;
