import process from "node:process";
import { gzipSync } from "node:zlib";
import { storeBlobs } from "@/lib/ingest/durable.ts";
import { pprof } from "@/lib/ingest/protocols/pprof.ts";
import type { UploadBatch } from "@/lib/formats/pprof/upload.ts";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { callTree } from "@/lib/profiles/trees/call_tree.ts";
import { flamePayload } from "@/lib/profiles/trees/flame_payload.ts";
import { StackBuilder } from "@/lib/profiles/trees/stack_builder.ts";
import type { CallTree } from "@/lib/profiles/trees/stacks.ts";
import type { Services } from "@/lib/server/services.ts";
import { mergeProfiles } from "@/lib/profiles/merge/merge.ts";
import type { ProfileSelection } from "@/lib/profiles/queries/profile_query.ts";
import { decodeContext } from "../../support/decode_context.ts";
import { objectsKind } from "../../support/objects.ts";
import { testServices } from "../../support/services.ts";
import { makeProfile } from "../pprof_profiles.ts";
import type { Bench, Figure } from "../table.ts";
import { SMALL, uploadsOf } from "./upload_request.ts";

const PROFILES = 1_000;
const HOURS = 24;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PROJECT = "1";
const CPU = { type: "cpu", unit: "nanoseconds" };
/** Whose tree has over 200,000 nodes. */
const HUGE = { samples: 20_000, functions: 9_000, locations: 16_000, depth: 20, types: 2 } as const;

/** Merges of a thousand profiles through the stores, and what browsers get of trees. */
export async function benchMerges(_: Bench): Promise<Figure[]> {
  await using stores = await testServices();
  const { services } = stores;
  const day = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS;
  const bytes = await fill(services, "shop", day);
  console.error(
    `${PROFILES} profiles of ${(bytes / PROFILES / 1_000).toFixed(0)} KB over ${HOURS} hours, ` +
      `Postgres and ${objectsKind === "s3" ? "S3" : "a folder"}`,
  );
  const yesterday = await mergedTwice("yesterday", services, selectionOf("shop", day));
  // Half an hour more on either side is of no hour's merge.
  const shifted = selectionOf("shop", day + 5.5 * HOUR_MS, 12);
  const twelve = await merged("twelve hours from half past five", fresh(services), shifted);
  const start = Date.now() - DAY_MS;
  await fill(services, "cart", start);
  const last = await mergedTwice("the last 24 hours", services, selectionOf("cart", start));
  const builder = new StackBuilder([CPU]);
  builder.add(decodePprof(makeProfile(HUGE)).profile);
  return [
    ...yesterday.figures,
    ...twelve.figures,
    ...last.figures,
    ...payload("of them", yesterday.tree),
    ...payload("of one huge profile", callTree(builder.build(), CPU)),
  ];
}

interface Timed {
  readonly tree: CallTree;
  readonly figures: readonly Figure[];
}

function selectionOf(service: string, start: number, hours = HOURS): ProfileSelection {
  return {
    projectId: PROJECT,
    kind: "cpu",
    type: CPU,
    services: [service],
    environments: [],
    releases: [],
    start: new Date(start),
    end: new Date(start + hours * HOUR_MS),
  };
}

async function mergedTwice(
  what: string,
  services: Services,
  selection: ProfileSelection,
): Promise<Timed> {
  const cold = await merged(`${what}, cold`, services, selection);
  const kept = await merged(`${what}, of kept merges`, fresh(services), selection);
  const inMemory = await merged(`${what}, of those in memory`, services, selection);
  return {
    tree: cold.tree,
    figures: [...cold.figures, ...kept.figures, ...inMemory.figures],
  };
}

/** Stores what the intake makes of uploads. @returns bytes of all of them */
async function fill(
  { objects, writer, log }: Services,
  service: string,
  start: number,
): Promise<number> {
  const make = uploadsOf(SMALL);
  let bytes = 0;
  for (let index = 0; index < PROFILES; index++) {
    const { body } = make(index);
    bytes += body.length;
    const from = new Date(start + index / PROFILES * HOURS * HOUR_MS);
    const address =
      `/api/v1/profiles/pprof?service=${service}&environment=production&release=1.0.0` +
      `&from=${from.getTime() / 1000}&until=${from.getTime() / 1000 + 10}`;
    const context = decodeContext({ address, projectId: PROJECT });
    const batch = await pprof.decode(body, context) as UploadBatch;
    await writer.commit(PROJECT, await storeBlobs(batch, objects, log));
  }
  return bytes;
}

/** The same stores for a process that has nothing in memory yet. */
function fresh({ sql, objects }: Services): Pick<Services, "sql"> & {
  readonly objects: Pick<Services["objects"], "get" | "put">;
} {
  return {
    sql,
    objects: {
      get: (key) => objects.get(key),
      put: (key, bytes) => objects.put(key, bytes),
    },
  };
}

async function merged(
  what: string,
  stores: Parameters<typeof mergeProfiles>[0],
  selection: ProfileSelection,
): Promise<Timed> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { stacks, profiles, left } = await mergeProfiles(stores, selection);
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  // On a machine that does something else as well the one says more, else the other.
  const of = (figure: string, ours: number): Figure => ({
    part: "merges",
    figure: `${figure} of ${profiles}${left > 0 ? ` (${left} left out)` : ""}, ${what}`,
    unit: "ms",
    ours,
  });
  return {
    tree: callTree(stacks, CPU),
    figures: [of("time", ms), of("CPU", (user + system) / 1_000)],
  };
}

function payload(what: string, tree: CallTree): Figure[] {
  const start = performance.now();
  const json = JSON.stringify(flamePayload(tree));
  const ms = performance.now() - start;
  const nodes = tree.parents.length.toLocaleString("en");
  const of = (figure: string, unit: string, ours: number): Figure => ({
    part: "merges",
    figure: `flame graph of ${nodes} nodes ${what}${figure}`,
    unit,
    ours,
  });
  return [of("", "ms", ms), of(", as gzip", "KB", gzipSync(json).length / 1_000)];
}
