import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { createKey, deleteKey, listKeys, reissueKey, updateKey } from "@/lib/accounts/keys.ts";
import { deleteProject } from "@/lib/projects/deletion.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { serveScript } from "@/lib/sites/serve_loader.ts";
import { errorEnvelope } from "../support/envelopes.ts";
import { testKv } from "../support/kv.ts";
import { makeWorld } from "../support/ingest_world.ts";
import { silentLogger } from "../support/silent_logger.ts";
import { readConfig } from "@/lib/core/config.ts";
import { acme, type UiApp } from "../support/ui_app.ts";

const BASE = "https://watchpost.example/watch";

async function shop() {
  const app = await acme({ baseUrl: BASE });
  const { kv } = app.services;
  const project = await createProject(kv, {
    organizationId: app.organization.id,
    name: "Shop",
    platform: "javascript",
  });
  const projectId = project.id;
  const keys = await listKeys(kv, projectId);
  const browser = keys.find(({ type }) => type === "browser");
  const server = keys.find(({ type }) => type === "server");
  assert.ok(browser && server);
  return { ...app, kv, project, projectId, browser, server };
}

function ask(app: UiApp, path: string, init: RequestInit = {}): Promise<Response> {
  return app.handle(new Request(`http://localhost:8000${path}`, init));
}

async function textOf(app: UiApp, path: string): Promise<string> {
  const response = await ask(app, path);
  assert.equal(response.status, 200, path);
  return await response.text();
}

function maxAgeOf({ headers }: Response): number {
  return Number(/max-age=(\d+)/.exec(headers.get("cache-control") ?? "")?.[1]);
}

Deno.test("the loader of a browser or site key has the key's DSN, and addresses below the service's own", async () => {
  await using app = await shop();
  const site = await createKey(app.kv, { projectId: app.projectId, name: "Shop", type: "site" });
  for (const key of [app.browser, site]) {
    const response = await ask(app, `/js/${key.publicKey}.js`);
    assert.equal(response.status, 200);
    const { headers } = response;
    assert.equal(headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.equal(headers.get("access-control-allow-origin"), "*");
    assert.equal(headers.get("cross-origin-resource-policy"), "cross-origin");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("set-cookie"), null);
    const text = await response.text();
    assert.ok(
      text.includes(`"https://${key.publicKey}@watchpost.example/watch/${app.projectId}"`),
    );
    const addresses = [...text.matchAll(/https?:\/\/[^"@]+(?=")/g)].map(([address]) => address);
    assert.ok(addresses.length >= 2);
    for (const address of addresses) assert.ok(address.startsWith(`${BASE}/js/`), address);
    assert.ok(gzipSync(text).length <= 2_048, `${gzipSync(text).length} bytes`);
  }
});

Deno.test("a loader is kept by browsers for five minutes at most, and told to be the same by its tag", async () => {
  await using app = await shop();
  const path = `/js/${app.browser.id}.js`;
  const response = await ask(app, path);
  assert.ok(maxAgeOf(response) <= 300);
  const etag = response.headers.get("etag") ?? "";
  await response.body?.cancel();
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const again = await ask(app, path, { headers: { "if-none-match": tag } });
    assert.equal(again.status, 304, tag);
    assert.equal(again.headers.get("access-control-allow-origin"), "*");
  }
  await reissueKey(app.kv, app.browser.publicKey);
  const changed = await ask(app, path, { headers: { "if-none-match": etag } });
  assert.equal(changed.status, 200);
  await changed.body?.cancel();
});

Deno.test("a key's id goes on after a reissue, with the new public key; the old public key says so", async () => {
  await using app = await shop();
  const reissued = await reissueKey(app.kv, app.browser.publicKey);
  assert.ok(reissued);
  assert.ok((await textOf(app, `/js/${app.browser.id}.js`)).includes(reissued.publicKey));
  assert.match(await textOf(app, `/js/${app.browser.publicKey}.js`), /this key was reissued on/);
  await deleteKey(app.kv, reissued.publicKey);
  assert.match(await textOf(app, `/js/${app.browser.id}.js`), /this key is not known here/);
  assert.match(await textOf(app, `/js/${reissued.publicKey}.js`), /this key was revoked on/);
});

Deno.test("a key that may not stand in a page gets a script that says so, and has no DSN", async () => {
  await using app = await shop();
  const notices: [key: string, notice: RegExp][] = [
    [app.server.publicKey, /this is a server key/],
    [app.server.id, /this is a server key/],
    ["0123456789abcdef0123456789abcdef", /this key is not known here/],
    ["0123456789abcdef", /this key is not known here/],
  ];
  for (const [key, notice] of notices) {
    const response = await ask(app, `/js/${key}.js`);
    assert.equal(response.status, 200);
    assert.ok(maxAgeOf(response) <= 60);
    const text = await response.text();
    assert.match(text, notice);
    assert.match(text, /^console\.warn\("[^"]+"\);\n$/);
  }
  await updateKey(app.kv, app.browser.publicKey, { isActive: false });
  assert.match(await textOf(app, `/js/${app.browser.publicKey}.js`), /this key is disabled/);
  await updateKey(app.kv, app.browser.publicKey, { isActive: true });
  await deleteProject(app.services, app.project, "olga");
  assert.match(await textOf(app, `/js/${app.browser.publicKey}.js`), /this key is not known here/);
});

Deno.test("the bundle is kept for a year, and comes compressed as the client takes it", async () => {
  await using app = await shop();
  const loader = await textOf(app, `/js/${app.browser.publicKey}.js`);
  const [, path = ""] = /"https:\/\/watchpost\.example\/watch(\/js\/bundle-[^"]+)"/.exec(loader) ??
    [];
  assert.match(path, /^\/js\/bundle-11\.12\.0-[0-9a-f]{8}\.min\.js$/);
  const as = async (encoding: string) => {
    const response = await ask(app, path, { headers: { "accept-encoding": encoding } });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    assert.equal(response.headers.get("vary"), "accept-encoding");
    const sent = response.headers.get("content-encoding") ?? "identity";
    return { sent, bytes: new Uint8Array(await response.arrayBuffer()) };
  };
  const plain = await as("");
  const br = await as("gzip, br");
  const gzip = await as("gzip");
  assert.deepEqual([plain.sent, br.sent, gzip.sent], ["identity", "br", "gzip"]);
  assert.deepEqual(new Uint8Array(brotliDecompressSync(br.bytes)), plain.bytes);
  assert.deepEqual(new Uint8Array(gunzipSync(gzip.bytes)), plain.bytes);
  assert.match(new TextDecoder().decode(plain.bytes), /^\/\*! @sentry\/browser 11\.12\.0, MIT/);
  const head = await ask(app, path, { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(head.body, null);
});

Deno.test("a loader from a cache that names an older bundle gets today's, which is not kept as that", async () => {
  await using app = await shop();
  const response = await ask(app, "/js/bundle-11.11.0-00000000.min.js");
  assert.equal(response.status, 200);
  assert.ok(maxAgeOf(response) <= 300);
  assert.match(await response.text(), /^\/\*! @sentry\/browser 11\.12\.0/);
});

Deno.test("other names are not found, and other methods not taken", async () => {
  await using app = await shop();
  const names = ["x.js", "scripts.json", "..%2fserver.js", "bundle-%2e%2e%2f.min.js", "%00.js"];
  for (const name of names) {
    const response = await ask(app, `/js/${name}`);
    assert.equal(response.status, 404, name);
    await response.body?.cancel();
  }
  const posted = await ask(app, `/js/${app.browser.publicKey}.js`, { method: "POST" });
  assert.equal(posted.status, 405);
  assert.equal(posted.headers.get("allow"), "GET, HEAD");
  await posted.body?.cancel();
});

Deno.test("while the control store is away a loader is answered with 503, which nobody keeps", async () => {
  const { kv, [Symbol.asyncDispose]: dispose } = await testKv();
  const { browserKey } = await makeWorld(kv);
  await dispose();
  const request = new Request(`http://localhost:8000/js/${browserKey}.js`);
  const services = { kv, config: readConfig({}), log: silentLogger };
  const response = await serveScript(request, `${browserKey}.js`, services);
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("cache-control"), "no-store");
  await response.body?.cancel();
});

Deno.test("what pages send is taken at the loader's own address, by the key in the envelope", async () => {
  await using app = await shop();
  const { kv } = app;
  const site = await createKey(kv, { projectId: app.projectId, name: "Shop", type: "site" });
  await updateKey(kv, site.publicKey, { allowedOrigins: ["https://shop.example.com"] });
  const send = async (publicKey: string, origin: string | null) => {
    const { body } = errorEnvelope();
    const [header = "", ...items] = body.split("\n");
    const dsn = `https://${publicKey}@watchpost.example/watch/${app.projectId}`;
    const response = await ask(app, "/js/in", {
      method: "POST",
      headers: { "content-type": "text/plain;charset=UTF-8", ...(origin && { origin }) },
      body: [JSON.stringify({ ...JSON.parse(header), dsn }), ...items].join("\n"),
    });
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    await response.body?.cancel();
    return response.status;
  };
  // The page half and the server half of a site share its key; origins are asked of the pages only.
  assert.equal(await send(site.publicKey, "https://shop.example.com"), 200);
  assert.equal(await send(site.publicKey, "https://elsewhere.example.com"), 403);
  assert.equal(await send(site.publicKey, "null"), 403);
  assert.equal(await send(site.publicKey, null), 200);
  assert.equal(await send("0123456789abcdef0123456789abcdef", null), 401);
  const [row] = await app.services.sql<{ count: number }[]>`
    select count(*)::int as count from events where project_id = ${app.projectId}
  `;
  assert.equal(row?.count, 2);
  const preflight = await ask(app, "/js/in", { method: "OPTIONS" });
  assert.equal(preflight.status, 204);
});
