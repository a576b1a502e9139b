import type { ObjectStore } from "../../store/objects/store.ts";
import { decodePprof } from "../../formats/pprof/decode.ts";
import { inflatePprof } from "../../formats/pprof/inflate.ts";
import { PprofError } from "../../formats/pprof/pprof_error.ts";
import type { PprofProfile } from "../../formats/pprof/profile.ts";
import type { ProfileRow } from "./profile_types.ts";

type BlobRow = Pick<ProfileRow, "blobKey">;

/** A stored profile as it lies in the object store, gzip-compressed; null when it is gone. */
export function readPprofBytes(
  objects: Pick<ObjectStore, "get">,
  { blobKey }: BlobRow,
): Promise<Uint8Array | null> {
  return objects.get(blobKey);
}

/** A stored profile; null when it is gone or damaged. */
export async function readPprof(
  objects: Pick<ObjectStore, "get">,
  row: BlobRow,
): Promise<PprofProfile | null> {
  const bytes = await readPprofBytes(objects, row);
  return bytes === null ? null : decodeStored(bytes);
}

/** The profile that stored bytes are; null when they are damaged. */
export function decodeStored(bytes: Uint8Array): PprofProfile | null {
  try {
    return decodePprof(inflatePprof(bytes)).profile;
  } catch (error) {
    if (error instanceof PprofError) return null;
    throw error;
  }
}
