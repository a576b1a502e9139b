import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { createOrganization } from "../../support/organizations.ts";
import { createProject, updateSettings } from "@/lib/accounts/projects.ts";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import type { FlameData } from "@/lib/ui/flamegraph/flame_tree.ts";
import { person } from "../../support/people.ts";
import { newEventId } from "../../support/error_event.ts";
import { CPU_SAMPLES, type TestSample } from "../../support/pprof.ts";
import { minutesAgo, profiledShop } from "../../support/profiled_shop.ts";
import { textOf } from "../../support/ui_app.ts";

const DB: readonly TestSample[] = [
  { stack: ["main.main", "db.Query"], values: [6n, 60_000_000n] },
];
const SLOWER: readonly TestSample[] = [
  { stack: ["main.main", "main.work", "main.hash"], values: [90n, 900_000_000n] },
  { stack: ["main.main", "main.work"], values: [10n, 100_000_000n] },
];
const HEAP = {
  sampleTypes: [{ type: "inuse_objects", unit: "count" }, { type: "inuse_space", unit: "bytes" }],
  durationNanos: 0n,
};

/** Two services, three CPU profiles and two of the heap. */
async function busyShop() {
  const site = await profiledShop();
  const traceId = newEventId();
  const first = await site.upload(
    `service=api&environment=production&release=1&trace_id=${traceId}&label.handler=pay`,
    CPU_SAMPLES,
    { timeNanos: minutesAgo(30) },
  );
  await site.upload("service=api&environment=staging&release=2", DB, { timeNanos: minutesAgo(20) });
  await site.upload("service=worker&transaction=nightly", CPU_SAMPLES, {
    timeNanos: minutesAgo(10),
  });
  for (const [minutes, bytes] of [[8, 1024n], [4, 3072n]] as const) {
    await site.upload(
      "service=api",
      [{ stack: ["main.main", "main.keep"], values: [1n, bytes] }],
      { ...HEAP, timeNanos: minutesAgo(minutes) },
    );
  }
  return { ...site, traceId, first };
}

Deno.test("Profiling tells how to send a profile while there is none", async () => {
  await using site = await profiledShop();
  const answer = await site.owner.get(site.profiling);
  assert.equal(answer.status, 200);
  const text = textOf(answer.html);
  assert.match(text, /No profiles in this time/);
  assert.match(text, /curl .*\/api\/v1\/profiles\/pprof\?service=my-service/);
  assert.match(text, /Authorization: Bearer [0-9a-f]{32}/);
  assert.match(answer.html, /setup\?platform=profiling/);
  assert.match(answer.html, /<title>Profiling · Shop/);
  const compared = await site.owner.get(`${site.profiling}/compare`);
  assert.match(textOf(compared.html), /No profiles in this time/);
});

Deno.test("Profiling shows services, volume, the merged graph and the newest profiles", async () => {
  await using site = await busyShop();
  const { html, status } = await site.owner.get(`${site.profiling}?range=24h&wait=1`);
  assert.equal(status, 200);
  const text = textOf(html);
  assert.match(text, /api go CPU CPU time Samples 2 .*api go Memory .*worker go CPU/);
  assert.match(text, /CPU time of all services Sum of 3 profiles\./);
  assert.match(text, /Newest profiles All 3 profiles/);
  assert.match(html, /main\.hash, [^"<]*total 60 ms/);
  assert.match(html, new RegExp(`/profiling/${site.first}\\?profile_type=cpu%3Acpu%3Ananoseconds`));
  assert.match(html, new RegExp(`/traces/${site.traceId}`));
  assert.match(html, /rail.*href="[^"]*\/profiling/s);
});

Deno.test("service, environment, release, label, transaction and trace choose the profiles", async () => {
  await using site = await busyShop();
  const words = async (query: string) =>
    textOf((await site.owner.get(`${site.profiling}?range=24h&wait=1&${query}`)).html);
  assert.match(await words("service=api"), /CPU time of api Sum of 2 profiles/);
  assert.match(await words("environment=staging"), /One profile\./);
  assert.match(await words("release=1"), /One profile\./);
  assert.match(await words("label=handler%3Dpay"), /One profile\./);
  assert.match(await words("transaction=nightly"), /One profile\./);
  assert.match(await words(`trace=${site.traceId}`), /One profile\./);
  assert.match(await words("label=handler%3Dnone"), /No profiles match/);
  assert.match(
    await words("profile_type=memory:inuse_space:bytes"),
    /Memory in use of all services Average of 2 profiles/,
  );
});

Deno.test("snapshots are averaged, in the graph and in the pprof that is saved", async () => {
  await using site = await busyShop();
  const query = "range=24h&profile_type=memory:inuse_space:bytes";
  const graph = await graphOf(site, `flamegraph?${query}`);
  assert.deepEqual([graph.totals[0], graph.type.type], [2048, "inuse_space"]);
  const saved = await bytesOf(site, `export?${query}&format=pprof`);
  const { profile } = decodePprof(gunzipSync(saved));
  assert.deepEqual([...profile.samples.values], [1n, 2048n]);
});

Deno.test("filters, groups, inversion and a function's two sides shape the graph", async () => {
  await using site = await busyShop();
  const of = async (query: string) => {
    const { totals, frames, nodeFrames } = await graphOf(site, `flamegraph?range=24h&${query}`);
    return [totals[0], ...nodeFrames.slice(1).map((frame) => frames.names[frame])];
  };
  assert.deepEqual(await of("focus=Query"), [60_000_000, "main.main", "db.Query"]);
  assert.deepEqual(await of("ignore=work"), [60_000_000, "main.main", "db.Query"]);
  assert.deepEqual((await of("invert=1"))[1], "db.Query");
  assert.deepEqual(await of("by=file"), [140_000_000, "/src/main.go"]);
  assert.deepEqual(await of("function=main.work&side=callers"), [
    80_000_000,
    "main.work",
    "main.main",
  ]);
  assert.deepEqual(await of("function=main.work&side=callees"), [
    80_000_000,
    "main.work",
    "main.hash",
  ]);
  const page = await site.owner.get(`${site.profiling}?range=24h&wait=1&function=main.work`);
  assert.match(textOf(page.html), /Callers and callees of main\.work.*Callers Who calls.*Callees/);
});

Deno.test("an ill-formed filter is told beside its field, and the page comes without it", async () => {
  await using site = await busyShop();
  const wrong = [
    ["focus=(", /Only stacks with .*The regular expression cannot be read/],
    ["ignore=%5B", /Without stacks with .*The regular expression cannot be read/],
    ["by=moon", /Graphs can be drawn by function, file, module, package; not by “moon”/],
    ["label=nothing", /Labels .*“nothing” is no label: it is written like key=value/],
    ["trace=xyz", /An id of 32 hex digits is wanted here/],
    ["profile_type=what", /“what” is no type of profiles/],
  ] as const;
  for (const [query, words] of wrong) {
    const { status, html } = await site.owner.get(`${site.profiling}?range=24h&wait=1&${query}`);
    assert.equal(status, 200, query);
    assert.match(textOf(html), words);
    assert.match(textOf(html), /Sum of 3 profiles/, query);
    const answer = await site.owner.get(`${site.profiling}/flamegraph?range=24h&${query}`);
    assert.equal(answer.status, 400, query);
    assert.match(answer.html, words.source.includes("regular") ? /regular/ : /detail/);
  }
});

Deno.test("functions are listed with self, total and what changed against the time before", async () => {
  await using site = await profiledShop();
  await site.upload("service=api", CPU_SAMPLES, { timeNanos: minutesAgo(90) });
  await site.upload("service=api", SLOWER, { timeNanos: minutesAgo(30) });
  const list = async (query: string) =>
    textOf((await site.owner.get(`${site.profiling}?range=1h&view=top&wait=1&${query}`)).html);
  const all = await list("");
  assert.match(
    all,
    /main\.hash \/src\/main\.go:7 900 ms 90\.00% 900 ms 90\.00% \+15\.0 pp \+15\.0 pp/,
  );
  assert.match(all, /main\.work \/src\/main\.go:7 100 ms 10\.00% 1 s 100% −15\.0 pp ±0\.0 pp/);
  assert.match(all, /against 1 profile of the same length of time before/);
  assert.match(all, /Showing 1–3 of 3 functions/);
  const { html } = await site.owner.get(`${site.profiling}?range=1h&view=top&wait=1`);
  assert.match(html, /<th[^>]* title="Without what it calls"/);
  assert.match(await list("query=HASH"), /Showing 1–1 of 1/);
  assert.match(await list("query=nothing"), /No function is as the search/);
  assert.match(
    await list("by=file"),
    /Files by CPU time .*File Self.*\/src\/main\.go.*Showing 1–1 of 1 file /,
  );
  assert.match(await list("sort=name"), /main\.hash.*main\.main.*main\.work/);
  assert.match(await list("sort=-total"), /main\.main.*main\.work.*main\.hash/);
});

Deno.test("the page of functions comes before its profiles are merged, and its list when they are", async () => {
  await using site = await busyShop();
  const store = lateStore(site);
  const path = `${site.profiling}?range=24h&view=top&query=hash`;
  const first = await site.owner.get(path);
  assert.equal(first.status, 200);
  assert.match(textOf(first.html), /Services that send profiles.*The functions are being put/);
  assert.doesNotMatch(first.html, /main\.hash/);
  const whole = site.owner.get(waitingHrefOf(first.html));
  store.answers();
  const { html } = await whole;
  assert.match(textOf(html), /main\.hash \/src\/main\.go:7 60 ms .*Showing 1–1 of 1 function/);
  assert.match(html, /<div id="top-functions"><section/);
  assert.doesNotMatch(html, /href="[^"]*wait=1/);
});

Deno.test("what a page has merged is not merged again for its script, even where profiles are gone", async () => {
  await using site = await busyShop();
  const { objects } = site.services;
  const keys = await Array.fromAsync(objects.list("profiles/"), ({ key }) => key);
  await objects.delete(keys.find((key) => key.includes(site.first)) ?? "");
  const { get } = objects;
  let reads = 0;
  const counted = (...key: Parameters<typeof get>) => {
    reads++;
    return get.apply(objects, key);
  };
  Object.assign(objects, { get: counted });
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const query = new URLSearchParams({ start: at(-3_600_000), end: at(60_000), wait: "1" });
  const page = await site.owner.get(`${site.profiling}?${query}`);
  assert.match(textOf(page.html), /Sum of 2 profiles\. 1 more was left out/);
  const ofPage = reads;
  await graphOf(site, `flamegraph?${query}`);
  assert.deepEqual([ofPage > 0, reads], [true, ofPage]);
});

Deno.test("functions that a release made slower are told, after the page that asks for them", async () => {
  await using site = await profiledShop();
  const scaled = (samples: readonly TestSample[], by: bigint) =>
    samples.map((each) => ({ ...each, values: each.values.map((value) => value * by) }));
  for (let at = 0; at < 3; at++) {
    await site.upload("service=api&release=1", scaled(CPU_SAMPLES, 30n), {
      timeNanos: minutesAgo(50 - at),
    });
    await site.upload("service=api&release=2", SLOWER, { timeNanos: minutesAgo(20 - at) });
  }
  const store = lateStore(site);
  const first = await site.owner.get(`${site.profiling}?range=24h&view=changes`);
  assert.match(textOf(first.html), /Services that send profiles.*The releases are being compared/);
  const whole = site.owner.get(waitingHrefOf(first.html));
  store.answers();
  const { html } = await whole;
  assert.equal(store.reads(), 6, "each profile is read once, though two pages asked");
  assert.doesNotMatch(html, /href="[^"]*wait=1/);
  assert.match(textOf(html), /Slower in 2 than in 1 .*main\.hash .*75\.0% 90\.0% \+15\.0 pp/);
  assert.match(html, /compare\?[^"]*release=2&amp;base=custom&amp;base_release=1/);
  const one = await site.owner.get(`${site.profiling}?range=24h&view=changes&wait=1&release=1`);
  assert.match(textOf(one.html), /There are no two releases to compare/);
});

Deno.test("profiles are listed page by page in three orders", async () => {
  await using site = await profiledShop();
  for (let at = 0; at < 51; at++) {
    await site.upload(`service=api&label.n=${at}`, CPU_SAMPLES, {
      timeNanos: minutesAgo(100 - at),
    });
  }
  const path = `${site.profiling}?range=24h&view=list`;
  const first = await site.owner.get(path);
  assert.match(textOf(first.html), /50 of 51 profiles/);
  const next = /rel="next"[^>]*>|href="([^"]+)" rel="next"/.exec(first.html)?.[1] ?? "";
  const second = await site.owner.get(next.replaceAll("&amp;", "&"));
  assert.match(textOf(second.html), /1 of 51 profiles/);
  assert.match(second.html, /rel="prev"/);
  for (const order of ["longest", "largest", "x"]) {
    assert.equal((await site.owner.get(`${path}&order=${order}&cursor=x`)).status, 200);
  }
});

Deno.test("graphs are saved as pprof, collapsed stacks, speedscope and SVG", async () => {
  await using site = await busyShop();
  const path = "export?range=24h&service=api&profile_type=cpu:cpu:nanoseconds";
  const { profile } = decodePprof(gunzipSync(await bytesOf(site, `${path}&format=pprof`)));
  assert.deepEqual(profile.sampleTypes.map(({ type }) => type), ["samples", "cpu"]);
  const text = async (format: string) =>
    new TextDecoder().decode(await bytesOf(site, `${path}&format=${format}`));
  assert.match(await text("collapsed"), /^main\.main;db\.Query 60000000$/m);
  assert.equal(JSON.parse(await text("speedscope")).profiles[0].endValue, 100_000_000);
  assert.match(await text("svg"), /^<svg .*CPU time of api/s);
  assert.equal((await site.owner.get(`${site.profiling}/export?format=doc`)).status, 400);
});

Deno.test("profiles that cannot be read leave the rest of the page as it is", async () => {
  await using site = await busyShop();
  const { objects } = site.services;
  const { get } = objects;
  Object.assign(objects, { get: () => Promise.reject(new Error("the store is away")) });
  for (
    const path of [
      "?wait=1",
      "?view=top&wait=1",
      "?view=changes&wait=1",
      "/compare?range=1h&wait=1",
    ]
  ) {
    const { status, html } = await site.owner.get(site.profiling + path);
    assert.equal(status, 200, path);
    assert.match(textOf(html), /CPU time/);
    assert.doesNotMatch(html, /the store is away/);
  }
  const top = await site.owner.get(`${site.profiling}?view=top&wait=1`);
  assert.match(top.html, /functions could not be read.*href="[^"?]*\?view=top">Try again/s);
  const failed = await site.owner.get(`${site.profiling}?wait=1`);
  assert.match(textOf(failed.html), /The flame graph could not be made.*Newest profiles/);
  Object.assign(objects, { get });
  for await (const { key } of objects.list("profiles/")) await objects.delete(key);
  const gone = await site.owner.get(`${site.profiling}?wait=1`);
  assert.match(textOf(gone.html), /some in the index, but none of them can be read/);
});

Deno.test("members of other organizations find nothing of profiles, and visitors are asked to sign in", async () => {
  await using site = await busyShop();
  const { kv } = site.services;
  const stranger = await person(kv, "stranger");
  const other = await createOrganization(kv, { name: "Other", ownerId: stranger.id });
  const theirs = await createProject(kv, {
    organizationId: other.id,
    name: "Theirs",
    platform: "go",
  });
  const visitor = site.visitor();
  await visitor.signIn(stranger.email);
  const profile = `/${site.first}`;
  const ofProfile = ["", "/flamegraph", "/chart?lane=1", "/embedded", "/export?format=pprof"]
    .map((path) => profile + path);
  const formats = ["stored", "original", "svg"].map((each) => `${profile}/export?format=${each}`);
  const ofAll = [
    "?wait=1",
    "?view=top&wait=1",
    "?view=list",
    "?view=changes&wait=1",
    "/flamegraph",
  ];
  const files = ["/export?format=svg", "/compare?wait=1", "/compare/flamegraph"];
  const paths = [...ofAll, ...files, "/compare/export?format=svg", ...ofProfile, ...formats];
  for (const path of paths) {
    assert.notEqual((await site.owner.get(site.profiling + path)).status, 500, path);
    const strange = await visitor.get(site.profiling + path);
    assert.equal(strange.status, 404, path);
    assert.doesNotMatch(strange.html, /main\.(?:work|hash)|"depths"/, path);
    const nobody = await site.visitor().get(site.profiling + path);
    assert.ok([302, 303, 401].includes(nobody.status), path);
  }
  // Nor does the id of a profile open it among the profiles of a project of their own.
  for (const path of [...ofProfile, ...formats]) {
    const strange = await visitor.get(`/projects/${theirs.id}/profiling${path}`);
    assert.equal(strange.status, 404, path);
  }
  const empty = await visitor.get(`/projects/${theirs.id}/profiling?wait=1`);
  assert.match(textOf(empty.html), /No profiles in this time/);
});

Deno.test("traces that samples name are linked from the list and from the profile", async () => {
  await using site = await profiledShop();
  const [trace, less, span] = [newEventId(), newEventId(), "00000000000000a1"];
  const labelled = (traceId: string, ms: bigint): TestSample => ({
    stack: ["main.main"],
    values: [1n, ms * 1_000_000n],
    labels: [{ key: "trace_id", text: traceId }, { key: "span_id", text: span }],
  });
  const id = await site.upload("service=api", [labelled(less, 10n), labelled(trace, 20n)], {
    timeNanos: minutesAgo(5),
  });
  const list = await site.owner.get(`${site.profiling}?range=24h&view=list`);
  assert.match(list.html, new RegExp(`/traces/${trace}\\?span=${span}`));
  assert.match(textOf(list.html), new RegExp(`${trace.slice(0, 8)} \\+1`));
  const { html } = await site.owner.get(`${site.profiling}/${id}`);
  assert.match(textOf(html), new RegExp(`2 traces named by samples ${trace} ?its samples ${less}`));
  assert.match(html, new RegExp(`/profiling/${id}\\?trace=${less}`));
});

Deno.test("a graph knows the repository that the project names", async () => {
  await using site = await profiledShop();
  const id = await site.upload("service=api", CPU_SAMPLES, { timeNanos: minutesAgo(5) });
  const source = { sourceLink: "https://git.example/{file}#{line}", sourceRoot: "/src/" };
  await updateSettings(site.services.kv, site.projectId, source);
  for (const path of [`/${id}`, "?wait=1"]) {
    const { html } = await site.owner.get(site.profiling + path);
    assert.match(html, /https:\/\/git\.example\/\{file\}/, path);
  }
});

Deno.test("nothing that an address can hold breaks the pages of profiles", async () => {
  await using site = await busyShop();
  const odd = [
    "view=x&sort=-&page=-1&order=%00&cursor=%00&query=%00(",
    "profile_type=cpu:%00:%00&transaction=%00&thread=%00&service=%00&environment=%00",
    "label=%00%3D%00&span=%00&profiler=ffffffffffffffffffffffffffffffff&function=%00",
    "start=2026-13-45&end=x&range=99y&path=xx,%00&tab=table&find=%00",
    `focus=${"(a*)*".repeat(150)}&ignore=${"x".repeat(2_000)}`,
    "base=custom&base_start=x&base_release=%00&base_environment=%00&scale=%00",
    "start=1999-01-01T00:00:00Z&end=2099-01-01T00:00:00Z",
  ];
  for (const search of odd) {
    for (
      const path of ["?wait=1&", "?wait=1&view=top&", "?wait=1&view=changes&", "/compare?wait=1&"]
    ) {
      const { status } = await site.owner.get(`${site.profiling}${path}${search}`);
      assert.equal(status, 200, path + search);
    }
    for (const path of ["/flamegraph?", "/export?format=svg&", "/compare/flamegraph?"]) {
      const { status } = await site.owner.get(`${site.profiling}${path}${search}`);
      assert.ok([200, 400].includes(status), `${status} ${path}${search}`);
    }
  }
});

type Site = Awaited<ReturnType<typeof profiledShop>>;

/** Has the objects of a site wait until they are to answer, and counts how many are read. */
function lateStore({ services: { objects } }: Site) {
  const { get } = objects;
  const stored = Promise.withResolvers<void>();
  let reads = 0;
  const late = async (...key: Parameters<typeof get>) => {
    reads++;
    await stored.promise;
    return await get.apply(objects, key);
  };
  Object.assign(objects, { get: late });
  return { answers: stored.resolve, reads: () => reads };
}

/** Where a page without script goes on to. */
function waitingHrefOf(html: string): string {
  const href = /<noscript><meta[^>]* content="0;url=([^"]+)"/.exec(html)?.[1] ?? "";
  return href.replaceAll("&amp;", "&");
}

async function graphOf(site: Site, path: string): Promise<FlameData> {
  const answer = await site.owner.get(`${site.profiling}/${path}`);
  assert.equal(answer.status, 200, answer.html.slice(0, 300));
  return JSON.parse(answer.html);
}

async function bytesOf(site: Site, path: string): Promise<Uint8Array> {
  const cookie = [...site.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const response = await site.handle(
    new Request(`http://localhost:8000${site.profiling}/${path}`, { headers: { cookie } }),
  );
  assert.equal(response.status, 200);
  return new Uint8Array(await response.arrayBuffer());
}

Deno.test("the views of Profiling stand in the order in which one asks: the graph first, single profiles last", async () => {
  await using site = await busyShop();
  const { html } = await site.owner.get(`${site.profiling}?range=24h&wait=1`);
  const [, views = ""] = /<nav aria-label="Views"[^>]*>(.*?)<\/nav>/s.exec(html) ?? [];
  assert.match(textOf(views), /^Flame graph Top functions Slower since a release Profiles ?3$/);
  assert.match(views, /aria-current="page"[^>]*>Flame graph/);
});
