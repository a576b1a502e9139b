/** Releases of an import: those that this service has exported. */
import type { Raw } from "../formats/fields.ts";
import { keepPastRelease, readRelease } from "../releases/mod.ts";
import type { Sql } from "../store/database.ts";
import type { PastScene } from "./import_past.ts";
import { type Counts, sumOf } from "./transfers.ts";

/** Keeps releases; of those that are here, what is missing. */
export async function takeReleases(
  sql: Sql,
  projectId: string,
  raws: readonly Raw[],
  { organizationId, now }: PastScene,
): Promise<Counts> {
  let counts: Counts = {};
  for (const raw of raws) {
    const read = readRelease(raw, now);
    if (read === null) {
      counts = sumOf(counts, { unreadable: 1 });
      continue;
    }
    const place = { organizationId, projectId };
    const { isChanged, commits, deploys } = await keepPastRelease(sql, place, read.release);
    counts = sumOf(counts, {
      releases: isChanged ? 1 : 0,
      commits,
      deploys,
      there_already: isChanged || commits > 0 || deploys > 0 ? 0 : 1,
      unreadable: read.unreadable,
    });
  }
  return counts;
}
