import { ProdBuildCache, setBuildCache } from "fresh/internal";
import { fileURLToPath } from "node:url";
import { isStale } from "../../build.ts";
import type { Services } from "../../lib/server/services.ts";
import type { State } from "../../lib/server/define.ts";
import { createApp } from "../../lib/server/app.tsx";

const ROOT = new URL("../../", import.meta.url);
/** Files that are locked while one of them builds; released by the system when a process ends. */
const LOCK = new URL(".cache/test_build.lock", ROOT);

/** What `deno task build` makes: once for all test files, by the first that finds it missing or stale. */
const snapshot = await builtSnapshot();

async function builtSnapshot(): Promise<ConstructorParameters<typeof ProdBuildCache<State>>[1]> {
  await Deno.mkdir(new URL("./", LOCK), { recursive: true });
  using lock = await Deno.open(LOCK, { create: true, write: true });
  await lock.lock(true);
  if (isStale(ROOT)) {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "build.ts"],
      cwd: ROOT,
      stdout: "null",
    }).output();
    if (!success) throw new Error(`Cannot build: ${new TextDecoder().decode(stderr)}`);
  }
  return await import(new URL("_fresh/snapshot.js", ROOT).href);
}

/** @param info of the connection; absent: one of this machine */
export type Handle = (request: Request, info?: Deno.ServeHandlerInfo) => Promise<Response>;

/** The whole app with all its pages, without a port. */
export function builtApp(services: Services): Handle {
  const app = createApp(services);
  setBuildCache(app, new ProdBuildCache<State>(fileURLToPath(ROOT), snapshot), "production");
  const handler = app.handler();
  return (request, info) => Promise.resolve(handler(request, info));
}
