import { type DecodedPprof, decodePprof } from "../pprof/decode.ts";
import { PprofError } from "../pprof/pprof_error.ts";
import type { Profile } from "../../records/mod.ts";
import { gzipProfile } from "../pprof/gzip_profile.ts";
import { type ProfileFacts, profileRecord } from "../pprof/profile_record.ts";
import { serviceName } from "../spans/service_name.ts";
import type { Item } from "./envelope.ts";
import { asObject, clippedName, type Raw, readText } from "../fields.ts";
import { type ItemContext, ItemError, refuseFiltered } from "./item_decoder.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import type { SampleProfile } from "./sample_profile.ts";
import { toPprof } from "./to_pprof.ts";
import type { WeighedSample } from "./weigh.ts";

/** What an SDK sent: the whole payload, and what is read of it. */
export interface SdkPayload {
  readonly raw: Raw;
  readonly profile: SampleProfile;
  /** At least one, in the order of time. */
  readonly samples: readonly WeighedSample[];
}

type Tie = Pick<
  Profile,
  | "profileId"
  | "source"
  | "transaction"
  | "transactionId"
  | "traceId"
  | "spanId"
  | "profilerId"
>;

/** What the two versions tell in different places. */
export interface SdkFacts extends Tie {
  /** Seconds since 1970, by the server's clock. */
  readonly start: number;
  /** The thread that ran the transaction, or `""`. */
  readonly activeThread: string;
}

/**
 * Makes the record of a profile: pprof to be shown, and the item as it was sent, so that nothing of it is lost.
 *
 * @throws {ItemError} too_large when it has more parts than a profile may have
 */
export function sdkProfile(
  item: Item,
  { raw, profile, samples }: SdkPayload,
  { start, activeThread, ...tie }: SdkFacts,
  context: ItemContext,
): Profile {
  const platform = clippedName(raw.platform, TEXT.word)?.toLowerCase() ?? "other";
  // A double holds the microseconds of this century.
  const timeNanos = BigInt(Math.round(start * 1e6)) * 1000n;
  const message = toPprof(profile, samples, { timeNanos, platform, activeThread });
  return profileRecord(reread(message).profile, {
    ...surroundings(context),
    ...tie,
    bytes: gzipProfile(message),
    original: gzipProfile(item.payload),
    service: serviceOf(raw),
    instance: clippedName(raw.server_name, TEXT.path) ?? "",
    platform,
    environment: clippedName(raw.environment, TEXT.word) ?? "",
    release: releaseOf(raw),
    kindHint: "wall",
    // Nanoseconds since 1970 are too many for a double: the millisecond may be the one before.
    from: new Date(Math.round(start * 1000)),
    isDelta: true,
  });
}

/** @throws {ItemError} when the project's filters do not want what comes from this sender */
export function refuseUnwanted(raw: Raw, context: ItemContext): void {
  refuseFiltered(releaseOf(raw), context);
}

function surroundings(
  { projectId, receivedAt, retentionDays, policy }: ItemContext,
): Pick<ProfileFacts, "projectId" | "receivedAt" | "retentionDays" | "policy"> {
  return { projectId, receivedAt, retentionDays, policy };
}

function releaseOf(raw: Raw): string {
  return clippedName(raw.release, TEXT.name) ?? "";
}

/** As that of transactions: by the attributes of the trace, else by a tag. */
function serviceOf({ contexts, tags }: Raw): string {
  const trace = asObject(asObject(contexts)?.trace);
  const data = asObject(trace?.data) as JsonObject | undefined;
  return serviceName(data ?? {}, readText(asObject(tags)?.service));
}

/** The index is made of what is stored. */
function reread(message: Uint8Array): DecodedPprof {
  try {
    return decodePprof(message);
  } catch (error) {
    if (!(error instanceof PprofError)) throw error;
    throw new ItemError(error.kind, error.kind === "too_large" ? "profile_size" : "broken_profile");
  }
}
