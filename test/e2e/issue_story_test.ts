/** The story of one error: built by Vite, thrown in Chromium, found in TypeScript, handed over, resolved, and back again. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createApiToken } from "@/lib/accounts/api_tokens.ts";
import { listMembers, SCOPES } from "@/lib/accounts/members.ts";
import { api } from "../support/api_client.ts";
import { CHROMIUM, openBrowser } from "../support/chromium.ts";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { signIn } from "../support/seen_in_chromium.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";
import { waitFor } from "../support/wait_for.ts";
import { type Installed, nodeClient } from "./clients/install.ts";

const tools = await nodeClient("vite_shop");
/** On a busy machine a bundler takes its time, and so does what is put together from its upload. */
const WITHIN_MS = 30_000;

const MAIN = (dsn: string) =>
  `import * as Sentry from "@sentry/browser";
import { checkout } from "./checkout.ts";

Sentry.init({ dsn: ${JSON.stringify(dsn)} });
document.querySelector("button")!.addEventListener("click", () => checkout([]));
`;
const CHECKOUT = `interface Item {
  readonly price: number;
}

/** What is to be paid. */
export function checkout(items: readonly Item[]): number {
  const [first] = items;
  return applyDiscount(first as Item) + items.length;
}

function applyDiscount(item: Item): number {
  return item.price * 0.9;
}
`;
const CONFIG = `import { sentryVitePlugin } from "@sentry/vite-plugin";

export default {
  logLevel: "warn",
  build: { sourcemap: true },
  plugins: [sentryVitePlugin({ telemetry: false, release: { name: process.env.RELEASE } })],
};
`;

/** The shop's repository, with what builds and releases it. */
class ShopRepository {
  constructor(
    readonly folder: TempDir,
    readonly env: Readonly<Record<string, string>>,
  ) {}

  static async begin(folder: TempDir, { directory }: Installed, app: ListeningApp) {
    const [owner] = await listMembers(app.services.kv, app.organization.id);
    const { token } = await createApiToken(app.services.kv, {
      organizationId: app.organization.id,
      userId: owner?.user.id ?? "",
      name: "CI",
      scopes: SCOPES,
    });
    const shop = new ShopRepository(folder, {
      SENTRY_URL: app.url,
      SENTRY_ORG: app.organization.slug,
      SENTRY_PROJECT: "shop",
      SENTRY_AUTH_TOKEN: token,
    });
    await Deno.mkdir(folder.join("src"));
    await Deno.symlink(new URL("node_modules", directory), folder.join("node_modules"));
    await shop.run("git", ["init", "-q"]);
    await shop.run("git", ["remote", "add", "origin", "https://git.example/acme/shop.git"]);
    await shop.commit("Ann", "Begin", {
      ".gitignore": "node_modules\ndist\n",
      "package.json": `{ "private": true, "type": "module" }`,
      "index.html":
        `<!doctype html><title>Shop</title><button>Pay</button><script type="module" src="/src/main.ts"></script>`,
      "vite.config.js": CONFIG,
      "src/main.ts": MAIN(app.browserDsn),
    });
    return shop;
  }

  async commit(author: string, message: string, files: Readonly<Record<string, string>>) {
    for (const [path, text] of Object.entries(files)) {
      await Deno.writeTextFile(this.folder.join(path), text);
    }
    const email = `${author.toLowerCase()}@acme.example`;
    await this.run("git", ["add", "."]);
    const who = ["-c", `user.name=${author}`, "-c", `user.email=${email}`];
    await this.run("git", [...who, "commit", "-q", "-m", message]);
  }

  /** Makes a release of what is committed, and builds it; the plugin uploads its maps. */
  async release(version: string): Promise<void> {
    const cli = (...args: string[]) => this.run("node_modules/.bin/sentry-cli", args);
    await cli("releases", "new", version);
    await cli("releases", "set-commits", version, "--auto", "--ignore-missing");
    await this.run("node_modules/.bin/vite", ["build"], { RELEASE: version });
    await cli("releases", "finalize", version);
    await cli("deploys", "new", "--release", version, "-e", "production");
  }

  /** Says who owns which files; nobody gets an issue by that alone. */
  async own(raw: string): Promise<void> {
    const { SENTRY_URL, SENTRY_ORG, SENTRY_PROJECT, SENTRY_AUTH_TOKEN } = this.env;
    await api(
      SENTRY_URL ?? "",
      SENTRY_AUTH_TOKEN ?? "",
      `/projects/${SENTRY_ORG}/${SENTRY_PROJECT}/ownership/`,
      { method: "PUT", body: { raw, autoAssignment: "Turn off Auto-Assignment" } },
    );
  }

  async run(program: string, args: readonly string[], env: Record<string, string> = {}) {
    const path = program.includes("/") ? this.folder.join(program) : program;
    const { success, stdout, stderr } = await new Deno.Command(path, {
      args: [...args],
      cwd: this.folder.path,
      env: { ...this.env, ...env },
      stdin: "null",
    }).output();
    const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assert.ok(success, `${program} ${args.join(" ")}: ${text}`);
  }
}

/** Serves what was built as it is now: an old client keeps its own. */
async function deploy(folder: string): Promise<AsyncDisposable & { readonly url: string }> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for await (const { name, isFile } of Deno.readDir(`${folder}/assets`)) {
    if (isFile && name.endsWith(".js")) {
      files.set(`/assets/${name}`, await Deno.readFile(`${folder}/assets/${name}`));
    }
  }
  const html = await Deno.readFile(`${folder}/index.html`);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    const script = files.get(new URL(url).pathname);
    const type = script === undefined ? "text/html" : "text/javascript";
    return new Response(script ?? html, { headers: { "content-type": type } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

interface StoredIssue {
  readonly id: string;
  readonly culprit: string;
  readonly status: string;
  readonly substatus: string | null;
  readonly seen: number;
}

/** All issues, once as many events have come as that. */
async function issuesAfter({ services: { sql } }: ListeningApp, events: number) {
  return await waitFor<StoredIssue[]>(`${events} events`, async () => {
    const issues = await sql<StoredIssue[]>`
      select id, culprit, status, substatus, times_seen::int as seen from issues order by id
    `;
    return issues.reduce((sum, { seen }) => sum + seen, 0) >= events ? issues : undefined;
  }, WITHIN_MS);
}

/**
 * Waits until so many uploads can be used, and has the maps of what was built read once: on a busy machine an event would
 * not wait for that, and be mapped afterwards.
 */
async function uploaded(app: ListeningApp, count: number, folder: string): Promise<void> {
  const { sql, sourceMaps } = app.services;
  await waitFor("an upload that can be used", async () => {
    const bundles = await sql`select from artifact_bundles`;
    return bundles.length >= count || undefined;
  }, WITHIN_MS);
  sourceMaps.forget(app.projectId);
  for await (const { name } of Deno.readDir(`${folder}/assets`)) {
    const code = await Deno.readTextFile(`${folder}/assets/${name}`);
    const [, debugId] = /sentry-dbid-([0-9a-f-]{36})/.exec(code) ?? [];
    if (debugId === undefined) continue;
    const frame = { filename: name, lineno: 1, colno: 1 };
    await sourceMaps.map(app.projectId, {
      event_id: "0".repeat(32),
      type: "error",
      level: "error",
      platform: "javascript",
      timestamp: 0,
      received: 0,
      exception: { values: [{ stacktrace: { frames: [frame] } }] },
      debug_meta: { images: [{ type: "sourcemap", code_file: name, debug_id: debugId }] },
    });
  }
}

/** Somebody comes and pays, and the shop throws. */
async function pay(page: Page, url: string): Promise<void> {
  // The SDK sends the same error once only for each time that a page is opened.
  await page.goto(url);
  const sent = page.waitForResponse((response) => response.url().includes("/envelope/"));
  await page.click("button");
  assert.equal((await sent).status(), 200);
}

Deno.test({
  name:
    "an error of a Vite app is found in its TypeScript with the commit behind it, handed over, and resolved until a new release has it again",
  ignore: CHROMIUM === null || tools === null,
  // Playwright keeps handles of its own until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    if (tools === null) return;
    await using app = await listeningApp(true);
    await using folder = await tempDir();
    await using browser = await openBrowser();
    const shop = await ShopRepository.begin(folder, tools, app);
    await shop.commit("Bea", "Give ten percent off", { "src/checkout.ts": CHECKOUT });
    await shop.own("src/checkout.ts olga@example.com");
    await shop.release("shop@1.0.0");
    await uploaded(app, 1, folder.join("dist"));
    await using first = await deploy(folder.join("dist"));
    const client = await browser.newPage();
    await pay(client, first.url);

    const [issue, ...others] = await issuesAfter(app, 1);
    assert.deepEqual(others, []);
    assert.equal(issue?.culprit, "applyDiscount(src/checkout)");
    const context = await browser.newContext({ baseURL: app.url });
    const page = await context.newPage();
    await signIn(page);
    const address = `/projects/${app.projectId}/issues/${issue?.id}`;
    await page.goto(address);
    const read = async () => (await page.innerText("main")).replaceAll(/\s+/g, " ");
    const shown = (text: string) => page.locator("main").getByText(text).first().waitFor();
    const seen = await read();
    assert.match(seen, /return item\.price \* 0\.9;/);
    assert.match(seen, /applyDiscount.*checkout\.ts.*:12/);
    assert.match(seen, /Suspect commits Give ten percent off Bea/);
    assert.match(seen, /changed src\/checkout\.ts/);

    await waitFor("the owner", async () => {
      const owners = await app.services.sql`select from issue_owners`;
      return owners.length > 0 || undefined;
    }, WITHIN_MS);
    await page.reload();
    assert.match(await read(), /Suggested: Olga Owner/);
    await page.click("button[name=assignee]");
    await shown("assigned it");
    assert.equal(
      await page.locator("select[name=assignee] option:checked").innerText(),
      "Olga Owner",
    );
    await page.fill("#comment", "The cart may be **empty**.");
    await page.click("button[value=note]");
    await shown("may be empty");
    await page.click("summary:has(+ * [value=resolve-next])");
    await page.click("[value=resolve-next]");
    await shown("in the release after shop@1.0.0");

    await pay(client, first.url);
    const [resolved] = await issuesAfter(app, 2);
    assert.deepEqual([resolved?.status, resolved?.seen], ["resolved", 2]);

    await shop.commit("Ann", "Say what a checkout is", {
      "src/checkout.ts": `/** Where people pay. */\n\n${CHECKOUT}`,
    });
    await shop.release("shop@1.1.0");
    await uploaded(app, 2, folder.join("dist"));
    await using second = await deploy(folder.join("dist"));
    await pay(client, second.url);
    const back = await issuesAfter(app, 3);
    assert.deepEqual(
      back.map(({ id, status, substatus, seen }) => [id, status, substatus, seen]),
      [[issue?.id, "unresolved", "regressed", 3]],
    );
    await page.goto(address);
    const after = await read();
    assert.match(after, /regressed/);
    assert.match(after, /checkout\.ts.*:14/);

    await page.goto(`/projects/${app.projectId}/releases/detail?version=shop%401.1.0`);
    assert.match(
      await read(),
      /Regressed issues.*TypeError.*Say what a checkout is Ann.*production/,
    );
  },
});
