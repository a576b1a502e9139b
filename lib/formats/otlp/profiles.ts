import { createHash } from "node:crypto";
import { Refusal } from "../../core/refusal.ts";
import type { DecodeContext } from "../decode_context.ts";
import type { Batch, Profile } from "../../records/mod.ts";
import { clippedName, readText, textIn } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { OutcomeTally } from "../outcome_tally.ts";
import { decodePprof } from "../pprof/decode.ts";
import { gzipProfile } from "../pprof/compression.ts";
import { PprofError } from "../pprof/faults.ts";
import { profileRecord } from "../pprof/profile_record.ts";
import { readUpload } from "../pprof/upload.ts";
import {
  type OtlpDictionary,
  type OtlpProfile,
  type OtlpProfiles,
  type ProfileSet,
  profileSets,
} from "./profiles_model.ts";
import { TooMuchWork, Work } from "./profiles_limits.ts";
import { placeAttributes, senderOf } from "./resource_attributes.ts";
import { toPprof } from "./profiles_to_pprof.ts";

/** Makes the records of an export request. What cannot or shall not be stored is counted. */
export function profileBatch(
  { groups, dictionary }: OtlpProfiles,
  context: DecodeContext,
): Batch {
  const tally = new OutcomeTally();
  const records = new Map<string, Profile>();
  const work = new Work();
  for (const set of profileSets(groups, dictionary)) {
    const { group, profiles } = set;
    const unwanted = context.policy.filterOther(senderOf(group.attributes).release, context);
    if (unwanted !== null) {
      tally.add("profile", "filtered", unwanted, profiles.length);
      continue;
    }
    const record = toRecord(set, dictionary, context, work);
    if (typeof record === "string") {
      const kind = record === "profile_size" ? "too_large" : "invalid";
      tally.add("profile", kind, record, profiles.length);
    } else if (records.has(record.profileId)) {
      tally.add("profile", "duplicate", "same_profile", profiles.length);
    } else records.set(record.profileId, record);
  }
  return { records: [...records.values()], outcomes: tally.outcomes, eventId: null };
}

/** Why nothing is stored of profiles. */
export type ProfileFault = "older_protocol" | "no_sample_type" | "broken_samples" | "profile_size";

/** Makes the record of profiles that belong together, or says why there is none. */
function toRecord(
  set: ProfileSet,
  dictionary: OtlpDictionary,
  context: DecodeContext,
  work: Work,
): Profile | ProfileFault {
  const { group, profiles } = set;
  if (profiles.some(isOlder)) return "older_protocol";
  const stored = storedOf(set, dictionary, work);
  if (typeof stored === "string") return stored;
  const sender = senderOf(group.attributes);
  const sentId = profiles.find(({ profileId }) => profileId.length === 32)?.profileId;
  return profileRecord(stored.profile, {
    ...surroundings(context),
    profileId: sentId ?? hashOf(stored.plain, sender.service, sender.environment),
    source: "otlp",
    bytes: stored.bytes,
    service: sender.service,
    instance: instanceOf(group.attributes),
    platform: sender.language === "" ? platformOfFrames(stored.frameTypes) : sender.platform,
    environment: sender.environment,
    release: sender.release,
    labels: labelsOf(set, dictionary),
  });
}

/** Values of samples stood where attributes do now: without them nothing else may tell. */
function isOlder({ isOlder, samples }: OtlpProfile): boolean {
  return isOlder || (samples.length > 0 &&
    samples.every(({ values, times, attributes }) =>
      values.length + times.length === 0 && attributes.length > 0
    ));
}

interface Stored {
  readonly profile: ReturnType<typeof decodePprof>["profile"];
  readonly plain: Uint8Array;
  /** Gzip-compressed. */
  readonly bytes: Uint8Array;
  readonly frameTypes: readonly string[];
}

function storedOf(set: ProfileSet, dictionary: OtlpDictionary, work: Work): Stored | ProfileFault {
  try {
    return originalOf(set, work) ?? convert(set, dictionary, work);
  } catch (error) {
    if (error instanceof TooMuchWork) return "profile_size";
    throw error;
  }
}

/** A byte after decompression costs a quarter of a frame, and may have been a hundredth of one before. */
const STEPS_A_BYTE = 1 / 4;
const STEPS_A_COMPRESSED_BYTE = 25;

/** The pprof that a converter made the profiles of, if it sent that along and it can be read. */
function originalOf({ profiles }: ProfileSet, work: Work): Stored | null {
  const sent = profiles.find(({ original, originalFormat }) =>
    original !== null && originalFormat.toLowerCase() === "pprof"
  )?.original;
  if (!sent) return null;
  try {
    const upload = readUpload(sent);
    work.spend(upload.plain.length * STEPS_A_BYTE);
    return { ...upload, frameTypes: [] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    work.spend(sent.length * STEPS_A_COMPRESSED_BYTE);
    return null;
  }
}

function convert(
  set: ProfileSet,
  dictionary: OtlpDictionary,
  work: Work,
): Stored | ProfileFault {
  if (set.profiles.some(({ type }) => type === null)) return "no_sample_type";
  const { bytes: plain, broken, samples, frameTypes } = toPprof(set, dictionary, work);
  if (broken * 2 > samples) return "broken_samples";
  try {
    const { profile } = decodePprof(plain);
    return { profile, plain, bytes: gzipProfile(plain), frameTypes };
  } catch (error) {
    if (!(error instanceof PprofError)) throw error;
    return error.kind === "too_large" ? "profile_size" : "broken_samples";
  }
}

/** The same for the same profile: exporters send again what they got no answer for. */
function hashOf(plain: Uint8Array, service: string, environment: string): string {
  return createHash("sha256").update(plain).update(`\0${service}\0${environment}`)
    .digest("hex").slice(0, 32);
}

function surroundings({ projectId, receivedAt, retentionDays, policy }: DecodeContext) {
  return { projectId, receivedAt, retentionDays, policy };
}

function instanceOf(resource: JsonObject): string {
  const sent = textIn(
    resource,
    "service.instance.id",
    "k8s.pod.name",
    "host.name",
    "container.id",
  );
  return clippedName(sent, TEXT.path) ?? "";
}

/** Where it ran, and what the profile says of itself; the service and the instance have places of their own. */
function labelsOf({ group, profiles }: ProfileSet, { attributes, texts }: OtlpDictionary) {
  const { "service.name": _, "service.instance.id": __, ...place } = placeAttributes(
    group.attributes,
  );
  const own = (profiles[0]?.attributes ?? []).map((index): [string, unknown] => {
    const { key, value } = attributes[index] ?? { key: 0, value: null };
    return [texts[key] ?? "", value];
  });
  return Object.fromEntries(
    [...Object.entries(place), ...own].flatMap(([key, value]) => {
      const text = readText(value);
      return text === undefined || key.startsWith("pprof.") ? [] : [[key, [text]]];
    }),
  );
}

/** What `profile.frame.type` says of the program. */
const PLATFORMS: Readonly<Record<string, string>> = {
  cpython: "python",
  v8js: "node",
  jvm: "java",
  go: "go",
  php: "php",
  ruby: "ruby",
  dotnet: "csharp",
  rust: "rust",
  perl: "perl",
  beam: "elixir",
  luajit: "lua",
};

/** Every runtime calls what is written in C. */
const BELOW_ALL = new Set(["native", "kernel"]);

/**
 * The platform of a profile's frames; `""` when they do not say.
 *
 * @param frameTypes the most frequent first
 */
function platformOfFrames(frameTypes: readonly string[]): string {
  const known = frameTypes.find((type) => Object.hasOwn(PLATFORMS, type));
  if (known !== undefined) return PLATFORMS[known] ?? "";
  return frameTypes.some((type) => BELOW_ALL.has(type)) ? "native" : "";
}
