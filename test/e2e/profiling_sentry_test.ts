import type { LinkedProfile } from "@/lib/profiles/mod.ts";
/** Programs that Sentry's SDKs profile, by transaction or all the time: their profiles are found in the trace. */
import assert from "node:assert/strict";
import { callTree } from "../../lib/profiles/trees/call_tree.ts";
import { topFunctions } from "../../lib/profiles/trees/top_functions.ts";
import { mergeProfiles } from "../../lib/profiles/merge/merge.ts";
import { readTraceProfiles } from "../../lib/profiles/queries/trace_profiles.ts";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { waitFor } from "../support/wait_for.ts";
import { nodeService, type Program, pythonService, runProgram } from "./clients/services.ts";
import { notStored } from "./clients/stored.ts";

const WALL = { type: "wall", unit: "nanoseconds" };
const ARRIVES_WITHIN_MS = 15_000;
/** What the programs compute in their transaction. */
const COMPUTED_MS = 600;

const [node, node10, python] = await Promise.all([
  nodeService("profiles_sentry_node"),
  nodeService("profiles_sentry_node10"),
  pythonService("profiles_sentry_python"),
]);

interface Client {
  readonly name: string;
  readonly program: Program | null;
  readonly profiling: "transaction" | "continuous";
  readonly platform: "node" | "python";
  readonly computes: string;
}

const NODE = { platform: "node", computes: "priceOf" } as const;
const PYTHON = { platform: "python", computes: "price_of" } as const;

const CLIENTS: readonly Client[] = [
  { name: "Node, version 10", program: node10, profiling: "transaction", ...NODE },
  { name: "Node, version 10", program: node10, profiling: "continuous", ...NODE },
  { name: "Node", program: node, profiling: "continuous", ...NODE },
  { name: "Python", program: python, profiling: "transaction", ...PYTHON },
  { name: "Python", program: python, profiling: "continuous", ...PYTHON },
];

for (const client of CLIENTS) {
  const { name, program, profiling } = client;
  Deno.test({
    name: `the ${profiling} profile of Sentry in ${name} is found in its trace`,
    ignore: program === null,
    async fn() {
      if (program === null) return;
      await using app = await listeningApp();
      await runProgram(program, { SENTRY_DSN: app.serverDsn, PROFILING: profiling });
      const profile = await profileOfTrace(app);
      const isContinuous = profiling === "continuous";
      assert.equal(profile.source, isContinuous ? "sentry_sample_v2" : "sentry_sample_v1");
      assert.equal(profile.kind, "wall");
      assert.ok(profile.spanId, "it is the transaction's");
      assert.equal(profile.clip !== null, isContinuous);
      await isStoredWhole(app, client, profile);
      await hasComputed(app, client, profile);
      assert.deepEqual(await notStored(app), []);
    },
  });
}

function profileOfTrace({ services: { sql }, projectId }: ListeningApp): Promise<LinkedProfile> {
  return waitFor("a profile in the trace", async () => {
    const [row] = await sql<{ id: string }[]>`
      select replace(trace_id::text, '-', '') as id from transactions
      where project_id = ${projectId} and name = 'checkout'
    `;
    const [profile] = row === undefined ? [] : await readTraceProfiles(sql, projectId, row.id);
    return profile ?? null;
  }, ARRIVES_WITHIN_MS);
}

async function isStoredWhole(
  { services: { sql, objects }, projectId }: ListeningApp,
  { platform }: Client,
  { profileId }: LinkedProfile,
): Promise<void> {
  const [row] = await sql<
    { platform: string; release: string; environment: string; key: string }[]
  >`
    select platform, release, environment, original_key as key from profiles
    where project_id = ${projectId} and profile_id = ${profileId}
  `;
  assert.deepEqual([row?.platform, row?.release, row?.environment], [
    platform,
    "shop@1.4.2",
    "production",
  ]);
  assert.ok(await objects.get(row?.key ?? ""), "what the SDK sent is kept");
}

/** The thread of the transaction, in its time, was busy with what the program computes. */
async function hasComputed(
  { services, projectId }: ListeningApp,
  { computes }: Client,
  { profileId, time, durationMs, threadId, clip }: LinkedProfile,
): Promise<void> {
  const { start, end } = clip ?? { start: time - 1, end: time + durationMs + 1 };
  const { stacks } = await mergeProfiles(services, {
    projectId,
    kind: "wall",
    type: WALL,
    services: [],
    environments: [],
    releases: [],
    start: new Date(start),
    end: new Date(end),
    profileIds: [profileId],
    ...(threadId !== null && { threadId }),
    ...(clip !== null && { clip: true }),
  });
  const tree = callTree(stacks, WALL);
  const own = topFunctions(tree).find(({ frame }) => frame.name === computes);
  const ms = Number(own?.total ?? 0n) / 1e6;
  assert.ok(Math.abs(ms - COMPUTED_MS) < 200, `${computes} takes ${ms} ms`);
}
