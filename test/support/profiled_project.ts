/** Profiles in a project, as intake stores them: bytes in the object store, rows in Postgres. */
import { gzipSync } from "node:zlib";
import { decodePprof } from "../../lib/formats/pprof/decode.ts";
import type { PprofHead } from "../../lib/formats/pprof/encode.ts";
import { type ProfileFacts, profileRecord } from "../../lib/formats/pprof/profile_record.ts";
import type { ObjectStore } from "../../lib/store/objects/store.ts";
import type { Sql } from "../../lib/store/database.ts";
import type { ProfileSelection } from "../../lib/profiles/queries/profile_query.ts";
import type { Profile, TelemetryRecord } from "../../lib/records/mod.ts";
import type { StackProfile } from "../../lib/profiles/trees/stacks.ts";
import { toCollapsed } from "../../lib/profiles/exports/stack_files.ts";
import { callTree } from "../../lib/profiles/trees/call_tree.ts";
import { decodeContext } from "./decode_context.ts";
import { newEventId } from "./error_event.ts";
import { CPU_SAMPLES, pprofBytes, type TestSample } from "./pprof.ts";
import { testDatabase, testObjects } from "./stores.ts";
import { testWriter } from "./writer.ts";

export const PROJECT = "1";
export const CPU = { type: "cpu", unit: "nanoseconds" } as const;

/** One profile; ten seconds of CPU unless told. */
export interface StoredSpec extends Partial<Omit<ProfileFacts, "bytes">> {
  /** When it began. */
  readonly at: Date | string;
  readonly samples?: readonly TestSample[];
  readonly head?: Partial<PprofHead>;
}

/** What reads of the object store did, for tests of what is read at all. */
export interface WatchedObjects extends ObjectStore {
  /** Keys that were asked for since the last time somebody looked. */
  asked(): string[];
}

export interface ProfiledProject extends AsyncDisposable {
  readonly sql: Sql;
  readonly objects: WatchedObjects;
  /** Stores profiles; the newest is 90 days old at most. */
  profiles(...specs: readonly StoredSpec[]): Promise<Profile[]>;
  store(...records: readonly TelemetryRecord[]): Promise<void>;
}

/** The UTC day so many days from now, as `2026-11-20`. */
export function day(distance: number): string {
  return new Date(Date.now() + distance * 86_400_000).toISOString().slice(0, 10);
}

/** Makes the record of a profile. */
export function storedProfile({ at, samples = CPU_SAMPLES, head, ...facts }: StoredSpec): Profile {
  const time = new Date(at);
  const bytes = pprofBytes(samples, { timeNanos: BigInt(time.getTime()) * 1_000_000n, ...head });
  return profileRecord(decodePprof(bytes).profile, {
    ...decodeContext({ projectId: PROJECT }),
    profileId: newEventId(),
    source: "pprof",
    bytes: gzipSync(bytes),
    service: "shop",
    instance: "",
    platform: "go",
    environment: "production",
    release: "shop@1.0",
    ...facts,
  });
}

/** A project without profiles on fresh stores. */
export async function profiledProject(): Promise<ProfiledProject> {
  await using made = new AsyncDisposableStack();
  const { sql } = made.use(await testDatabase());
  const { objects } = made.use(await testObjects());
  const writer = made.use(testWriter(sql));
  const all = made.move();
  return {
    sql,
    objects: watched(objects),
    async profiles(...specs) {
      const records = specs.map(storedProfile);
      await Promise.all(records.map(({ blob }) => objects.put(blob.key, blob.bytes)));
      await writer.store(PROJECT, ...records);
      return records;
    },
    async store(...records) {
      await writer.store(PROJECT, ...records);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** All CPU profiles of the last 30 days. */
export function selectionOf(fields: Partial<ProfileSelection> = {}): ProfileSelection {
  return {
    projectId: PROJECT,
    kind: "cpu",
    type: CPU,
    services: [],
    environments: [],
    releases: [],
    start: new Date(`${day(-30)}T00:00:00Z`),
    end: new Date(`${day(1)}T00:00:00Z`),
    ...fields,
  };
}

/** Stacks of one type as lines, `main;read 42`, sorted. */
export function linesOf(stacks: StackProfile, type = CPU as ProfileSelection["type"]): string[] {
  return toCollapsed(callTree(stacks, type)).trim().split("\n").filter((line) => line).sort();
}

function watched(objects: ObjectStore): WatchedObjects {
  let keys: string[] = [];
  return {
    put: (key, bytes, options) => objects.put(key, bytes, options),
    get(key) {
      keys.push(key);
      return objects.get(key);
    },
    delete: (key) => objects.delete(key),
    list: (prefix) => objects.list(prefix),
    check: () => objects.check(),
    close: () => objects.close(),
    asked() {
      const asked = keys;
      keys = [];
      return asked;
    },
  };
}
