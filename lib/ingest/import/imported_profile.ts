/** A profile of an export: the file, and what its line says beside it. */
import { z } from "zod";
import { gunzip } from "../../core/inflate_engine.ts";
import type { DecodeContext } from "../../formats/decode_context.ts";
import { isBeforeRetention } from "../../formats/event_time.ts";
import { profileRecord } from "../../formats/pprof/profile_record.ts";
import { readUpload } from "../../formats/pprof/upload.ts";
import { type Profile, PROFILE_KINDS } from "../../records/mod.ts";

const word = z.string().max(200);
const id = z.string().regex(/^[0-9a-f]{32}$/);

const Line = z.object({
  profileId: id,
  timestamp: z.coerce.date(),
  source: z.enum(["pprof", "sentry_sample_v1", "sentry_sample_v2", "otlp"]),
  kind: z.enum(PROFILE_KINDS),
  service: word,
  instance: word,
  platform: word,
  environment: word,
  release: word,
  transaction: word,
  transactionId: id.nullable(),
  traceId: id.nullable(),
  spanId: z.string().regex(/^[0-9a-f]{16}$/).nullable(),
  profilerId: id.nullable(),
  durationMs: z.number().nonnegative(),
  isDelta: z.boolean(),
  labels: z.record(word, z.array(word)),
});

/**
 * @param original as an SDK sent it, gzip-compressed; null: it is not in the archive
 * @returns null when the line is none, `too old` when it began before all that is kept
 * @throws {Refusal} when the file is no profile
 */
export function importedProfile(
  line: unknown,
  bytes: Uint8Array,
  original: Uint8Array | null,
  { projectId, receivedAt, retentionDays, policy }: DecodeContext,
): Profile | "too old" | null {
  const read = Line.safeParse(line);
  if (!read.success) return null;
  const { timestamp, kind, durationMs, ...facts } = read.data;
  if (isBeforeRetention(timestamp.getTime() / 1_000, { receivedAt, retentionDays })) {
    return "too old";
  }
  const upload = readUpload(bytes);
  const record = profileRecord(upload.profile, {
    ...facts,
    ...{ projectId, receivedAt, retentionDays, policy },
    bytes: upload.bytes,
    original: original !== null && isJson(original) ? original : null,
    kindHint: kind,
    from: timestamp,
    until: new Date(timestamp.getTime() + durationMs),
  });
  return { ...record, profileKind: kind, durationMs };
}

/** What SDKs send has a few MB. */
const MAX_ORIGINAL_BYTES = 64 * 1024 ** 2;

function isJson(packed: Uint8Array): boolean {
  try {
    const text = gunzip(packed, { maxOutputLength: MAX_ORIGINAL_BYTES });
    return typeof JSON.parse(new TextDecoder().decode(text)) === "object";
  } catch {
    return false;
  }
}
