/** What the pages of a project say to copy before anything has come in. */
import assert from "node:assert/strict";
import { listKeys } from "@/lib/accounts/keys.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { type Acme, acme, type Visitor } from "@/test/support/ui_app.ts";

/** Whose key a section's first lines have. */
const SECTIONS = {
  issues: "server",
  traces: "server",
  transactions: "server",
  performance: "server",
  endpoints: "server",
  queries: "server",
  logs: "server",
  metrics: "server",
  profiling: "server",
  "monitors/crons": "server",
  "web-vitals": "browser",
  feedback: "browser",
} as const;

async function emptyProject({ organization, services: { kv } }: Acme) {
  const { id } = await createProject(kv, {
    organizationId: organization.id,
    name: "Shop",
    platform: "node",
  });
  const keys = await listKeys(kv, id);
  const keyOf = (wanted: string) =>
    keys.find(({ type }) => type === wanted)?.publicKey ?? "no such key";
  return { id, keyOf };
}

/** What is to be copied on a page. */
async function copied(visitor: Visitor, path: string): Promise<string> {
  const { html } = await visitor.get(path);
  return [...html.matchAll(/<pre\b.*?<\/pre>/gs)].join("\n").replace(/<[^>]*>/g, "");
}

Deno.test("each section of an empty project has its own address and key ready to copy, without gaps", async () => {
  await using app = await acme();
  const { id, keyOf } = await emptyProject(app);
  for (const [section, key] of Object.entries(SECTIONS)) {
    const code = await copied(app.owner, `/projects/${id}/${section}`);
    assert.ok(code.includes(keyOf(key)), `${section}: ${code}`);
    assert.doesNotMatch(code, /…/, section);
  }
});

Deno.test("a viewer of an empty project is shown no key", async () => {
  await using app = await acme();
  const { id, keyOf } = await emptyProject(app);
  const { visitor } = await app.member("viewer");
  for (const section of Object.keys(SECTIONS)) {
    const code = await copied(visitor, `/projects/${id}/${section}`);
    assert.match(code, /0{32}/, section);
    assert.ok(!code.includes(keyOf("server")) && !code.includes(keyOf("browser")), section);
  }
});
