import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { joinBytes } from "@/lib/core/read_body.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { findArtifacts, readArtifact, readyBundles } from "@/lib/sourcemaps/mod.ts";
import { type ActorName, ADMIN_TOKEN, type TestApi, testApi } from "../../../support/api_people.ts";
import { apiApp } from "../../../support/api_app.ts";
import {
  cliBundle,
  DEBUG_ID,
  newerBundle,
  scriptAndMap,
  sha1,
  zipOf,
} from "../../../support/artifact_bundles.ts";
import { waitFor } from "../../../support/wait_for.ts";

const ASSEMBLE = "/organizations/acme/artifactbundle/assemble/";
const UNKNOWN = "f".repeat(40);

interface Answer {
  readonly state: string;
  readonly missingChunks: readonly string[];
  readonly detail?: string | null;
}

interface Named {
  readonly projects?: readonly (string | number)[];
  readonly version?: string;
  readonly dist?: string;
}

/** An upload as a tool does it. */
function uploader(api: TestApi) {
  const send = apiApp(api.services);
  const slug = api.project.slug;
  async function ask(bytes: Uint8Array, named: Named = {}): Promise<Answer> {
    const hash = sha1(bytes);
    const body = { checksum: hash, chunks: [hash], projects: [slug], ...named };
    const { status, body: answer } = await api.call<Answer>("bootstrap", ASSEMBLE, {
      method: "POST",
      body,
    });
    assert.equal(status, 200, JSON.stringify(answer));
    return answer;
  }
  async function sendChunk(
    bytes: Uint8Array,
    { field = "file", name = sha1(bytes), organization = "acme", token = ADMIN_TOKEN } = {},
  ): Promise<Response> {
    const form = new FormData();
    form.append(field, new Blob([new Uint8Array(bytes)]), name);
    return await send(`/api/0/organizations/${organization}/chunk-upload/`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
  }
  async function ended(bytes: Uint8Array, named: Named = {}): Promise<Answer> {
    return await waitFor<Answer>("the end of an upload", async () => {
      const answer = await ask(bytes, named);
      return ["ok", "error"].includes(answer.state) ? answer : undefined;
    });
  }
  return {
    ask,
    sendChunk,
    ended,
    /** From the first question to the end. */
    async upload(bytes: Uint8Array, named: Named = {}): Promise<Answer> {
      const first = await ask(bytes, named);
      if (first.state === "not_found") {
        assert.equal((await sendChunk(bytes)).status, 200);
        assert.deepEqual(await ask(bytes, named), { state: "created", missingChunks: [] });
      }
      return await ended(bytes, named);
    },
  };
}

const found = (api: TestApi, debugId = DEBUG_ID) =>
  findArtifacts(api.services.sql, api.project.id, { debugIds: [debugId] });

Deno.test("tools are told how to upload, with an absolute address and gzip alone", async () => {
  await using api = await testApi();
  const { status, body } = await api.call<Record<string, unknown>>(
    "owner",
    "/organizations/acme/chunk-upload/",
  );
  assert.equal(status, 200);
  assert.deepEqual(body, {
    url: `${api.services.config.baseUrl}/api/0/organizations/acme/chunk-upload/`,
    chunkSize: 8_388_608,
    chunksPerRequest: 64,
    maxFileSize: 268_435_456,
    maxRequestSize: 33_554_432,
    maxWait: 300,
    concurrency: 4,
    hashAlgorithm: "sha1",
    compression: ["gzip"],
    accept: ["release_files", "artifact_bundles", "artifact_bundles_v2", "debug_files", "proguard"],
  });
});

Deno.test("an upload is asked for, sent, put together, and found by debug id", async () => {
  await using api = await testApi();
  const { ask, sendChunk, ended } = uploader(api);
  const bytes = cliBundle({ files: scriptAndMap() });
  const hash = sha1(bytes);
  assert.deepEqual(await ask(bytes), { state: "not_found", missingChunks: [hash] });
  assert.deepEqual(await ask(bytes, { chunks: [] } as Named), {
    state: "not_found",
    missingChunks: [],
  });
  assert.equal((await sendChunk(bytes)).status, 200);
  assert.deepEqual(await ask(bytes), { state: "created", missingChunks: [] });
  assert.deepEqual(await ended(bytes), { state: "ok", detail: null, missingChunks: [] });

  const artifacts = await found(api);
  assert.deepEqual(artifacts.map(({ type, url }) => [type, url]).toSorted(), [
    ["minified_source", "~/app.js"],
    ["source_map", "~/app.js.map"],
  ]);
  const map = artifacts.find(({ type }) => type === "source_map");
  assert.ok(map);
  const text = new TextDecoder().decode(
    await readArtifact(api.services.objects, map) ?? new Uint8Array(),
  );
  assert.equal(JSON.parse(text).mappings, "AAAA");
  const [ready] = await readyBundles(api.services.sql, 10);
  assert.deepEqual([ready?.bundleId, ready?.projectId], [map.bundleId, api.project.id]);
});

Deno.test("chunks may be gzip, come in any order and more than once, and are put in the order of the upload", async () => {
  await using api = await testApi();
  const { sendChunk } = uploader(api);
  const bytes = newerBundle({ files: scriptAndMap() });
  const chunks = [bytes.subarray(0, 100), bytes.subarray(100, 300), bytes.subarray(300)];
  for (const chunk of chunks.toReversed()) {
    const options = { field: "file_gzip", name: sha1(chunk) };
    for (let time = 0; time < 2; time++) {
      assert.equal((await sendChunk(gzipSync(chunk), options)).status, 200);
    }
  }
  const body = { checksum: sha1(bytes), chunks: chunks.map(sha1), projects: [api.project.slug] };
  await waitFor("the upload", async () => {
    const { body: answer } = await api.call<Answer>("owner", ASSEMBLE, { method: "POST", body });
    return answer.state === "ok" || undefined;
  });
  assert.equal((await found(api)).length, 2);
});

Deno.test("the same upload for another release and another project is one more bundle of the same contents", async () => {
  await using api = await testApi();
  const { upload } = uploader(api);
  const { kv, sql } = api.services;
  const other = await createProject(kv, {
    organizationId: api.organization.id,
    name: "Other",
    platform: "node",
  });
  const bytes = cliBundle({ files: scriptAndMap() });
  await upload(bytes);
  await upload(bytes, { version: "shop@2", dist: "7" });
  await upload(bytes, { projects: [Number(other.id)] });

  const bundles = await sql`
    select project_id as project, release, dist from artifact_bundles order by project_id, uploaded_at
  `;
  assert.deepEqual([...bundles], [
    { project: api.project.id, release: "", dist: "" },
    { project: api.project.id, release: "shop@2", dist: "7" },
    { project: other.id, release: "", dist: "" },
  ]);
  const [files] = await sql`select count(*)::int as count from artifact_files`;
  assert.deepEqual(files, { count: 2 });
});

Deno.test("release and dist of the manifest count where the request has none", async () => {
  await using api = await testApi();
  const { upload } = uploader(api);
  await upload(cliBundle({ files: scriptAndMap(), release: "shop@1", dist: "1" }));
  const urls = ["~/app.js"];
  const wanted = { release: "shop@1", dist: "1", urls };
  const artifacts = await findArtifacts(api.services.sql, api.project.id, wanted);
  assert.deepEqual(artifacts.map(({ url }) => url), ["~/app.js"]);
});

Deno.test("requests that name nothing, or not what there is, are refused with a sentence", async () => {
  await using api = await testApi();
  const hash = UNKNOWN;
  const slug = api.project.slug;
  const refused: [object, RegExp][] = [
    [{ checksum: "x", chunks: [], projects: [slug] }, /SHA-1/],
    [{ checksum: hash, chunks: ["../x"], projects: [slug] }, /SHA-1/],
    [{ checksum: hash, chunks: [hash] }, /at least one project/],
    [{ checksum: hash, chunks: [hash], projects: ["nothing"] }, /no project \\"nothing\\"/],
    [{ checksum: hash, chunks: [hash], projects: [api.otherWorld.project.id] }, /no project/],
    [
      { checksum: hash, chunks: [hash], projects: [slug], dist: "1" },
      /release together with a dist/,
    ],
    [{ checksum: hash, chunks: [hash], projects: [slug], version: "a\nb" }, /line breaks/],
    [{ checksum: hash, chunks: {}, projects: [slug] }, /array/],
  ];
  for (const [body, reason] of refused) {
    const answer = await api.call<unknown>("owner", ASSEMBLE, { method: "POST", body });
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.match(JSON.stringify(answer.body), reason);
  }
});

Deno.test("members of the organization may upload, viewers and strangers may not", async () => {
  await using api = await testApi();
  const body = { checksum: UNKNOWN, chunks: [UNKNOWN], projects: [api.project.slug] };
  const statuses: Partial<Record<ActorName, number>> = {};
  for (const actor of ["nobody", "stranger", "viewer", "member", "owner"] as const) {
    const assembled = await api.call(actor, ASSEMBLE, { method: "POST", body });
    const asked = await api.call(actor, "/organizations/acme/chunk-upload/");
    assert.equal(asked.status, assembled.status);
    statuses[actor] = assembled.status;
  }
  assert.deepEqual(statuses, { nobody: 401, stranger: 404, viewer: 403, member: 200, owner: 200 });
});

Deno.test("a chunk of another organization is missing here", async () => {
  await using api = await testApi();
  const { ask, sendChunk } = uploader(api);
  const bytes = cliBundle({ files: scriptAndMap() });
  assert.equal((await sendChunk(bytes, { organization: "other" })).status, 200);
  assert.deepEqual(await ask(bytes), { state: "not_found", missingChunks: [sha1(bytes)] });
});

Deno.test("chunks that are not what they say are refused, and nothing of them is kept", async () => {
  await using api = await testApi();
  const { sendChunk } = uploader(api);
  const bomb = gzipSync(new Uint8Array(9 * 1024 * 1024));
  const inPieces = joinBytes(Array(10_001).fill(gzipSync("a")));
  const refused: [Response, RegExp][] = [
    [await sendChunk(new Uint8Array(3), { name: UNKNOWN }), /checksum/],
    [await sendChunk(new Uint8Array(3), { name: "../../x" }), /checksum/],
    [
      await sendChunk(new Uint8Array(3), { field: "file_brotli" }),
      /not known: send file or file_gzip/,
    ],
    [await sendChunk(new Uint8Array(3), { field: "file_gzip" }), /no whole gzip/],
    [await sendChunk(inPieces, { field: "file_gzip" }), /no whole gzip/],
    [await sendChunk(bomb, { field: "file_gzip" }), /Chunk size too large/],
    [await sendChunk(new Uint8Array(9 * 1024 * 1024)), /Chunk size too large/],
  ];
  for (const [response, reason] of refused) {
    assert.equal(response.status, 400);
    assert.match((await response.json()).detail, reason);
  }
  const [rows] = await api.services.sql`select count(*)::int as count from upload_chunks`;
  assert.deepEqual(rows, { count: 0 });
  assert.deepEqual(await Array.fromAsync(api.services.objects.list("upload_chunks/")), []);
});

Deno.test("too many chunks in a request, and bodies that are no form, are refused", async () => {
  await using api = await testApi();
  const send = apiApp(api.services);
  const post = (body: BodyInit, type?: string) =>
    send("/api/0/organizations/acme/chunk-upload/", {
      method: "POST",
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        ...(type === undefined ? {} : { "content-type": type }),
      },
      body,
    });
  const many = new FormData();
  for (let count = 0; count < 65; count++) many.append("file", new Blob(["x"]), "x");
  assert.match((await (await post(many)).json()).detail, /Too many chunks/);
  assert.equal((await post("{}", "application/json")).status, 415);
  assert.equal((await post("junk", "multipart/form-data; boundary=x")).status, 400);
  assert.equal((await post("", "multipart/form-data; boundary=x")).status, 200);
});

Deno.test("bundles that cannot be used end as an error that says why, and leave nothing", async () => {
  await using api = await testApi();
  const { upload } = uploader(api);
  const { sql, objects } = api.services;
  const noIds = { "app.js": { type: "minified_source", url: "~/app.js", text: "alert(1)" } };
  const refused: [Uint8Array, RegExp][] = [
    [new TextEncoder().encode("no archive"), /no whole ZIP/],
    [cliBundle({ files: noIds }), /without debug ids or release is prohibited/],
    [zipOf([{ name: "manifest.json", bytes: "{}", flags: 1 }]), /encrypted/],
  ];
  for (const [bytes, reason] of refused) {
    const answer = await upload(bytes);
    assert.equal(answer.state, "error");
    assert.match(answer.detail ?? "", reason);
  }
  const [counts] = await sql`
    select (select count(*)::int from artifact_bundles) as bundles, (select count(*)::int from artifacts) as files
  `;
  assert.deepEqual(counts, { bundles: 0, files: 0 });
  // What was stored before the check failed has no bundle, and goes with the next sweep.
  await sql`update artifact_files set claimed_at = now() - interval '2 hours'`;
  const { sweepUploads } = await import("@/lib/sourcemaps/mod.ts");
  await sweepUploads({ sql, objects, retentionDays: 90 }, new AbortController().signal);
  assert.deepEqual(await Array.fromAsync(objects.list("artifact_files/")), []);
});

Deno.test("a whole that does not have its SHA-1 is refused", async () => {
  await using api = await testApi();
  const { sendChunk } = uploader(api);
  const bytes = cliBundle({ files: scriptAndMap() });
  await sendChunk(bytes);
  const body = { checksum: UNKNOWN, chunks: [sha1(bytes)], projects: [api.project.slug] };
  const answer = await waitFor<Answer>("the error", async () => {
    const { body: said } = await api.call<Answer>("owner", ASSEMBLE, { method: "POST", body });
    return said.state === "error" ? said : undefined;
  });
  assert.equal(answer.detail, "Reported checksum mismatch");
});

Deno.test("an upload beyond the organization's space is refused with what to do", async () => {
  await using api = await testApi({ sourceMapsMaxBytes: 100 });
  const { sendChunk, ask } = uploader(api);
  const bytes = cliBundle({ files: scriptAndMap() });
  const response = await sendChunk(bytes);
  assert.equal(response.status, 413);
  assert.match((await response.json()).detail, /space for source maps .* is full: delete old ones/);
  assert.equal((await ask(bytes)).state, "not_found");
});

Deno.test("a deleted upload is gone with its contents, and can be sent again", async () => {
  await using api = await testApi();
  const { upload } = uploader(api);
  const { sql, objects } = api.services;
  const bytes = cliBundle({ files: scriptAndMap() });
  await upload(bytes, { version: "shop@1" });
  await upload(bytes, { version: "shop@2" });
  const path = `/projects/acme/${api.project.slug}/files/artifact-bundles/`;
  const { body: bundles } = await api.call<{ bundleId: string }[]>("owner", path);
  const [newest, oldest] = bundles;
  // What is made of a file is kept under a name that begins with its own.
  const [artifact] = await found(api);
  await objects.put(`${artifact?.objectKey}.1.table`, new Uint8Array(1));

  const first = await api.call("owner", `${path}?bundleId=${newest?.bundleId}`, {
    method: "DELETE",
  });
  assert.equal(first.status, 204);
  assert.equal((await found(api)).length, 2);
  const second = await api.call("owner", `${path}?release=shop@1`, { method: "DELETE" });
  assert.equal(second.status, 204);
  assert.deepEqual(await found(api), []);
  assert.deepEqual(await Array.fromAsync(objects.list("artifact_files/")), []);
  const [rows] = await sql`select count(*)::int as count from artifact_files`;
  assert.deepEqual(rows, { count: 0 });
  const again = await api.call("owner", `${path}?bundleId=${oldest?.bundleId}`, {
    method: "DELETE",
  });
  assert.equal(again.status, 404);

  assert.equal((await upload(bytes, { version: "shop@1" })).state, "ok");
  assert.equal((await found(api)).length, 2);
});

Deno.test("uploads of a project are listed, filtered and shown with their files, to nobody else", async () => {
  await using api = await testApi();
  const { upload } = uploader(api);
  await upload(cliBundle({ files: scriptAndMap() }), { version: "shop@1", dist: "7" });
  const other = DEBUG_ID.replace("13cc", "23cc");
  await upload(cliBundle({ files: scriptAndMap(other) }), { version: "shop@2" });
  const path = `/projects/acme/${api.project.slug}`;
  const releases = async (query: string) => {
    const asked = `${path}/files/artifact-bundles/?query=${encodeURIComponent(query)}`;
    const { body } = await api.call<{ associations: { release: string }[] }[]>("viewer", asked);
    return body.map(({ associations }) => associations[0]?.release);
  };
  assert.deepEqual(await releases(""), ["shop@2", "shop@1"]);
  assert.deepEqual(await releases("SHOP@1"), ["shop@1"]);
  assert.deepEqual(await releases(other.toUpperCase()), ["shop@2"]);
  assert.deepEqual(await releases("app.js.map"), ["shop@2", "shop@1"]);
  assert.deepEqual(await releases("100%_"), []);

  const { body: files } = await api.call<{ name: string; debugId: string }[]>(
    "viewer",
    `${path}/releases/shop%401/files/`,
  );
  assert.deepEqual(files.map(({ name, debugId }) => [name, debugId]), [
    ["~/app.js", DEBUG_ID],
    ["~/app.js.map", DEBUG_ID],
  ]);
  const { body: [bundle] } = await api.call<{ bundleId: string }[]>(
    "viewer",
    `${path}/files/artifact-bundles/`,
  );
  const own = `${path}/artifact-bundles/${bundle?.bundleId}/`;
  assert.equal((await api.call("viewer", own)).status, 200);
  assert.equal((await api.call("viewer", own, { method: "DELETE" })).status, 403);
  assert.equal((await api.call("stranger", own)).status, 404);
  const { otherWorld } = api;
  const foreign =
    `/projects/other/${otherWorld.project.slug}/artifact-bundles/${bundle?.bundleId}/`;
  assert.equal((await api.call("stranger", foreign)).status, 404);
  assert.equal((await api.call("stranger", foreign, { method: "DELETE" })).status, 404);
  assert.equal((await found(api, other)).length, 2);
});

Deno.test("a bundle of a release goes to the project that it names", async () => {
  await using api = await testApi();
  const { sendChunk } = uploader(api);
  const files = { "app.js": { type: "minified_source", url: "~/app.js", text: "alert(1)" } };
  const bytes = cliBundle({ files, project: api.project.slug });
  const body = { checksum: sha1(bytes), chunks: [sha1(bytes)] };
  const ask = async () => {
    const path = "/organizations/acme/releases/shop%401/assemble/";
    return (await api.call<Answer>("owner", path, { method: "POST", body })).body;
  };
  assert.deepEqual(await ask(), { state: "not_found", missingChunks: [sha1(bytes)] });
  await sendChunk(bytes);
  await waitFor("the upload", async () => (await ask()).state === "ok" || undefined);
  const wanted = { release: "shop@1", dist: "", urls: ["~/app.js"] };
  const artifacts = await findArtifacts(api.services.sql, api.project.id, wanted);
  assert.equal(artifacts.length, 1);
});

Deno.test("single files of a release are refused with what to use instead", async () => {
  await using api = await testApi();
  const path = `/projects/acme/${api.project.slug}/releases/shop@1/files/`;
  const { status, body } = await api.call<{ detail: string }>("owner", path, { method: "POST" });
  assert.equal(status, 410);
  assert.match(body.detail, /sentry-cli 2\.17 or newer/);
});

Deno.test("a ProGuard mapping is found by its UUID, and native symbols are refused", async () => {
  await using api = await testApi();
  const { sendChunk } = uploader(api);
  const bytes = new TextEncoder().encode("com.acme.Shop -> a.b:\n");
  const hash = sha1(bytes);
  const path = `/projects/acme/${api.project.slug}/files/difs/assemble/`;
  const ask = async (name: string) => {
    const body = { [hash]: { name, chunks: [hash] } };
    const answer = await api.call<Record<string, Answer & { dif?: { uuid: string } }>>(
      "owner",
      path,
      {
        method: "POST",
        body,
      },
    );
    return answer.body[hash];
  };
  const name = `/proguard/${DEBUG_ID}.txt`;
  assert.deepEqual(await ask(name), { state: "not_found", missingChunks: [hash] });
  await sendChunk(bytes);
  const answer = await waitFor("the mapping", async () => {
    const said = await ask(name);
    return said?.state === "ok" ? said : undefined;
  });
  assert.equal(answer.dif?.uuid, DEBUG_ID);
  const [artifact] = await found(api);
  assert.equal(artifact?.type, "proguard");
  const native = await ask("libshop.so");
  assert.match(native?.detail ?? "", /^Native symbols are not supported/);
});
