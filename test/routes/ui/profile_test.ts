import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import type { FlameData } from "@/lib/ui/flamegraph/flame_tree.ts";
import type { Profile } from "@/lib/records/mod.ts";
import { decodeFixture } from "../../lib/formats/sentry/profile_fixtures.ts";
import { createOrganization } from "../../support/organizations.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { person } from "../../support/people.ts";
import type { PprofLabel } from "@/lib/formats/pprof/encode.ts";
import { type KeptProfiles, keptProfiles } from "../../support/kept_profiles.ts";
import type { StoredSpec } from "../../support/profiled_project.ts";
import { transactionRecord } from "../../support/records.ts";
import { textOf } from "../../support/ui_app.ts";

const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";
const PROFILER = "aaaabbbbccccddddeeeeffff00001111";
const MS = 1_000_000n;

/** Samples of a continuous profiler, one every 10 ms, of two threads. */
function chunkSpec(at: Date, name: string): StoredSpec {
  const labels = (offset: bigint, thread: string): PprofLabel[] => [
    { key: "thread_id", text: thread },
    { key: "thread_name", text: thread === "1" ? "main" : "pool" },
    { key: "offset", number: offset * MS, unit: "nanoseconds" },
  ];
  const offsets = Array.from({ length: 100 }, (_, place) => BigInt(place * 10));
  return {
    at,
    source: "sentry_sample_v2",
    profilerId: PROFILER,
    samples: offsets.flatMap((offset) => [
      { stack: ["run", name], values: [1n, 10n * MS], labels: labels(offset, "1") },
      { stack: ["loop", "idle"], values: [1n, 10n * MS], labels: labels(offset, "2") },
    ]),
    head: {
      sampleTypes: [{ type: "samples", unit: "count" }, { type: "wall", unit: "nanoseconds" }],
      durationNanos: 1_000n * MS,
      comments: ["watchpost:sdk"],
    },
  };
}

async function only(site: KeptProfiles, spec: StoredSpec): Promise<Profile> {
  const [record] = await site.profiles(spec);
  assert.ok(record);
  return record;
}

const minuteAgo = () => new Date(Date.now() - 60_000);

const graphOf = async (site: KeptProfiles, path: string): Promise<FlameData> => {
  const answer = await site.owner.get(`${site.base}/${path}`);
  assert.equal(answer.status, 200, answer.html);
  return JSON.parse(answer.html);
};

/** `name total` of each node. */
const nodesOf = ({ frames, nodeFrames, totals }: FlameData): string[] =>
  nodeFrames.map((frame, node) => `${frames.names[frame]} ${totals[node]}`);

Deno.test("the page of a profile tells its facts and draws its graph without script", async () => {
  await using site = await keptProfiles();
  const { profileId } = await only(site, {
    at: minuteAgo(),
    service: "checkout",
    instance: "web-1",
    labels: { region: ["eu"] },
    traceId: TRACE,
  });
  const answer = await site.owner.get(`${site.base}/${profileId}`);
  assert.equal(answer.status, 200);
  const text = textOf(answer.html);
  assert.match(text, /CPU time of checkout/);
  assert.match(text, /Duration 10 s.*Samples 2 one every 10 ms/);
  assert.match(text, /Release shop@1\.0 Instance web-1/);
  assert.match(text, /region=eu/);
  assert.match(answer.html, new RegExp(`/traces/${TRACE}"`));
  assert.match(answer.html, /<svg[^>]*class="flame-icicle"/);
  assert.match(answer.html, /<title>main\.hash, \/src\/main\.go/);
  const table = textOf((await site.owner.get(`${site.base}/${profileId}?tab=table`)).html);
  assert.match(table, /main\.hash.*30 ms.*75\.0%/);
});

Deno.test("the graph's script gets the values that the address chooses", async () => {
  await using site = await keptProfiles();
  const { profileId } = await only(site, { at: minuteAgo() });
  assert.deepEqual(nodesOf(await graphOf(site, `${profileId}/flamegraph`)), [
    "root 40000000",
    "main.main 40000000",
    "main.work 40000000",
    "main.hash 30000000",
  ]);
  const counted = await graphOf(site, `${profileId}/flamegraph?profile_type=cpu:samples:count`);
  assert.deepEqual(nodesOf(counted).at(-1), "main.hash 3");
  const callers = await graphOf(site, `${profileId}/flamegraph?function=main.hash&side=callers`);
  assert.deepEqual(nodesOf(callers).slice(1), [
    "main.hash 30000000",
    "main.work 30000000",
    "main.main 30000000",
  ]);
  const ignored = await graphOf(site, `${profileId}/flamegraph?ignore=hash`);
  assert.deepEqual(nodesOf(ignored).at(-1), "main.work 10000000");
});

Deno.test("of a profile of one thread's work that thread is shown, and others can be", async () => {
  await using site = await keptProfiles();
  const labels = (thread: string, isActive: boolean): PprofLabel[] => [
    { key: "thread_id", text: thread },
    ...isActive ? [{ key: "active_thread", text: "true" }] : [],
  ];
  const { profileId } = await only(site, {
    at: minuteAgo(),
    samples: [
      { stack: ["serve"], values: [1n, 10n], labels: labels("7", true) },
      { stack: ["wait"], values: [9n, 90n], labels: labels("8", false) },
    ],
  });
  const text = textOf((await site.owner.get(`${site.base}/${profileId}`)).html);
  assert.match(text, /All threadsthread 7 \(active\)thread 8/);
  assert.match(text, /Of thread 7 only/);
  const path = `${profileId}/flamegraph`;
  assert.deepEqual(nodesOf(await graphOf(site, path)), ["root 10", "serve 10"]);
  assert.deepEqual(nodesOf(await graphOf(site, `${path}?thread=8`)), ["root 90", "wait 90"]);
  assert.equal(nodesOf(await graphOf(site, `${path}?thread=all`)).length, 3);
});

Deno.test("time on the clock is shown of the threads that served, and of all by one click", async () => {
  await using site = await keptProfiles();
  const at = minuteAgo();
  const chunk = await only(site, { ...chunkSpec(at, "view"), service: "flask" });
  const marked = chunkSpec(at, "task").samples?.map((sample) => ({
    ...sample,
    labels: [
      ...sample.labels ?? [],
      ...sample.stack[0] === "run" ? [{ key: "active_thread", text: "true" }] : [],
    ],
  }));
  assert.ok(marked);
  const { profilerId: _, ...ofTransaction } = chunkSpec(at, "task");
  await only(site, { ...ofTransaction, service: "celery", samples: marked });
  const all = ["run 2000000000", "view 1000000000", "task 1000000000", "loop 2000000000"];
  const shown = async (query: string) =>
    nodesOf(await graphOf(site, `flamegraph?range=1h${query}`)).filter((node) =>
      /^(run|view|task|loop) /.test(node)
    ).toSorted();
  // Nobody has told yet on which thread the chunk's transactions ran.
  assert.deepEqual(
    await shown(""),
    ["loop 1000000000", "run 2000000000", "task 1000000000", "view 1000000000"],
  );
  const served = transactionRecord({
    startedAt: at,
    timestamp: new Date(at.getTime() + 500),
    durationMs: 500,
    profilerId: PROFILER,
    payload: JSON.stringify({ contexts: { trace: { data: { "thread.id": "1" } } } }),
  });
  await site.services.writer.commit(site.projectId, { records: [served], outcomes: [] });
  // Another end asks anew: what was just merged is kept for half a minute.
  assert.deepEqual(
    await shown("&service=flask&service=celery"),
    ["run 2000000000", "task 1000000000", "view 1000000000"],
  );
  assert.deepEqual(await shown("&threads=all"), all.toSorted());

  const page = await site.owner.get(`${site.base}?range=1h`);
  assert.match(textOf(page.html), /Threads that served\s*All threads/);
  assert.match(page.html, /href="[^"]*threads=all[^"]*"/);
  const own = nodesOf(await graphOf(site, `${chunk.profileId}/flamegraph`));
  assert.ok(own.includes("view 1000000000") && !own.join().includes("loop"), own.join());
});

Deno.test("a stretch of a continuous profiler is joined over its chunks", async () => {
  await using site = await keptProfiles();
  const start = Math.floor(Date.now() / 1_000) * 1_000 - 60_000;
  const first = await only(site, chunkSpec(new Date(start), "before"));
  await only(site, chunkSpec(new Date(start + 1_000), "after"));
  await only(site, chunkSpec(new Date(start + 2_000), "later"));
  const query = `?profiler=${PROFILER}&thread=1&from=${start + 900}&until=${start + 1_200}`;
  const graph = await graphOf(site, `${first.profileId}/flamegraph${query}`);
  assert.deepEqual(nodesOf(graph), [
    "root 300000000",
    "run 300000000",
    "after 200000000",
    "before 100000000",
  ]);
  const text = textOf((await site.owner.get(`${site.base}/${first.profileId}${query}`)).html);
  assert.match(text, /30 samples of a stretch of 300 ms, out of 2 chunks/);
  assert.match(text, /Of main only/);
  const chart = await graphOf(site, `${first.profileId}/chart${query}&lane=1`);
  assert.deepEqual(
    nodesOf(chart),
    [
      "root 290000000",
      "run 290000000",
      "before 100000000",
      "after 190000000",
    ].map((line) => line.replace("290", "300").replace("190", "200")),
  );
  assert.deepEqual((chart as FlameData & { starts: number[] }).starts, [0, 0, 0, 100_000_000]);
  // Its own chunk only, without a time.
  const own = await graphOf(site, `${first.profileId}/flamegraph?profiler=${PROFILER}&thread=1`);
  assert.deepEqual(nodesOf(own).at(-1), "before 1000000000");
});

Deno.test("a time shorter than that between two samples is told to be", async () => {
  await using site = await keptProfiles();
  const start = Math.floor(Date.now() / 1_000) * 1_000 - 60_000;
  const { profileId } = await only(site, chunkSpec(new Date(start), "work"));
  const query = `?from=${start + 1}&until=${start + 4}`;
  const text = textOf((await site.owner.get(`${site.base}/${profileId}${query}`)).html);
  assert.match(text, /0 samples of a stretch of 3 ms/);
  assert.match(text, /It took 3 ms, less than the 10 ms between two samples/);
  assert.match(text, /No samples/);
});

Deno.test("a profile is exported as stored, as shown, and as the SDK sent it", async () => {
  await using site = await keptProfiles();
  const record = await only(site, { at: minuteAgo(), service: "checkout" });
  const path = `${site.base}/${record.profileId}/export`;
  const bytesOf = async (address: string) => {
    const response = await site.handle(
      new Request(new URL(address, "http://localhost:8000"), {
        headers: { cookie: [...site.owner.cookies].map((pair) => pair.join("=")).join("; ") },
      }),
    );
    assert.equal(response.status, 200);
    return { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers };
  };
  const stored = await bytesOf(`${path}?format=stored`);
  assert.deepEqual(stored.bytes, new Uint8Array(record.blob.bytes));
  assert.match(
    stored.headers.get("content-disposition") ?? "",
    /attachment; filename="checkout-cpu-\d{8}T\d{4}\.pb\.gz"/,
  );
  const shown = await bytesOf(`${path}?format=pprof&ignore=hash`);
  const { profile } = decodePprof(gunzipSync(shown.bytes));
  assert.equal(profile.samples.count, 2);
  const collapsed = await site.owner.get(`${path}?format=collapsed`);
  assert.equal(
    collapsed.html,
    "main.main;main.work 10000000\nmain.main;main.work;main.hash 30000000\n",
  );
  assert.match((await site.owner.get(`${path}?format=svg`)).html, /^<svg/);
  const speedscope = JSON.parse((await site.owner.get(`${path}?format=speedscope`)).html);
  assert.equal(speedscope.profiles[0].unit, "nanoseconds");
  assert.equal((await site.owner.get(`${path}?format=original`)).status, 404);
  assert.equal((await site.owner.get(`${path}?format=exe`)).status, 400);
});

Deno.test("profiles of stock SDKs open, go along the time, and keep what was sent", async () => {
  await using site = await keptProfiles();
  for (const name of ["node-10.22.0-v1", "python-2.75.0-v1"] as const) {
    const { records } = decodeFixture(name);
    await site.keep(...records);
    const record = records.find(({ kind }) => kind === "profile");
    assert.ok(record?.kind === "profile");
    const answer = await site.owner.get(`${site.base}/${record.profileId}`);
    assert.equal(answer.status, 200);
    assert.match(textOf(answer.html), /Wall time/);
    assert.match(answer.html, /price_?of/i);
    assert.match(answer.html, new RegExp(`/traces/${record.traceId}`));
    assert.match(answer.html, /format=original/);
    const original = await site.owner.get(
      `${site.base}/${record.profileId}/export?format=original`,
    );
    assert.equal(original.status, 200);
    const thread = record.labels.thread_id?.[0] ?? "";
    const chart = await graphOf(site, `${record.profileId}/chart?lane=${thread}`);
    assert.ok("starts" in chart && chart.depths.length > 1);
    const speedscope = JSON.parse(
      (await site.owner.get(`${site.base}/${record.profileId}/export?format=speedscope`)).html,
    );
    assert.ok(speedscope.profiles.length >= 1);
  }
});

Deno.test("an address with ill-formed parameters shows what is wrong with them", async () => {
  await using site = await keptProfiles();
  const { profileId } = await only(site, { at: minuteAgo() });
  const query = "?focus=(&from=yesterday&trace=xyz&profile_type=no&label=x&by=colour&thread=";
  const answer = await site.owner.get(`${site.base}/${profileId}${query}`);
  assert.equal(answer.status, 200);
  const text = textOf(answer.html);
  assert.match(text, /The regular expression cannot be read/);
  assert.match(text, /from: “yesterday” is no time/);
  assert.match(text, /trace: An id of 32 hex digits/);
  assert.match(text, /Graphs can be drawn by/);
  const odd = "?from=99999999999999999&until=-1&path=zz,%00&lane=%00&tab=x&thread=%00&span=%F0%9F";
  for (const page of ["", "/flamegraph", "/chart"]) {
    assert.equal((await site.owner.get(`${site.base}/${profileId}${page}${odd}`)).status, 200);
  }
});

Deno.test("a profile whose bytes are gone still tells its facts", async () => {
  await using site = await keptProfiles();
  const record = await only(site, { at: minuteAgo(), service: "checkout" });
  await site.services.objects.delete(record.blob.key);
  const answer = await site.owner.get(`${site.base}/${record.profileId}`);
  assert.equal(answer.status, 200);
  assert.match(textOf(answer.html), /Service checkout.*cannot be read/);
  for (const page of ["flamegraph", "chart", "export?format=stored", "export?format=pprof"]) {
    assert.equal((await site.owner.get(`${site.base}/${record.profileId}/${page}`)).status, 404);
  }
});

Deno.test("strangers, other projects and unknown ids get nothing of a profile", async () => {
  await using site = await keptProfiles();
  const { profileId } = await only(site, { at: minuteAgo(), service: "checkout" });
  const stranger = await person(site.services.kv, "stranger");
  await createOrganization(site.services.kv, { name: "Other", ownerId: stranger.id });
  const pages = ["", "/flamegraph", "/chart", "/export?format=stored", "/embedded"];
  const visitor = site.visitor();
  for (const page of pages) {
    const answer = await visitor.get(`${site.base}/${profileId}${page}`);
    assert.equal(answer.status, 303, page);
  }
  await visitor.signIn(stranger.email);
  const { id: other } = await createProject(site.services.kv, {
    organizationId: site.organization.id,
    name: "Other",
    platform: "go",
  });
  for (const page of pages) {
    const answer = await visitor.get(`${site.base}/${profileId}${page}`);
    assert.equal(answer.status, 404, page);
    assert.doesNotMatch(answer.html, /main\.work|checkout/);
    const elsewhere = `/projects/${other}/profiling/${profileId}${page}`;
    assert.equal((await site.owner.get(elsewhere)).status, 404, page);
    for (const id of ["a".repeat(32), "xyz", profileId.slice(1), "%00"]) {
      assert.equal((await site.owner.get(`${site.base}/${id}${page}`)).status, 404, id);
    }
  }
  const viewer = await site.member("viewer");
  assert.equal((await viewer.visitor.get(`${site.base}/${profileId}`)).status, 200);
  const uuid = profileId.toUpperCase().replace(/^(.{8})/, "$1-");
  assert.equal((await site.owner.get(`${site.base}/${uuid}`)).status, 200);
});
