/** The Dockerfile cannot be built here: it is held to the code instead, and its own programs are run. */
import assert from "node:assert/strict";
import { ensureBuilt } from "../support/ensure_built.ts";
import { packagesOf, programs } from "../../deploy/container/serving.ts";
import { readConfig } from "../../lib/core/config.ts";
import { stopTimes } from "../../lib/server/listen.ts";
import { isRead, startTask } from "../support/start_task.ts";

const ROOT = new URL("../../", import.meta.url);
/** Lines that end with a backslash joined, without comments. */
const DOCKERFILE = Deno.readTextFileSync("Dockerfile").replaceAll(/^#.*\n/gm, "")
  .replaceAll(/\\\n\s*/g, "");
const SERVING = DOCKERFILE.slice(DOCKERFILE.lastIndexOf("FROM "));

/** What follows an instruction of the image that serves, each time that it comes. */
function instructions(name: string): string[] {
  return [...SERVING.matchAll(new RegExp(`^\\s*${name} (.*)$`, "gm"))].map(([, text = ""]) => text);
}

function command(name: string): string[] {
  return JSON.parse(instructions(name)[0] ?? "null");
}

Deno.test("the image has the Deno that everything is tested with, by a tag that stays", () => {
  const [, tested] = /deno@([\d.]+)/.exec(Deno.readTextFileSync(".ci/run")) ?? [];
  assert.match(DOCKERFILE, new RegExp(`^ARG DENO_VERSION=${tested}$`, "m"));
  const images = [...DOCKERFILE.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  assert.equal(images.length, 2);
  for (const image of images) assert.match(image ?? "", /^denoland\/deno:\w+-\$\{DENO_VERSION\}$/);
});

Deno.test("the image starts as `deno task start` does, without a build and without the network", () => {
  const { env, flags, program } = startTask();
  const [deno, run, ...given] = command("ENTRYPOINT");
  assert.deepEqual([deno, run], ["deno", "run"]);
  assert.deepEqual(given.slice(-2), [program, "--built"]);
  assert.deepEqual(given.slice(0, -2).sort(), [...flags, "--cached-only"].sort());
  const variables = instructions("ENV").flatMap((line) => line.split(/\s+/));
  for (const [name, value] of Object.entries(env)) {
    assert.ok(variables.includes(`${name}=${value}`));
  }
});

Deno.test("every variable of the image is a setting, or one that Deno or the C library reads", () => {
  const variables = instructions("ENV").flatMap((line) => line.split(/\s+/))
    .map((pair) => pair.split("=")[0] ?? "");
  assert.ok(variables.includes("SERVICE_DATA_DIR"));
  const unknown = variables.filter((name) => !isRead(name));
  assert.deepEqual(unknown, []);
});

Deno.test("the image serves as nobody in particular, at the port of the settings, from a volume of that user", () => {
  const [user = ""] = instructions("USER");
  assert.match(user, /^[1-9]\d+:[1-9]\d+$/);
  assert.deepEqual(instructions("EXPOSE"), [String(readConfig({}).port)]);
  assert.deepEqual(instructions("VOLUME"), ["/data"]);
  assert.ok(instructions("ENV").join(" ").includes("SERVICE_DATA_DIR=/data"));
  assert.ok(instructions("COPY").some((copy) => copy.includes(`--chown=${user}`)));
});

Deno.test("Docker's ten seconds are enough for Watchpost to end, by the signal that it listens to", () => {
  assert.deepEqual(instructions("STOPSIGNAL"), ["SIGTERM"]);
  assert.ok(stopTimes({ platform: null }).exitMs < 10_000);
});

Deno.test("what the build reads is not kept out of it, and what must stay secret is", () => {
  const ignored = Deno.readTextFileSync(".dockerignore").split("\n");
  const read = [
    "deno.json",
    "deno.lock",
    "build.ts",
    "lib",
    "routes",
    "islands",
    "static",
    "deploy",
  ];
  assert.deepEqual(read.filter((name) => ignored.includes(name)), []);
  for (const name of [".env", ".git", "data", "_fresh"]) assert.ok(ignored.includes(name), name);
});

Deno.test("what serves imports neither the bundler nor what only tests need", async () => {
  await ensureBuilt();
  const all = programs();
  assert.ok(all.includes("start.ts") && all.includes("lib/store/embedded/worker.ts"));
  const packages = await packagesOf(all);
  for (const name of ["postgres", "@electric-sql/pglite", "@node-rs/argon2", "zod"]) {
    assert.ok(packages.has(name), name);
  }
  for (
    const name of ["esbuild", "@tailwindcss/cli", "@sentry/browser", "playwright-core", "yaml"]
  ) {
    assert.ok(!packages.has(name), name);
  }
});

/** Runs the health check of the image with these settings. */
async function healthCheck(env: Record<string, string>): Promise<number> {
  const [deno, ...args] = JSON.parse(/HEALTHCHECK.*?CMD (\[.*\])/.exec(SERVING)?.[1] ?? "null");
  assert.equal(deno, "deno");
  const { code } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: ROOT,
    env,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  return code;
}

Deno.test("the health check of the image passes while /healthz answers 200, and fails otherwise", async () => {
  let status = 200;
  const options = { hostname: "127.0.0.1", port: 0, onListen() {} };
  const server = Deno.serve(
    options,
    ({ url }) =>
      new Response(null, { status: new URL(url).pathname === "/healthz" ? status : 404 }),
  );
  const env = { PORT: String(server.addr.port) };
  assert.equal(await healthCheck(env), 0);
  status = 503;
  assert.equal(await healthCheck(env), 1);
  await server.shutdown();
  assert.equal(await healthCheck(env), 1);
});

Deno.test("the health check of the image speaks TLS where Watchpost does, whoever signed its certificate", async () => {
  const [certFile, keyFile] = ["test/fixtures/tls/certificate.pem", "test/fixtures/tls/key.pem"];
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    cert: Deno.readTextFileSync(certFile),
    key: Deno.readTextFileSync(keyFile),
    onListen() {},
  }, () => new Response());
  const env = { PORT: String(server.addr.port), TLS_CERT: certFile, TLS_KEY: keyFile };
  assert.equal(await healthCheck(env), 0);
  await server.shutdown();
});
