/** Whose history a line is: ids hold where they were made, names elsewhere. */
import { asObject, type Raw, readInteger, readText } from "../../formats/fields.ts";
import { readEventId } from "../../formats/ids.ts";
import type { Sql } from "../../store/database.ts";

/** What has a history, and a name that others may have as well. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** How a line names it: of those with one name also which. */
interface OwnerName extends Named {
  /** From 0; absent for the first. */
  readonly place?: number;
}

/** Names for lines of an export. @param all in the order in which settings list them */
export function ownerNames(all: readonly Named[]): ReadonlyMap<string, OwnerName> {
  const seen = new Map<string, number>();
  return new Map(all.map(({ id, name }) => {
    const place = seen.get(name) ?? 0;
    seen.set(name, place + 1);
    return [id, { id, name, ...(place > 0 && { place }) }];
  }));
}

/** Who is named by a line, among those of a project. */
export interface FoundOwner<T> {
  readonly owner: T;
  /** It is the same, not one that is called so. */
  readonly isSame: boolean;
}

/** Finds whom lines name. @param all of the project, in the order in which they were made */
export function ownerFinder<T extends Named>(
  all: readonly T[],
): (named: unknown) => FoundOwner<T> | null {
  const byId = new Map(all.map((owner) => [owner.id, owner]));
  const byName = Map.groupBy(all, ({ name }) => name);
  return (named) => {
    const { id, name, place } = asObject(named) ?? {};
    const same = byId.get(readText(id) ?? "");
    if (same !== undefined) return { owner: same, isSame: true };
    const owner = byName.get((readText(name) ?? "").trim())?.[readInteger(place) ?? 0];
    return owner === undefined ? null : { owner, isSame: false };
  };
}

/** An issue as lines name it: by its id, and by the hashes of its group. */
export interface IssueName {
  readonly id: string;
  readonly hashes: readonly string[];
}

/** Names of issues of a project, by their ids; those that are gone are absent. */
export async function issueNames(
  sql: Sql,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, IssueName>> {
  const wanted = [...new Set(ids)].filter(isIssueId);
  if (wanted.length === 0) return new Map();
  const rows = await sql<{ id: string; hashes: string[] }[]>`
    select issues.id::text as id, array_agg(replace(hash::text, '-', '') order by hash) as hashes
    from issues join issue_hashes
      on issue_hashes.project_id = issues.project_id
      and issue_hashes.issue_id = coalesce(issues.merged_into, issues.id)
    where issues.project_id = ${projectId} and issues.id = any (${wanted}::bigint[])
    group by issues.id
  `;
  return new Map(rows.map(({ id, hashes }) => [id, { id, hashes: hashes.slice(0, MAX_HASHES) }]));
}

/** Whether a text can be the id of an issue. */
export function isIssueId(text: string): boolean {
  return /^[1-9]\d{0,17}$/.test(text);
}

/** One of them is enough: an issue that has thousands has them all. */
const MAX_HASHES = 20;

function hashesOf(raw: Raw): string[] {
  const hashes: unknown = asObject(raw.issue)?.hashes;
  const list: unknown[] = Array.isArray(hashes) ? hashes.slice(0, MAX_HASHES) : [];
  return list.flatMap((each) => readEventId(each) ?? []);
}

/**
 * Finds the issues that lines name: those that the events of the same import came to, or those with the same hashes.
 *
 * @returns for a line the id of an issue of the project, or null
 */
export async function issueFinder(
  sql: Sql,
  { projectId, transferId }: { readonly projectId: string; readonly transferId: string },
  raws: readonly Raw[],
): Promise<(raw: Raw) => string | null> {
  const ids = [...new Set(raws.flatMap((raw) => sourceOf(raw) ?? []))];
  const hashes = [...new Set(raws.flatMap(hashesOf))];
  if (ids.length + hashes.length === 0) return () => null;
  const came = await sql<Found[]>`
    select source_id as name, coalesce(issues.merged_into, issues.id)::text as id
    from transfer_issues join issues
      on issues.project_id = transfer_issues.project_id and issues.id = transfer_issues.issue_id
    where transfer_issues.project_id = ${projectId} and transfer_id = ${transferId}
      and source_id = any (${ids}::text[])
    order by events
  `;
  const grouped = await sql<Found[]>`
    select replace(hash::text, '-', '') as name,
      coalesce(issues.merged_into, issues.id)::text as id
    from issue_hashes join issues
      on issues.project_id = issue_hashes.project_id and issues.id = issue_hashes.issue_id
    where issue_hashes.project_id = ${projectId} and hash = any (${hashes}::uuid[])
  `;
  // Of several that the events came to, the one with most of them.
  const bySource = new Map(came.map(({ name, id }) => [name, id]));
  const byHash = new Map(grouped.map(({ name, id }) => [name, id]));
  return (raw) => {
    const names = hashesOf(raw).map((hash) => byHash.get(hash));
    return [bySource.get(sourceOf(raw) ?? ""), ...names].find((id) => id !== undefined) ?? null;
  };
}

interface Found {
  readonly name: string;
  readonly id: string;
}

function sourceOf(raw: Raw): string | null {
  const id = readText(asObject(raw.issue)?.id) ?? "";
  return isIssueId(id) ? id : null;
}
