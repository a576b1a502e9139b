/** The test's pages, served under the policy of real ones. */
import { App, staticFiles } from "fresh";
import { Builder } from "fresh/dev";
import { readConfig } from "@/lib/core/config.ts";
import { buildStyles } from "@/lib/ui/build_styles.ts";
import type { State } from "@/lib/server/define.ts";
import { securityHeaders } from "@/lib/server/security_headers.ts";

const ROOT = new URL("../../../../", import.meta.url).href;
const PAGES = new URL("./pages", import.meta.url).href;

export interface Served extends AsyncDisposable {
  readonly origin: string;
}

/** Builds styles and islands, and serves the pages. */
export async function serve(port = 0): Promise<Served> {
  await buildStyles();
  const app = new App<State>().use((ctx) => {
    // All that the policy's middleware asks for.
    Object.assign(ctx.state, { services: { config: readConfig({}) } });
    return ctx.next();
  }, securityHeaders).use(staticFiles()).fsRoutes();
  const applyBuild = await new Builder({ root: ROOT, routeDir: PAGES }).build({
    snapshot: "memory",
  });
  applyBuild(app);
  const server = Deno.serve({ port, hostname: "127.0.0.1", onListen() {} }, app.handler());
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
