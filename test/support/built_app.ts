import { ProdBuildCache, setBuildCache } from "fresh/internal";
import { fileURLToPath } from "node:url";
import type { Services } from "../../lib/server/services.ts";
import type { State } from "../../lib/server/define.ts";
import { createApp } from "../../lib/server/app.tsx";
import { guarded } from "../../lib/server/listen.ts";
import { ensureBuilt } from "./ensure_built.ts";
import { LOCAL_PEER } from "./local_peer.ts";

const ROOT = new URL("../../", import.meta.url);

await ensureBuilt();
/** What `deno task build` has made. */
const snapshot: ConstructorParameters<typeof ProdBuildCache<State>>[1] = await import(
  new URL("_fresh/snapshot.js", ROOT).href
);

/** @param info of the connection; absent: one of this machine */
export type Handle = (request: Request, info?: Deno.ServeHandlerInfo) => Promise<Response>;

/** The whole app with all its pages, without a port. */
export function builtApp(services: Services): Handle {
  const app = createApp(services);
  setBuildCache(app, new ProdBuildCache<State>(fileURLToPath(ROOT), snapshot), "production");
  const handler = guarded(app.handler(), services);
  return (request, info) => Promise.resolve(handler(request, info ?? LOCAL_PEER));
}
