import { App, type RouteConfig, type RouteHandler } from "fresh";
import type { Services } from "../../lib/server/services.ts";
import { rootState, type State } from "../../lib/server/define.ts";
import { API_ROUTES } from "../../lib/server/api_table.ts";
import { addApi, errorPages } from "../../lib/server/app.tsx";
import { envelopesFirst } from "../../lib/server/ingest_route.ts";
import { guarded } from "../../lib/server/listen.ts";
import { LOCAL_PEER } from "./local_peer.ts";

export type Send = (path: string, init?: RequestInit) => Promise<Response>;

interface RouteModule {
  readonly config: RouteConfig;
  readonly handler: RouteHandler<unknown, State>;
}

const ROUTES = new URL("../../routes/", import.meta.url);
/** `/v1development` is OTLP's place for what is not stable yet, `/ingest` and `/push.v1.PusherService` are Pyroscope's. */
const NAMES = /^(?:api|hooks|v1|v1development|ingest\.ts|ping\.ts|push\.v1\.PusherService)$/;
const routes = await loadRoutes();

/** The addresses that programs send to and ask, with the middlewares that the whole app has, and without a build. */
export function apiApp(services: Services): Send {
  const app = new App<State>().use(rootState(services), errorPages);
  addApi(app);
  for (const { config, handler } of routes) app.route(config.routeOverride ?? "", { handler });
  const handle = guarded(envelopesFirst(app.handler(), services), services);
  return async (path, init) =>
    await handle(new Request(new URL(path, "http://localhost"), init), LOCAL_PEER);
}

/** The patterns of all these addresses, as `/api/0/organizations/:organization{/}?`. */
export const apiPatterns: readonly string[] = [
  ...Object.keys(API_ROUTES).map((path) => `/api/0${path}{/}?`),
  ...routes.map(({ config }) => config.routeOverride ?? ""),
];

async function loadRoutes(): Promise<RouteModule[]> {
  const paths = await Array.fromAsync(filesBelow(ROUTES, NAMES));
  return await Promise.all(paths.sort(byMatchingOrder).map((path) => import(path)));
}

async function* filesBelow(folder: URL, names = /^/): AsyncIterable<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (!names.test(name)) continue;
    const url = new URL(encodeURIComponent(name) + (isDirectory ? "/" : ""), folder);
    if (isDirectory) yield* filesBelow(url);
    else yield url.href;
  }
}

/** Fresh tries fixed names before `[parameters]`, and those before `[...rest]`. */
function byMatchingOrder(a: string, b: string): number {
  const rank = (path: string) =>
    decodeURIComponent(path).replaceAll("[...", "~~").replaceAll("[", "~");
  return rank(a) < rank(b) ? -1 : 1;
}
