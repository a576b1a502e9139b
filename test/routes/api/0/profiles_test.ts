import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { createApiToken } from "@/lib/accounts/api_tokens.ts";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import type { ValueType } from "@/lib/formats/pprof/profile.ts";
import type { FlameData } from "@/lib/ui/flamegraph/flame_tree.ts";
import { frameHash } from "@/lib/ui/flamegraph/path.ts";
import type { World } from "@/test/support/ingest_world.ts";
import { apiApp } from "@/test/support/api_app.ts";
import { day, storedProfile, type StoredSpec } from "@/test/support/profiled_project.ts";
import { tracedApi } from "@/test/support/traced_api.ts";

interface ProfileAnswer {
  readonly id: string;
  readonly start: string;
  readonly kind: string;
  readonly values: { id: string; total: string }[];
}

interface FlamegraphAnswer {
  readonly kind: string;
  readonly nature: string;
  readonly profiles: number;
  readonly left: number;
  readonly base: { profiles: number } | null;
  readonly flamegraph: FlameData;
  readonly callers: FlameData;
  readonly callees: FlameData;
}

interface TopAnswer {
  readonly type: ValueType;
  readonly total: string;
  readonly baseTotal: string | null;
  readonly count: number;
  readonly functions: {
    name: string;
    self: string;
    total: string;
    selfShare: number;
    baseSelf?: string;
  }[];
}

const AT = `${day(-1)}T10:00:00Z`;

async function profiledApi() {
  const api = await tracedApi();
  const store = async (specs: readonly StoredSpec[], world: World = api) => {
    const records = specs.map((spec) => storedProfile({ ...spec, projectId: world.project.id }));
    const { objects } = api.services;
    await Promise.all(records.map(({ blob }) => objects.put(blob.key, blob.bytes)));
    await api.store(records, world);
    return records;
  };
  const { token } = await createApiToken(api.services.kv, {
    name: "files",
    organizationId: api.organization.id,
    userId: api.owner.id,
    scopes: ["project:read"],
  });
  const send = apiApp(api.services);
  const file = async (path: string, signal: AbortSignal | null = null) => {
    const response = await send(`/api/0/projects/acme/acme-shop/profiles/${path}`, {
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    return { response, bytes: await response.bytes() };
  };
  return { ...api, profiles: store, file };
}

/** What a flame graph draws, as `main 40`, with a dot for each level. */
function drawn({ depths, nodeFrames, frames, totals }: FlameData): string[] {
  return depths.map((depth, node) =>
    `${".".repeat(depth)}${frames.names[nodeFrames[node] ?? 0]} ${totals[node]}`
  );
}

Deno.test("profiles are listed newest first, page by page, with exact totals", async () => {
  await using api = await profiledApi();
  const huge = 2n ** 62n + 1n;
  await api.profiles([
    { at: `${day(-2)}T10:00:00Z` },
    { at: AT, samples: [{ stack: ["a"], values: [1n, huge] }] },
    { at: `${day(-3)}T10:00:00Z`, service: "other" },
  ]);
  const rows = await api.read<ProfileAnswer[]>("/profiles/");
  assert.deepEqual(rows.map(({ start }) => start.slice(0, 10)), [day(-1), day(-2), day(-3)]);
  assert.deepEqual(rows[0]?.values, [
    { id: "samples:count", type: "samples", unit: "count", total: "1" },
    { id: "cpu:nanoseconds", type: "cpu", unit: "nanoseconds", total: String(huge) },
  ]);
  assert.equal((await api.read<unknown[]>("/profiles/?service=other")).length, 1);
  const first = await api.call<ProfileAnswer[]>(
    "viewer",
    "/projects/acme/acme-shop/profiles/?per_page=2",
  );
  const cursor = /rel="next"; results="true"; cursor="([^"]+)"/.exec(
    first.headers.get("link") ?? "",
  )?.[1];
  const second = await api.read<ProfileAnswer[]>(`/profiles/?per_page=2&cursor=${cursor}`);
  assert.deepEqual([...first.body, ...second], rows);
});

Deno.test("one profile has its row, and its bytes as they are stored under a name that tells what it is", async () => {
  await using api = await profiledApi();
  const [stored] = await api.profiles([{ at: AT, service: 'che"ck/out', labels: { a: ["b"] } }]);
  const row = await api.read<ProfileAnswer & { labels: unknown }>(
    `/profiles/${stored?.profileId}/`,
  );
  assert.deepEqual([row.id, row.kind, row.labels], [stored?.profileId, "cpu", { a: ["b"] }]);
  const { response, bytes } = await api.file(`${stored?.profileId}/pprof/`);
  assert.deepEqual(bytes, new Uint8Array(stored?.blob.bytes ?? []));
  assert.equal(response.headers.get("content-type"), "application/octet-stream");
  assert.equal(response.headers.get("content-encoding"), null);
  const time = AT.replaceAll(/[-:]/g, "");
  assert.equal(
    response.headers.get("content-disposition"),
    `attachment; filename="che-ck-out-cpu-${time}.pb.gz"`,
  );
  await api.services.objects.delete(stored?.blob.key ?? "");
  assert.equal((await api.file(`${stored?.profileId}/pprof/`)).response.status, 404);
});

Deno.test("profiles are merged into a flame graph, of the newest kind unless told", async () => {
  await using api = await profiledApi();
  await api.profiles([{ at: AT }, { at: AT }, { at: AT, kindHint: "wall", service: "other" }]);
  const merged = await api.read<FlamegraphAnswer>("/profiles/flamegraph/?service=shop");
  assert.deepEqual(
    [merged.kind, merged.nature, merged.profiles, merged.left, merged.base],
    ["cpu", "interval", 2, 0, null],
  );
  assert.deepEqual(drawn(merged.flamegraph), [
    "root 80000000",
    ".main.main 80000000",
    "..main.work 80000000",
    "...main.hash 60000000",
  ]);
  const wall = await api.read<FlamegraphAnswer>("/profiles/flamegraph/?type=wall:samples:count");
  assert.deepEqual(drawn(wall.flamegraph)[0], "root 4");
  const path = `${frameHash("main.main", "/src/main.go")},${
    frameHash("main.work", "/src/main.go")
  }`;
  const below = await api.read<FlamegraphAnswer>(`/profiles/flamegraph/?service=shop&path=${path}`);
  assert.deepEqual(drawn(below.flamegraph), ["main.work 80000000", ".main.hash 60000000"]);
  const nothing = await api.read<FlamegraphAnswer>("/profiles/flamegraph/?service=none");
  assert.deepEqual([nothing.profiles, drawn(nothing.flamegraph)], [0, ["root 0"]]);
});

Deno.test("a flame graph is filtered, turned round, grouped, and looked at from one function", async () => {
  await using api = await profiledApi();
  await api.profiles([{
    at: AT,
    samples: [
      { stack: ["main", "a", "b"], values: [1n, 1n] },
      { stack: ["main", "c", "b"], values: [1n, 2n] },
    ],
  }]);
  const read = async (parameters: string) =>
    await api.read<FlamegraphAnswer>(`/profiles/flamegraph/?${parameters}`);
  const lines = async (parameters: string) => drawn((await read(parameters)).flamegraph);
  assert.deepEqual(await lines("focus=^a$"), ["root 1", ".main 1", "..a 1", "...b 1"]);
  assert.deepEqual(await lines("ignore=^a$"), ["root 2", ".main 2", "..c 2", "...b 2"]);
  assert.deepEqual(await lines("hide=^[ac]$"), ["root 3", ".main 3", "..b 3"]);
  assert.deepEqual(await lines("invert=1&focus=^a$"), ["root 1", ".b 1", "..a 1", "...main 1"]);
  assert.deepEqual(await lines("by=file"), ["root 3", "./src/main.go 3"]);
  const { callers, callees } = await read("query=^c$");
  assert.deepEqual(drawn(callers), ["root 2", ".c 2", "..main 2"]);
  assert.deepEqual(drawn(callees), ["root 2", ".c 2", "..b 2"]);
});

Deno.test("two times and two releases are compared, on equal totals unless told", async () => {
  await using api = await profiledApi();
  const samples = (a: bigint, b: bigint) => [
    { stack: ["a"], values: [1n, a] },
    { stack: ["b"], values: [1n, b] },
  ];
  await api.profiles([
    { at: `${day(-3)}T10:00:00Z`, release: "1", samples: samples(10n, 30n) },
    { at: `${day(-1)}T10:00:00Z`, release: "2", samples: samples(60n, 20n) },
  ]);
  const times = `start=${day(-2)}&compareStart=${day(-4)}&compareEnd=${day(-2)}`;
  for (const parameters of [times, "release=2&compareRelease=1"]) {
    const { base, flamegraph } = await api.read<FlamegraphAnswer>(
      `/profiles/flamegraph/?${parameters}`,
    );
    assert.equal(base?.profiles, 1);
    assert.deepEqual(drawn(flamegraph), ["root 80", ".a 60", ".b 20"]);
    assert.deepEqual(flamegraph.base?.totals, [80, 20, 60]);
  }
  const exact = await api.read<FlamegraphAnswer>(`/profiles/flamegraph/?${times}&scale=none`);
  assert.deepEqual(exact.flamegraph.base?.totals, [40, 10, 30]);
  const top = await api.read<TopAnswer>(`/profiles/top/?${times}&sort=growth`);
  assert.deepEqual(
    top.functions.map(({ name, self, baseSelf }) => [name, self, baseSelf]),
    [["a", "60", "20"], ["b", "20", "60"]],
  );
  assert.deepEqual([top.total, top.baseTotal], ["80", "40"]);
});

Deno.test("the functions that take most are listed with what they take", async () => {
  await using api = await profiledApi();
  await api.profiles([{ at: AT }]);
  const top = await api.read<TopAnswer>("/profiles/top/");
  assert.deepEqual(
    top.functions.map(({ name, self, total, selfShare }) => [name, self, total, selfShare]),
    [
      ["main.hash", "30000000", "30000000", 0.75],
      ["main.work", "10000000", "40000000", 0.25],
      ["main.main", "0", "40000000", 0],
    ],
  );
  const byTotal = await api.read<TopAnswer>("/profiles/top/?sort=total&limit=1&query=ma(in.m|.*k)");
  assert.deepEqual([byTotal.count, byTotal.functions.map(({ name }) => name)], [2, ["main.work"]]);
});

Deno.test("values are told in the unit that they are in, not the one that was asked for", async () => {
  await using api = await profiledApi();
  await api.profiles([{ at: AT }]);
  const asked = await api.read<TopAnswer>("/profiles/top/?type=cpu:milliseconds");
  assert.deepEqual(asked.type, { type: "cpu", unit: "nanoseconds" });
});

Deno.test("what is merged is exported in the formats of other tools", async () => {
  await using api = await profiledApi();
  await api.profiles([{ at: AT }, { at: AT }]);
  const read = (parameters: string) => api.file(`flamegraph/?service=shop&${parameters}`);
  const text = ({ bytes }: { bytes: Uint8Array }) => new TextDecoder().decode(bytes);
  assert.equal(
    text(await read("format=collapsed")),
    "main.main;main.work 20000000\nmain.main;main.work;main.hash 60000000\n",
  );
  const speedscope = JSON.parse(text(await read("format=speedscope")));
  assert.equal(speedscope.profiles[0].endValue, 80_000_000);
  const svg = await read("format=svg");
  assert.equal(svg.response.headers.get("content-type"), "image/svg+xml");
  assert.match(text(svg), /^(<\?xml[^>]*>\s*)?<svg[\s\S]*main\.hash/);
  const pprof = decodePprof(gunzipSync((await read("format=pprof")).bytes)).profile;
  assert.deepEqual(pprof.sampleTypes.map(({ type }) => type), ["samples", "cpu"]);
  assert.equal(pprof.samples.values.reduce((sum, value) => sum + value, 0n), 80_000_008n);
  assert.equal(pprof.durationNanos, 20_000_000_000n);
  const focused = decodePprof(gunzipSync((await read("format=pprof&focus=hash")).bytes)).profile;
  assert.deepEqual(focused.samples.values, new BigInt64Array([60_000_000n]));
  const { response } = await read("format=collapsed");
  assert.match(
    response.headers.get("content-disposition") ?? "",
    /shop-cpu-\d{8}T\d{6}Z\.collapsed/,
  );
});

Deno.test("files cannot be taken for something else, and run nothing", async () => {
  await using api = await profiledApi();
  const name = "</text><script>alert(1)</script>";
  await api.profiles([{ at: AT, samples: [{ stack: [name], values: [1n, 1n] }] }]);
  for (const format of ["svg", "collapsed", "speedscope", "pprof"]) {
    const { response, bytes } = await api.file(`flamegraph/?format=${format}`);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff", format);
    assert.match(
      response.headers.get("content-security-policy") ?? "",
      /default-src 'none'.*sandbox/,
    );
    if (format === "svg") assert.ok(!new TextDecoder().decode(bytes).includes("<script"));
  }
});

Deno.test("more stacks than a file holds are refused in words", async () => {
  await using api = await profiledApi();
  const handle = Array.from({ length: 2_040 }, (_, level) => `f${level % 50}`);
  const ends = (part: number) =>
    Array.from({ length: 2_600 }, (_, at) => (
      { stack: [...handle, `end${part}.${at}`], values: [1n, 1n] }
    ));
  await api.profiles([0, 1].map((part) => ({ at: AT, samples: ends(part) })));
  const { response, bytes } = await api.file("flamegraph/?format=collapsed");
  assert.equal(response.status, 400);
  assert.match(new TextDecoder().decode(bytes), /too large for a file: it holds 10,000,000 frames/);
});

Deno.test("parameters that make no sense are answered with 400 and words", async () => {
  await using api = await profiledApi();
  await api.profiles([{ at: AT }]);
  for (
    const [path, words] of [
      ["/profiles/?cursor=x", "Invalid cursor"],
      ["/profiles/?sort=oldest", "newest, longest, largest"],
      ["/profiles/?kind=cpus", "Invalid kind"],
      ["/profiles/?type=a", "Invalid type"],
      ["/profiles/?type=a:b:c:d", "Invalid type"],
      ["/profiles/?label=x", "Invalid label"],
      ["/profiles/?trace=1", "Invalid trace: write 32"],
      ["/profiles/?profile=zz", "Invalid profile"],
      ["/profiles/?statsPeriod=x", "Invalid statsPeriod"],
      ["/profiles/flamegraph/?focus=(", "Invalid focus"],
      ["/profiles/flamegraph/?by=line", "Invalid by"],
      ["/profiles/flamegraph/?invert=maybe", "Invalid invert"],
      ["/profiles/flamegraph/?path=main", "Invalid path"],
      ["/profiles/flamegraph/?format=jpg", "Invalid format"],
      ["/profiles/flamegraph/?format=pprof&compareRelease=1", "cannot hold a comparison"],
      ["/profiles/flamegraph/?compareStart=x", "Invalid compareStart"],
      ["/profiles/top/?query=[", "Invalid query"],
      ["/profiles/top/?scale=log", "Invalid scale"],
    ] as const
  ) {
    const refusal = await api.refusal(path);
    assert.equal(refusal.status, 400, path);
    assert.ok(refusal.words.includes(words), `${path}: ${refusal.words}`);
  }
  for (const path of ["/profiles/?label=%00=%00&transaction=%00", "/profiles/top/?type=%00:%00"]) {
    assert.equal((await api.refusal(path)).status, 200, path);
  }
  for (const id of ["x", "0".repeat(32), "%00"]) {
    assert.equal((await api.refusal(`/profiles/${id}/`)).status, 404, id);
  }
});

Deno.test("profiles of another organization are not found by anybody else's id or address", async () => {
  await using api = await profiledApi();
  const [foreign] = await api.profiles([{ at: AT, service: "secret" }], api.otherWorld);
  const id = foreign?.profileId;
  assert.deepEqual(await api.read("/profiles/"), []);
  assert.equal((await api.refusal(`/profiles/${id}/`)).status, 404);
  assert.equal((await api.refusal(`/profiles/${id}/pprof/`)).status, 404);
  const merged = await api.read<FlamegraphAnswer>(`/profiles/flamegraph/?profile=${id}`);
  assert.equal(merged.profiles, 0);
  const { slug } = api.otherWorld.project;
  const address = `/projects/other/${slug}/profiles/`;
  for (const path of ["", `${id}/`, `${id}/pprof/`, "flamegraph/", "top/"]) {
    assert.equal((await api.call("viewer", address + path)).status, 404, path);
    assert.equal((await api.call("nobody", address + path)).status, 401, path);
  }
});

Deno.test("nothing is merged for a client that has gone", async () => {
  await using api = await profiledApi();
  await api.profiles([{ at: AT }]);
  const { response } = await api.file("flamegraph/", AbortSignal.abort());
  assert.equal(response.status, 499);
});
