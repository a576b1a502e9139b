import type { Sql } from "../../store/database.ts";
import { profileColumns, profileOf, type StoredProfile } from "./profile_rows.ts";
import type { ProfileRow } from "./profile_types.ts";

/**
 * What the index tells of one profile, or null when there is none of this id in the project.
 *
 * @param profileId 32 hex digits
 */
export async function findProfile(
  sql: Sql,
  projectId: string,
  profileId: string,
): Promise<ProfileRow | null> {
  const [row] = await sql<StoredProfile[]>`
    select ${profileColumns(sql)} from profiles
    where project_id = ${projectId} and profile_id = ${profileId}
  `;
  return row === undefined ? null : profileOf(row);
}
