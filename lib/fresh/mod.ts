/**
 * The part of Fresh 2 that this app uses, with upstream's names and semantics, on npm packages only.
 * Remove the `links` line of the root deno.json to run on upstream instead.
 *
 * @module
 */

export { App } from "./app.ts";
export type { FreshConfig, ResolvedFreshConfig } from "./config.ts";
export type { Context } from "./context.ts";
export { createDefine, type Define } from "./define.ts";
export { HttpError } from "./error.ts";
export {
  type HandlerByMethod,
  type HandlerFn,
  page,
  type PageResponse,
  type RouteHandler,
} from "./handlers.ts";
export { staticFiles } from "./middlewares/static_files.ts";
export type { LayoutConfig, Method, Middleware, PageProps, RouteConfig } from "./types.ts";
