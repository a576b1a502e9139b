/** Resolves what the commits of a release say they fix. */
import type { Sql } from "../../store/database.ts";
import { changeIn } from "./change.ts";
import { findIssueNamed } from "./short_id.ts";

/** A commit says that it fixes an issue. */
export interface FixReference {
  /** As `SHOP-1A`; what is no issue's is passed over, and so are those of other projects. */
  readonly shortId: string;
  readonly commitId: string;
}

/**
 * Resolves issues in a release, because commits in it say that they fix them, and those that wait for one of its commits.
 * Issues that are resolved in another release already, or that happened in a newer one, are resolved here all the same:
 * the next event tells.
 *
 * @param commits ids of all commits of the release
 * @returns the short ids of the references that are done, resolved by this or before
 */
export async function resolveFixed(
  { sql }: { readonly sql: Sql },
  project: { readonly id: string; readonly slug: string },
  release: string,
  references: readonly FixReference[],
  commits: readonly string[] = references.map(({ commitId }) => commitId),
  now: Date = new Date(),
): Promise<string[]> {
  const actor = { kind: "release", id: release } as const;
  return await sql.begin(async (tx) => {
    const done: string[] = [];
    const wanted: { id: string; commit: string }[] = [];
    for (const { shortId, commitId } of references) {
      // Slugs of other projects may look like it: only its own counts here.
      if (!shortId.toUpperCase().startsWith(`${project.slug.toUpperCase()}-`)) continue;
      const found = await findIssueNamed(tx, shortId, [project]);
      if (found === null) continue;
      done.push(shortId);
      wanted.push({ id: found.id, commit: commitId });
    }
    const waiting = await tx<{ id: string; commit: string }[]>`
      select id, resolution->>'commit' as commit from issues
      where project_id = ${project.id} and resolution is not null and status = 'resolved'
        and resolution->>'kind' = 'commit' and resolution->>'commit' = any (${[...commits]}::text[])
    `;
    const byId = new Map([...waiting, ...wanted].map((each) => [each.id, each.commit]));
    const inOrder = [...byId].sort(([a], [b]) => Number(BigInt(a) - BigInt(b)));
    for (const [id, commit] of inOrder) {
      const to = { kind: "release", version: release, commit } as const;
      await changeIn(tx, project.id, [id], { status: { to: "resolved", in: to } }, actor, now);
    }
    return done;
  });
}
