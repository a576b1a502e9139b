import { gzipSync } from "node:zlib";
import type { MadeRequest } from "../mixed/requests.ts";
import type { Target } from "../traces/ingest/targets.ts";
import { makeProfile, type ProfileSize } from "../pprof_profiles.ts";

/** A service that was watched for half a minute: 60 KB as gzip. */
export const SERVICE: ProfileSize = {
  samples: 1_150,
  functions: 900,
  locations: 1_600,
  depth: 13,
  types: 2,
};
/** A small one: 20 KB as gzip. */
export const SMALL: ProfileSize = {
  samples: 400,
  functions: 300,
  locations: 500,
  depth: 12,
  types: 2,
};

/** Where pprof is uploaded, each with its key. */
export function uploadPaths(targets: readonly Target[]): string[] {
  return targets.map(({ publicKey }) =>
    `/api/v1/profiles/pprof?service=shop&environment=production ${publicKey}`
  );
}

/** Different ones; the others are told apart by a field that nobody reads. */
const DIFFERENT = 40;
/** Of field 100, a number. */
const UNKNOWN_TAG = [0xa0, 0x06];

/** Makes uploads of one size, each with an id of its own. */
export function uploadsOf(size: ProfileSize): (index: number) => MadeRequest {
  const profiles = Array.from({ length: DIFFERENT }, (_, seed) => makeProfile(size, seed + 1));
  const run = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return (index) => {
    const profile = profiles[index % DIFFERENT] ?? new Uint8Array();
    const own = [...UNKNOWN_TAG, ...varint(run), ...UNKNOWN_TAG, ...varint(index)];
    const plain = new Uint8Array(profile.length + own.length);
    plain.set(profile);
    plain.set(own, profile.length);
    return { body: gzipSync(plain), bytes: plain.length };
  };
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value;; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left];
    bytes.push(left % 128 | 0x80);
  }
}
