import { encodingOf } from "../encoding.ts";
import { refuseDamaged } from "../proto/reader.ts";
import { unreadable, unsupportedType } from "../refusals.ts";
import { profilesOf } from "./json/profiles.ts";
import { LIMITS } from "./limits.ts";
import type { OtlpProfiles } from "./model.ts";
import { readProfiles } from "./proto/profiles.ts";
import { tooManyBytes } from "./refusals.ts";

const OPEN_BRACE = 0x7b;

/**
 * Reads an `ExportProfilesServiceRequest`.
 *
 * @param body decompressed
 * @param contentType of the request, as sent
 * @throws {Refusal} 415 for another content type, 413 for too many profiles or parts, 400 for what is no such request
 */
export function decodeProfiles(body: Uint8Array, contentType: string): OtlpProfiles {
  const encoding = encodingOf(contentType);
  if (encoding === null) throw unsupportedType();
  if (body.length > LIMITS.bytes) throw tooManyBytes();
  if (encoding === "json") return profilesOf(body);
  // The first byte of JSON is no field of any message.
  if (body[0] === OPEN_BRACE) throw unreadable("protobuf", "it looks like JSON");
  return refuseDamaged(() => readProfiles(body));
}
