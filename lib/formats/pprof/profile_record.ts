import type { PprofProfile } from "./profile.ts";
import {
  profileKindOf,
  type ProfileValue,
  typeId,
  valueTypesOf,
} from "./sample_types.ts";
import type { Profile, ProfileTotal } from "../../records/mod.ts";
import { blobKey } from "../blob_key.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import { clampedInt64 } from "./int64.ts";
import { LabelValues } from "./label_values.ts";
import { platformOf } from "./platform.ts";
import { durationMsOf, startOf } from "./profile_time.ts";
import { indexSamples } from "./sample_index.ts";

type Lists = Readonly<Record<string, readonly string[]>>;

/** What a client says of a profile beside the profile. Texts are `""` when it says nothing. */
export interface ProfileFacts
  extends Pick<DecodeContext, "projectId" | "receivedAt" | "retentionDays" | "policy"> {
  /** 32 lower-case hex digits, the same again for the same profile. */
  readonly profileId: string;
  readonly source: Profile["source"];
  /** The pprof, gzip-compressed: what is stored. */
  readonly bytes: Uint8Array;
  /** The item as an SDK sent it, gzip-compressed. */
  readonly original?: Uint8Array | null | undefined;
  readonly service: string;
  readonly instance: string;
  /** `""`: what the files of its functions tell. */
  readonly platform: string;
  readonly environment: string;
  readonly release: string;
  readonly transaction?: string | undefined;
  readonly transactionId?: string | null | undefined;
  /** What the whole profile belongs to. */
  readonly traceId?: string | null | undefined;
  readonly spanId?: string | null | undefined;
  readonly profilerId?: string | null | undefined;
  /** What it tells of in the client's word, such as `mutex`. */
  readonly kindHint?: string | undefined;
  /** When it began and ended as the client says, which goes before what the profile says. */
  readonly from?: Date | null | undefined;
  readonly until?: Date | null | undefined;
  /** @default whether the profile has a duration */
  readonly isDelta?: boolean | undefined;
  readonly labels?: Lists | undefined;
}

/** Makes the record of a profile: what its index needs, counted over the samples, and what is stored of it. */
export function profileRecord(profile: PprofProfile, facts: ProfileFacts): Profile {
  const { projectId, profileId, receivedAt } = facts;
  const values = valueTypesOf(profile);
  const timestamp = startOf(profile, facts).time;
  const traceId = facts.traceId ?? null;
  const samples = indexSamples(profile, values, traceId);
  // By its own day and not that of receipt: the same profile sent again on another day replaces its own bytes.
  const key = blobKey("profiles", projectId, timestamp, profileId);
  return {
    kind: "profile",
    profileId,
    source: facts.source,
    profileKind: profileKindOf(profile, facts.kindHint ?? ""),
    timestamp,
    receivedAt,
    environment: facts.environment,
    release: facts.release,
    traceId,
    spanId: facts.spanId ?? null,
    service: facts.service,
    instance: facts.instance,
    platform: facts.platform || platformOf(profile),
    durationMs: durationMsOf(profile, facts),
    periodType: profile.periodType === null ? "" : typeId(profile.periodType),
    period: profile.period,
    samples: profile.samples.count,
    totals: values.map((value) => totalOf(profile, value)),
    isDelta: facts.isDelta ?? profile.durationNanos > 0n,
    labels: labelsOf(facts, samples.labels),
    traces: samples.traces,
    transaction: facts.transaction ?? "",
    transactionId: facts.transactionId ?? null,
    profilerId: facts.profilerId ?? null,
    blob: { key, bytes: facts.bytes },
    original: facts.original ? { key: `${key}.original`, bytes: facts.original } : null,
  };
}

function totalOf(
  { sampleTypes, samples }: PprofProfile,
  { type, unit, index, factor }: ProfileValue,
): ProfileTotal {
  let sum = 0n;
  for (let at = index; at < samples.values.length; at += sampleTypes.length) {
    sum += samples.values[at] ?? 0n;
  }
  return { type, unit, total: clampedInt64(sum * factor) };
}

/** Those of the client go before those of the samples when there are too many. */
function labelsOf({ labels: own = {}, policy }: ProfileFacts, ofSamples: LabelValues): Lists {
  const all = new LabelValues();
  for (const [key, values] of Object.entries(own)) {
    for (const value of values) all.add(key, value);
  }
  all.addAll(ofSamples);
  return all.scrubbed(policy);
}
