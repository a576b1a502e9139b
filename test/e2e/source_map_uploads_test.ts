import assert from "node:assert/strict";
import { join } from "node:path";
import { api } from "../support/api_client.ts";
import { ADMIN_TOKEN, type Server, startServer } from "../support/server.ts";
import { waitFor } from "../support/wait_for.ts";
import { type Installed, nodeClient } from "./clients/install.ts";

const RELEASE = "shop@1.2.3";
const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
/** On a busy machine a bundler takes its time. */
const READY_WITHIN_MS = 20_000;

interface Bundle {
  readonly bundleId: string;
  readonly kind: string;
  readonly associations: readonly {
    readonly release: string | null;
    readonly dist: string | null;
  }[];
  readonly fileCount: number;
  readonly debugIdCount: number;
}

interface BundledFile {
  readonly name: string;
  readonly fileType: string;
  readonly debugId: string | null;
}

/** A project on a server, an app to be built, and how a tool is told of both. */
interface Site extends AsyncDisposable {
  readonly server: Server;
  /** Below `/api/0`. */
  readonly path: string;
  readonly keys: Awaited<ReturnType<Server["createProject"]>>;
  readonly folder: string;
  readonly entry: string;
  readonly out: string;
  run(client: Installed, program: string, ...args: string[]): Promise<string>;
}

async function openSite(): Promise<Site> {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await startServer());
  const folder = await Deno.makeTempDir({ prefix: "watchpost-test-uploads-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const project = await server.createProject("Web shop", "javascript");
  const [organization] = await api<{ slug: string }[]>(server.url, ADMIN_TOKEN, "/organizations/");
  const entry = join(folder, "main.js");
  await Deno.writeTextFile(
    join(folder, "shop.js"),
    `export function chargeCard(order) {
  if (order.total > 100) throw new Error("Cannot charge order " + order.number);
  return { paid: order.total, at: Date.now() };
}
`,
  );
  await Deno.writeTextFile(
    entry,
    `import { chargeCard } from "./shop.js";
globalThis.checkout = (numbers) => numbers.map((number) => chargeCard({ number, total: number * 2 }));
console.log(globalThis.checkout([1, 2, 3]));
`,
  );
  return {
    server,
    folder,
    entry,
    out: join(folder, "dist"),
    keys: project,
    path: `/projects/${organization?.slug}/${project.slug}`,
    async run(client, program, ...args) {
      const { success, stdout, stderr } = await new Deno.Command(
        program === "node" ? "node" : join(client.directory.pathname, "node_modules/.bin", program),
        {
          args,
          cwd: client.directory,
          stdin: "null",
          stdout: "piped",
          stderr: "piped",
          env: {
            SENTRY_URL: server.url,
            SENTRY_ORG: organization?.slug ?? "",
            SENTRY_PROJECT: project.slug,
            SENTRY_AUTH_TOKEN: ADMIN_TOKEN,
            RELEASE,
          },
        },
      ).output();
      const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assert.ok(success, `${program} ${args.join(" ")}: ${text}`);
      return text;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function bundlesOf({ server, path }: Site): Promise<Bundle[]> {
  return api(server.url, ADMIN_TOKEN, `${path}/files/artifact-bundles/`);
}

/** The one bundle of the project, once it can be used, and its files. */
async function landed(site: Site): Promise<{ bundle: Bundle; files: BundledFile[] }> {
  const bundle = await waitFor<Bundle>(
    "a bundle that can be used",
    async () => (await bundlesOf(site))[0],
    READY_WITHIN_MS,
  );
  const path = `${site.path}/artifact-bundles/${bundle.bundleId}/files/`;
  return { bundle, files: await api(site.server.url, ADMIN_TOKEN, path) };
}

/** The debug ids in the scripts that would be deployed. */
async function deployedIds(folder: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) ids.push(...await deployedIds(path));
    else if (name.endsWith(".js")) {
      const text = await Deno.readTextFile(path);
      const [, id] = new RegExp(`//# debugId=(${UUID})`).exec(text) ??
        new RegExp(`sentry-dbid-(${UUID})`).exec(text) ?? [];
      if (id !== undefined) ids.push(id);
    }
  }
  return ids;
}

async function assertMapped(site: Site): Promise<Bundle> {
  const { bundle, files } = await landed(site);
  const ids = await deployedIds(site.out);
  assert.ok(ids.length > 0, "what is deployed has debug ids");
  for (const id of ids) {
    const types = files.filter(({ debugId }) => debugId === id).map(({ fileType }) => fileType);
    assert.deepEqual(types.toSorted(), ["minified_source", "source_map"]);
  }
  return bundle;
}

/** What is shown of an event that was obfuscated by this mapping. */
async function namedStack({ server, path, keys }: Site, uuid: string) {
  const eventId = crypto.randomUUID().replaceAll("-", "");
  const event = {
    platform: "java",
    debug_meta: { images: [{ type: "proguard", uuid }] },
    exception: {
      values: [{
        type: "Error",
        value: "no money",
        stacktrace: {
          frames: [{
            module: "a.b",
            function: "a",
            filename: "SourceFile",
            lineno: 3,
            in_app: true,
          }],
        },
      }],
    },
  };
  const response = await fetch(
    `${server.url}/api/${keys.id}/envelope/?sentry_key=${new URL(keys.serverDsn).username}`,
    {
      method: "POST",
      body: `{"event_id":"${eventId}"}\n{"type":"event"}\n${JSON.stringify(event)}`,
    },
  );
  assert.equal(response.status, 200, await response.text());
  const stored = await waitFor(
    "the event",
    () =>
      api<ShownEvent>(server.url, ADMIN_TOKEN, `${path}/events/${eventId}/`).catch(() => undefined),
    READY_WITHIN_MS,
  );
  const [frame] = stored.entries.find(({ type }) => type === "exception")?.data.values[0]
    ?.stacktrace.frames ?? [];
  const { title, culprit } = stored;
  return {
    title,
    culprit,
    frame: frame && [frame.module, frame.function, frame.filename, frame.lineNo],
  };
}

interface ShownEvent {
  readonly title: string;
  readonly culprit: string;
  readonly entries: readonly {
    readonly type: string;
    readonly data: {
      readonly values: readonly {
        readonly stacktrace: {
          readonly frames: readonly {
            readonly module: string;
            readonly function: string;
            readonly filename: string;
            readonly lineNo: number;
          }[];
        };
      }[];
    };
  }[];
}

function cliTest(name: string, client: Installed | null): void {
  Deno.test({
    name: `${name} uploads what it has injected debug ids into, with a release and without`,
    ignore: client === null,
    async fn() {
      if (client === null) return;
      await using site = await openSite();
      const { entry, out } = site;
      const app = join(out, "app.js");
      await site.run(
        client,
        "esbuild",
        entry,
        "--bundle",
        "--minify",
        "--sourcemap",
        `--outfile=${app}`,
      );
      await site.run(client, "sentry-cli", "sourcemaps", "inject", out);
      const first = await site.run(client, "sentry-cli", "sourcemaps", "upload", "--wait", out);
      assert.match(
        first,
        /Uploaded \d+ (missing )?(debug information )?files?|Uploaded files to Sentry|Bundled/,
      );
      const bundle = await assertMapped(site);
      assert.deepEqual(bundle.associations, [{ release: null, dist: null }]);

      const args = ["--wait", "--release", RELEASE, "--dist", "7", out];
      await site.run(client, "sentry-cli", "sourcemaps", "upload", ...args);

      const bundles = await bundlesOf(site);
      assert.deepEqual(bundles.map(({ associations }) => associations), [
        [{ release: RELEASE, dist: "7" }],
        [{ release: null, dist: null }],
      ]);
    },
  });

  Deno.test({
    name: `${name} uploads ProGuard mappings, by which stacks are named`,
    ignore: client === null,
    async fn() {
      if (client === null) return;
      await using site = await openSite();
      const mapping = join(site.folder, "mapping.txt");
      await Deno.writeTextFile(mapping, "com.acme.Shop -> a.b:\n    1:5:void pay():10:14 -> a\n");
      await site.run(client, "sentry-cli", "upload-proguard", mapping);
      const { bundle, files } = await landed(site);
      assert.equal(bundle.kind, "proguard");
      assert.deepEqual(files.map(({ fileType }) => fileType), ["proguard"]);
      const uuid = files[0]?.debugId ?? "";
      assert.match(uuid, new RegExp(`^${UUID}$`));
      assert.deepEqual(await namedStack(site, uuid), {
        title: "Error: no money",
        culprit: "com.acme.Shop in pay",
        frame: ["com.acme.Shop", "pay", "Shop.java", 12],
      });
    },
  });
}

function pluginTest(bundler: string, name: string, client: Installed | null): void {
  Deno.test({
    name: `${name} uploads the maps of what it builds`,
    ignore: client === null,
    async fn() {
      if (client === null) return;
      await using site = await openSite();
      await site.run(client, "node", "build.mjs", bundler, site.entry, site.out);
      const bundle = await assertMapped(site);
      assert.equal(bundle.kind, "bundle");
    },
  });
}

cliTest("sentry-cli 2.58", await nodeClient("upload_cli2"));
cliTest("sentry-cli 3.8", await nodeClient("upload_cli3"));

const plugins5 = await nodeClient("upload_plugins5");
pluginTest("vite", "the Vite plugin 5.4", plugins5);

const plugins11 = await nodeClient("upload_plugins11");
pluginTest("vite", "the Vite plugin 11.9", plugins11);
pluginTest("vite-newest", "the Vite plugin of the newest common package", plugins11);
pluginTest("webpack", "the webpack plugin 11.8", plugins11);
pluginTest("esbuild", "the newest esbuild plugin", plugins11);
pluginTest("rollup", "the newest Rollup plugin", plugins11);
