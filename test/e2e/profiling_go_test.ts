/**
 * A service in Go that its own net/http/pprof watches. Its profiles are uploaded by curl; what is stored, shown and
 * exported has the numbers that `go tool pprof` finds in the originals.
 */
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { decodePprof } from "../../lib/formats/pprof/decode.ts";
import { toPprof } from "../../lib/profiles/exports/stack_files.ts";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { pprofBytes } from "../support/pprof.ts";
import { waitFor } from "../support/wait_for.ts";
import { goService, type Service, startService } from "./clients/services.ts";
import { notStored } from "./clients/stored.ts";
import { curlGet, curlUpload } from "./profiling/curl.ts";
import { goTop, hasGoPprof } from "./profiling/go_pprof.ts";
import { download, storedBytes } from "./profiling/downloads.ts";
import { areSameInGo, merged } from "./profiling/read_back.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN_ID = "b7ad6b7169203331";
const CPU = { type: "cpu", unit: "nanoseconds" };
const CPU_TYPES = [{ type: "samples", unit: "count" }, CPU];
const MEMORY = [
  { type: "alloc_objects", unit: "count" },
  { type: "alloc_space", unit: "bytes" },
  { type: "inuse_objects", unit: "count" },
  { type: "inuse_space", unit: "bytes" },
];
const LOCKS = [{ type: "contentions", unit: "count" }, { type: "delay", unit: "nanoseconds" }];
const ALLOCATED = "memory:alloc_space:bytes";
const NAMES = { service: "shop-api", environment: "production", release: "1.4.2" };

const program = await goService("profiles_go");
const isReady = program !== null && await hasGoPprof();

/** Addresses below `/debug/pprof/`, and what their profiles count. */
const PROFILES = [
  { path: "profile?seconds=2", kind: "cpu", types: CPU_TYPES },
  { path: "heap", kind: "memory", types: MEMORY },
  { path: "allocs?seconds=1", kind: "memory", types: MEMORY },
  { path: "mutex", kind: "mutex", hint: "mutex", types: LOCKS },
  { path: "block", kind: "block", hint: "block", types: LOCKS },
  { path: "goroutine", kind: "goroutine", types: [{ type: "goroutine", unit: "count" }] },
];

for (const { path, kind, hint, types } of PROFILES) {
  watched(`Go's ${path} is exported with the numbers of go tool pprof`, async (app, service) => {
    const original = await profileOf(service, path);
    const answer = await curlUpload(app, original, { ...NAMES, ...(hint && { type: hint }) });
    assert.deepEqual(answer.sample_types, types);
    assert.ok(answer.samples > 0);
    assert.deepEqual(await storedBytes(app, answer.id), original, "it is stored as it came");
    const exported = await download(app, `/${answer.id}/export`, { format: "pprof" });
    await areSameInGo([original], exported, types);
    const [row] = await app.services.sql`
      select kind, service, environment, release, platform, is_delta, samples from profiles
    `;
    assert.deepEqual({ ...row }, {
      ...NAMES,
      kind,
      platform: "go",
      is_delta: path.includes("seconds="),
      samples: answer.samples,
    });
  });
}

const MERGED = [
  { path: "profile?seconds=1", value: "cpu:cpu:nanoseconds", types: CPU_TYPES },
  { path: "allocs?seconds=1", value: ALLOCATED, types: MEMORY.slice(0, 2) },
  { path: "mutex?seconds=1", hint: "mutex", value: "mutex:delay:nanoseconds", types: LOCKS },
];

for (const { path, hint, value, types } of MERGED) {
  watched(`Go's ${path} added up has the numbers of go tool pprof`, async (app, service) => {
    const originals: Uint8Array[] = [];
    for (let round = 0; round < 3; round++) {
      const original = await curlGet(`${service.url}/debug/pprof/${path}`);
      await curlUpload(app, original, { ...NAMES, ...(hint && { type: hint }) });
      originals.push(original);
    }
    const query = { format: "pprof", service: NAMES.service, profile_type: value };
    await areSameInGo(originals, await download(app, "/export", query), types);
  });
}

watched("what Go counts since its start is exported as its growth", async (app, service) => {
  const originals: Uint8Array[] = [];
  for (let round = 0; round < 3; round++) {
    const original = await curlGet(`${service.url}/debug/pprof/heap`);
    await curlUpload(app, original, { ...NAMES, instance: "shop-api-1" });
    originals.push(original);
    await curlGet(`${service.url}/debug/pprof/profile?seconds=1`);
  }
  const [first, , last] = originals;
  assert.ok(first && last);
  const query = { format: "pprof", service: NAMES.service, profile_type: ALLOCATED };
  const exported = await download(app, "/export", query);
  for (const type of MEMORY.slice(0, 2)) {
    const { rows } = await goTop([last], type, { base: first });
    assert.deepEqual((await goTop([exported], type)).rows, rows);
  }
});

watched("samples that Go labelled with a trace are found by it", async (app, service) => {
  const original = await curlGet(`${service.url}/debug/pprof/profile?seconds=2`);
  const { id } = await curlUpload(app, original, NAMES);
  const rows = await app.services.sql<{ profile: string; span: string; totals: string[] }[]>`
    select replace(profile_id::text, '-', '') as profile, span_id as span, totals::text[] as totals
    from profile_traces where project_id = ${app.projectId} and trace_id = ${TRACE_ID}
  `;
  const { total } = await goTop([original], CPU, { label: ["trace_id", TRACE_ID] });
  assert.ok(total > 0n && total < (await goTop([original], CPU)).total);
  assert.deepEqual(rows.map(({ profile, span, totals }) => [profile, span, totals[1]]), [
    [id, SPAN_ID, String(total)],
  ]);
  const [row] = await app.services.sql<{ labels: Record<string, string[]> }[]>`
    select labels from profiles
  `;
  assert.deepEqual(row?.labels, { route: ["/orders"] }, "ids are no labels to choose from");
});

Deno.test({
  name: "samples without a stack count in exports as they do in Go",
  ignore: !isReady,
  async fn() {
    // Go's profiles of goroutines have them now and then.
    const goroutine = { type: "goroutine", unit: "count" };
    const samples = [{ stack: ["main.main", "main.wait"], values: [2n] }, {
      stack: [],
      values: [1n],
    }];
    const original = pprofBytes(samples, { sampleTypes: [goroutine], durationNanos: 0n });
    const exported = toPprof(merged([original]), { timeNanos: 0n });
    await areSameInGo([original], exported, [goroutine]);
  },
});

/** Of a busy machine a second may have none: Go tells of what was allocated before its last two collections. */
async function profileOf({ url }: Service, path: string): Promise<Uint8Array> {
  return await waitFor(`samples of ${path}`, async () => {
    const bytes = await curlGet(`${url}/debug/pprof/${path}`);
    return decodePprof(gunzipSync(bytes)).profile.samples.count > 0 ? bytes : null;
  });
}

/** A test with the app and the service, which works all the time. */
function watched(name: string, run: (app: ListeningApp, service: Service) => Promise<void>): void {
  Deno.test({
    name,
    ignore: !isReady,
    async fn() {
      if (program === null) return;
      await using app = await listeningApp();
      await using service = await startService(program, { TRACE_ID, SPAN_ID });
      await run(app, service);
      assert.deepEqual(await notStored(app), []);
    },
  });
}
