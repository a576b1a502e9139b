import type { Sql } from "../../store/database.ts";
import { listProfiles } from "../queries/list.ts";
import type { ProfileRow } from "../queries/profile_types.ts";
import { type ProfilePart, stretchOf } from "../profile_part.ts";

/** An hour of chunks of a minute. */
const MAX_CHUNKS = 60;

/**
 * The rows of all that a part is made of, by time: the profile itself, or the chunks of its profiler that cover the
 * time of the part.
 *
 * @returns with them how many more there are; counted no further than 1
 */
export async function rowsOfPart(
  sql: Sql,
  projectId: string,
  row: ProfileRow,
  part: ProfilePart,
): Promise<{ readonly rows: readonly ProfileRow[]; readonly left: number }> {
  const stretch = stretchOf(part);
  const { profilerId } = row;
  if (profilerId === null || profilerId !== part.profilerId || stretch === null) {
    return { rows: [row], left: 0 };
  }
  const { rows, nextCursor } = await listProfiles(sql, {
    projectId,
    profilerId,
    kind: row.kind,
    services: [],
    environments: [],
    releases: [],
    start: new Date(Math.floor(stretch.from)),
    end: new Date(Math.ceil(stretch.until)),
    clip: true,
  }, { limit: MAX_CHUNKS });
  if (rows.length === 0) return { rows: [row], left: 0 };
  return {
    rows: rows.toSorted((a, b) => a.timestamp.getTime() - b.timestamp.getTime()),
    left: nextCursor === null ? 0 : 1,
  };
}
