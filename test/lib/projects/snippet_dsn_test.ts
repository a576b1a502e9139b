import assert from "node:assert/strict";
import { newKey } from "@/lib/accounts/keys.ts";
import { lacksKey, lacksSiteKey, snippetDsn } from "@/lib/projects/setup.tsx";
import { snippetFor } from "@/lib/projects/snippets/mod.ts";

const server = newKey({ projectId: "7", name: "Server", type: "server" });
const browser = newKey({ projectId: "7", name: "Browser", type: "browser" });
const place = { projectId: "7", baseUrl: "https://watchpost.example/prefix" };
const node = snippetFor("node", "");
const otel = snippetFor("opentelemetry", "");

Deno.test("a snippet shows the right kind of key, or another one where any will do", () => {
  const shown = (snippet: typeof node, keys: (typeof server)[]) =>
    new URL(snippetDsn({ ...place, keys, snippet })).username;
  assert.equal(shown(node, [browser, server]), server.publicKey);
  assert.equal(shown(node, [browser]), browser.publicKey);
  assert.equal(shown(otel, [browser, server]), server.publicKey);
});

Deno.test("OpenTelemetry is never given a key that would be refused", () => {
  const dsn = snippetDsn({ ...place, keys: [browser], snippet: otel });
  assert.equal(dsn, `https://${"0".repeat(32)}@watchpost.example/prefix/7`);
  assert.equal(lacksKey({ keys: [browser], snippet: otel }), true);
});

Deno.test("what is for a site shows the site key, else the browser key, and never the server key", () => {
  const site = newKey({ projectId: "7", name: "Site", type: "site" });
  const sites = snippetFor("sites", "");
  const shown = (keys: (typeof server)[]) =>
    new URL(snippetDsn({ ...place, keys, snippet: sites })).username;
  assert.equal(shown([server, browser, site]), site.publicKey);
  assert.equal(shown([server, browser]), browser.publicKey);
  assert.equal(shown([server]), "0".repeat(32));
  assert.equal(lacksKey({ keys: [server], snippet: sites }), true);
  assert.equal(lacksSiteKey({ keys: [server], snippet: sites }), false);
  assert.equal(lacksSiteKey({ keys: [server, browser], snippet: sites }), true);
  assert.equal(lacksSiteKey({ keys: [browser, site], snippet: sites }), false);
});

Deno.test("nobody is told that a key is missing who has it, needs none, or may not see keys", () => {
  assert.equal(lacksKey({ keys: [browser, server], snippet: otel }), false);
  assert.equal(lacksKey({ keys: [browser], snippet: node }), false);
  assert.equal(lacksKey({ keys: [], snippet: otel }), false);
});
