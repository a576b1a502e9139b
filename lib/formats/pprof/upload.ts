import { createHash } from "node:crypto";
import { type DecodedPprof, decodePprof } from "./decode.ts";
import { inflatePprof, isGzip } from "./inflate.ts";
import { PprofError } from "./pprof_error.ts";
import type { Batch } from "../../records/mod.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import { gzipProfile } from "./gzip_profile.ts";
import { type ProfileFacts, profileRecord } from "./profile_record.ts";
import { startOf } from "./profile_time.ts";
import { unreadableProfile } from "./refusals.ts";
import { type UploadAnswer, uploadAnswer } from "./upload_answer.ts";

/** One profile on its way in. */
export interface Upload extends DecodedPprof {
  /** The message itself. */
  readonly plain: Uint8Array;
  /** What is stored: gzip-compressed. */
  readonly bytes: Uint8Array;
}

/** A batch of one profile. */
export interface UploadBatch extends Batch {
  readonly answer: UploadAnswer;
}

/**
 * Reads a pprof, compressed or not.
 *
 * @throws {Refusal} 400 with what is wrong and where, 413 when it is larger than any that is taken
 */
export function readUpload(body: Uint8Array): Upload {
  try {
    const plain = inflatePprof(body);
    return { ...decodePprof(plain), plain, bytes: compressed(body, plain) };
  } catch (error) {
    if (error instanceof PprofError) throw unreadableProfile(error);
    throw error;
  }
}

/** What is said of an upload beside what the upload itself decides. */
export type UploadFacts =
  & Omit<
    ProfileFacts,
    "bytes" | "original" | "platform" | "profileId" | "source" | keyof Surroundings
  >
  & { readonly platform?: string };

type Surroundings = Pick<DecodeContext, "projectId" | "receivedAt" | "retentionDays" | "policy">;

/** Makes the record of an upload, unless the project does not want it. */
export function uploadBatch(
  upload: Upload,
  facts: UploadFacts,
  context: DecodeContext,
): UploadBatch {
  const { projectId, receivedAt, retentionDays, policy } = context;
  const profileId = uploadId(upload, facts);
  const record = profileRecord(upload.profile, {
    platform: "",
    ...facts,
    ...{ projectId, receivedAt, retentionDays, policy },
    source: "pprof",
    bytes: upload.bytes,
    profileId,
  });
  const { isReplaced } = startOf(upload.profile, { ...facts, receivedAt, retentionDays });
  const unwanted = policy.filterOther(facts.release, context);
  return {
    records: unwanted === null ? [record] : [],
    outcomes: unwanted === null
      ? []
      : [{ category: "profile", kind: "filtered", reason: unwanted, quantity: 1 }],
    eventId: profileId,
    answer: uploadAnswer(upload, record, isReplaced),
  };
}

/** The same for the same upload: clients send again what they got no answer for. */
function uploadId({ plain }: Upload, { service, environment, from }: UploadFacts): string {
  const said = [service, environment, from?.toISOString() ?? ""].join("\0");
  return createHash("sha256").update(plain).update(`\0${said}`).digest("hex").slice(0, 32);
}

function compressed(body: Uint8Array, plain: Uint8Array): Uint8Array {
  return isOneGzipOf(plain.length, body) ? body : gzipProfile(plain);
}

/** Its last four bytes say how long the content of its last member is: they tell two layers or two members from one. */
function isOneGzipOf(length: number, body: Uint8Array): boolean {
  if (body.length < 18 || !isGzip(body)) return false;
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  return view.getUint32(body.length - 4, true) === length;
}
