/**
 * `deno task start`: builds what is missing, serves, and drains on SIGTERM. With `--built` it serves what is there, for
 * images and services whose folder cannot be written.
 */
import { ConfigError, readConfig } from "./lib/core/config.ts";
import { readIdentity } from "./lib/server/certificate.ts";
import { serveEverywhere } from "./lib/server/isolates.ts";
import { welcome } from "./lib/server/listen.ts";

const ROOT = new URL("./", import.meta.url);
let address = "";

try {
  // Wrong settings are told before anything is built or opened.
  const config = readConfig(Deno.env.toObject());
  const { host, port } = config;
  readIdentity(config);
  address = `HOST ${host}, PORT ${port}`;
  if (Deno.args.includes("--dev")) {
    // Each change starts all of it anew.
    Deno.env.set("SERVICE_ISOLATES", "1");
    const { build } = await builder();
    await build(ROOT, "development");
  } else if (!Deno.args.includes("--built") && (await builder()).isStale(ROOT)) await buildApart();
  await serve();
  Deno.exit(0);
} catch (error) {
  fail(error);
}

/** What `build.ts` has. */
interface Builder {
  build(root: URL, mode: "development" | "production"): Promise<void>;
  isStale(root: URL): boolean;
}

/** By a computed address and without its type: what only serves neither loads nor holds the bundler and what that needs. */
async function builder(): Promise<Builder> {
  return await import(new URL("build.ts", ROOT).href);
}

/** Builds in a process of its own, so that the bundler's memory is not the server's. */
async function buildApart(): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "build.ts"],
    cwd: ROOT,
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) throw new ConfigError("Cannot start: the build failed; its output above says why");
}

async function serve(): Promise<void> {
  const { services } = await import("./main.ts");
  const built = await import(new URL("_fresh/server.js", ROOT).href);
  const app = { services, handler: built.default.fetch };
  await serveEverywhere(app, {
    entry: new URL("isolate.ts", ROOT),
    onListen: (address) => welcome(services, address),
  });
}

/** One clear line for what an operator can mend, the stack for what only we can. */
function fail(error: unknown): never {
  console.error(mendable(error) ?? error);
  Deno.exit(1);
}

function mendable(error: unknown): string | null {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Deno.errors.AddrInUse) {
    return `Cannot start: something else listens there already (${address})`;
  }
  if (
    error instanceof Deno.errors.AddrNotAvailable || error instanceof Deno.errors.PermissionDenied
  ) {
    return `Cannot start: this address cannot be listened on (${address}): ${error.message}`;
  }
  return null;
}
