/**
 * As Deno Deploy runs it, as far as that can be told from its documentation: external stores, no folder, an address that
 * comes in `DENO_SERVE_ADDRESS`, SIGINT with five seconds, and a start whenever somebody asks. Deno KV, which there is the
 * platform's, is a file of the runtime here.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { createKeys, issuesOf, type ProjectKeys } from "../support/api_client.ts";
import { ensureBuilt } from "../support/ensure_built.ts";
import { envelopeUrl, errorEnvelope, post } from "../support/envelopes.ts";
import { ADMIN_TOKEN, freePort } from "../support/server.ts";
import { type ServerStores, serverStores } from "../support/server_stores.ts";
import { waitFor } from "../support/wait_for.ts";

const ROOT = new URL("../../", import.meta.url);
const ignore = !Deno.env.get("TEST_DATABASE_URL") || !Deno.env.get("TEST_S3_ENDPOINT");
const RIGHTS = ["net", "env", "read", "sys", "ffi", "import"].map((right) => `--allow-${right}`)
  .concat("--deny-run", "--no-prompt");
/** Deno Deploy kills what lives longer. */
const STOP_LIMIT_MS = 5_000;

interface Started extends AsyncDisposable {
  readonly url: string;
  /** SIGINT; resolves to the exit code and how long that took. */
  stop(): Promise<{ readonly code: number; readonly ms: number }>;
}

/** Starts `serve.ts` on what an earlier one left. */
async function startPlatform(
  { env: storeEnv, dataDir }: ServerStores,
  command: "run" | "serve",
): Promise<Started> {
  const kvDir = join(dataDir, "platform");
  await Deno.mkdir(kvDir, { recursive: true });
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const process = new Deno.Command(Deno.execPath(), {
    // What the platform does itself is to keep KV: no other file may be written, and no program run.
    args: [command, ...RIGHTS, `--allow-write=${kvDir}`, "serve.ts"],
    cwd: ROOT,
    env: {
      DENO_DEPLOY: "true",
      DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`,
      DENO_KV_DEFAULT_PATH: join(kvDir, "kv.sqlite3"),
      SERVICE_DATA_DIR: join(dataDir, "none"),
      SERVICE_BASE_URL: url,
      SERVICE_ADMIN_EMAIL: "admin@example.test",
      SERVICE_ADMIN_PASSWORD: "correct horse battery",
      SERVICE_ADMIN_TOKEN: ADMIN_TOKEN,
      ...storeEnv,
    },
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  let code: number | null = null;
  const ended = process.status.then((status) => code = status.code);
  const stop = async () => {
    const began = performance.now();
    if (code === null) process.kill("SIGINT");
    return { code: await ended, ms: performance.now() - began };
  };
  await waitFor("the platform's server", async () => {
    if (code !== null) throw new Error(`It ended with ${code}`);
    const response = await fetch(`${url}/readyz`).catch(() => null);
    await response?.body?.cancel();
    return response?.ok || null;
  }, 60_000);
  return { url, stop, [Symbol.asyncDispose]: async () => void await stop() };
}

for (const command of ["run", "serve"] as const) {
  Deno.test(
    `deno ${command} serve.ts serves without a disk, ends within 5 s of SIGINT, and wakes with all it had`,
    { ignore },
    async () => {
      await ensureBuilt();
      await using stores = await serverStores();
      let project: ProjectKeys;
      {
        await using first = await startPlatform(stores, command);
        project = await createKeys(first.url, ADMIN_TOKEN, "Shop");
        assert.equal(await post(envelopeUrl(project.serverDsn), errorEnvelope().body), 200);
        const { code, ms } = await first.stop();
        assert.equal(code, 0);
        assert.ok(ms < STOP_LIMIT_MS, `${ms} ms`);
      }
      {
        await using second = await startPlatform(stores, command);
        assert.equal((await issuesOf(second.url, ADMIN_TOKEN, project)).length, 1);
      }
      const left = await Array.fromAsync(Deno.readDir(stores.dataDir), ({ name }) => name);
      assert.deepEqual(left, ["platform"]);
    },
  );
}
