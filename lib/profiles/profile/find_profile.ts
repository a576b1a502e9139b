import { HttpError } from "fresh";
import type { Sql } from "../../store/database.ts";
import { findProfile } from "../queries/find.ts";
import type { ProfileRow } from "../queries/profile_types.ts";

const NO_PROFILE = "Nothing is stored under this id of a profile. It may be older than what is " +
  "kept, or may not have been sent yet.";

/**
 * What the index tells of the profile that a page is about.
 *
 * @param profileId as the address has it: hyphens and capitals allowed
 * @throws {HttpError} 404 when it is no id of a profile, or nothing is stored under it
 */
export async function requireProfile(
  sql: Sql,
  projectId: string,
  profileId: string,
): Promise<ProfileRow> {
  const id = profileId.replaceAll("-", "").toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(id)) {
    throw new HttpError(404, "The id of a profile has 32 hexadecimal digits; this is none.");
  }
  const row = await findProfile(sql, projectId, id);
  if (row === null) throw new HttpError(404, NO_PROFILE);
  return row;
}
