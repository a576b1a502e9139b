import { bodyEncoding } from "../encoding.ts";
import { refuseDamaged } from "../proto/reader.ts";
import { profilesOf } from "./json/profiles.ts";
import { LIMITS } from "./limits.ts";
import type { OtlpProfiles } from "./model.ts";
import { readProfiles } from "./proto/profiles.ts";
import { tooManyBytes } from "./refusals.ts";

/**
 * Reads an `ExportProfilesServiceRequest`.
 *
 * @param body decompressed
 * @param contentType of the request, as sent
 * @throws {Refusal} 415 for another content type, 413 for too many profiles or parts, 400 for what is no such request
 */
export function decodeProfiles(body: Uint8Array, contentType: string): OtlpProfiles {
  const encoding = bodyEncoding(body, contentType);
  if (body.length > LIMITS.bytes) throw tooManyBytes();
  if (encoding === "json") return profilesOf(body);
  return refuseDamaged(() => readProfiles(body));
}
