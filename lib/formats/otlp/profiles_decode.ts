import { bodyEncoding } from "./encoding.ts";
import { refuseDamaged } from "./reader.ts";
import { profilesOf } from "./json_profiles.ts";
import { LIMITS } from "./profiles_limits_2.ts";
import type { OtlpProfiles } from "./profiles_model_2.ts";
import { readProfiles } from "./proto_profiles.ts";
import { tooManyBytes } from "./profiles_refusals.ts";

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
