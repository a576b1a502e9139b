/** Profiles that stock SDKs sent, see test/fixtures/sentry_profiles/README.md. */
import { gunzipSync } from "node:zlib";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import type { PprofProfile } from "@/lib/formats/pprof/profile.ts";
import { type TimeOrder, timeOrder } from "@/lib/profiles/trees/time_order.ts";
import type { Batch, Profile } from "@/lib/records/mod.ts";
import { decodeEnvelopeBytes } from "@/test/support/decode_events.ts";

export const FIXTURES = [
  "node-10.22.0-v1",
  "node-10.78.0-v2",
  "python-2.75.0-v1",
  "python-2.75.0-v2",
] as const;

const FOLDER = new URL("../../../fixtures/sentry_profiles/", import.meta.url);

/** What such an envelope turns into on the day it was sent. */
export function decodeFixture(name: (typeof FIXTURES)[number]): Batch {
  const bytes = Deno.readFileSync(new URL(`${name}.envelope`, FOLDER));
  return decodeEnvelopeBytes(bytes, { receivedAt: new Date("2026-11-21T17:30:00Z") });
}

/** The only profile of a batch. */
export function profileIn({ records }: Batch): Profile {
  const profiles = records.filter((record) => record.kind === "profile");
  if (profiles.length !== 1) throw new Error(`${profiles.length} profiles`);
  return profiles[0] as Profile;
}

/** What is stored of a profile. */
export function pprofOf({ blob }: Profile): PprofProfile {
  return decodePprof(gunzipSync(blob.bytes)).profile;
}

/** How a profile went on the clock. */
export function orderOf(record: Profile): TimeOrder {
  return timeOrder([pprofOf(record)], { type: "wall", unit: "nanoseconds" });
}

/** The functions of a profile's stacks, the outermost first, with their values. */
export function stacksOf(profile: PprofProfile): { stack: string[]; values: bigint[] }[] {
  const { samples, locations, functions, strings, sampleTypes } = profile;
  return Array.from({ length: samples.count }, (_, sample) => {
    const places = samples.locations.subarray(samples.starts[sample], samples.starts[sample + 1]);
    const stack = [...places].reverse().map((place) => {
      const line = locations.lineStarts[place] ?? 0;
      return strings[functions.names[locations.lineFunctions[line] ?? 0] ?? 0] ?? "";
    });
    const types = sampleTypes.length;
    return { stack, values: [...samples.values.slice(sample * types, (sample + 1) * types)] };
  });
}
