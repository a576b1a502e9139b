import type { AnyComponent } from "preact";
import type { RouteHandler } from "./handlers.ts";
import { renderRoute } from "./render/route.ts";
import type { RouteTree } from "./route_tree.ts";
import { METHODS, type Middleware, type PageProps, type Route, type RouteConfig } from "./types.ts";

/** What a file in the routes folder is for, by its name. */
export type FileKind = "app" | "middleware" | "layout" | "error" | "route";

/** A file in the routes folder, as the build hands it over. */
export interface FileRoute<State> {
  /** Its path below the routes folder, for messages. */
  id: string;
  kind: FileKind;
  /** The pattern that it answers at, if it is a route. */
  pattern: string;
  /** The pattern of its folder, groups included: what applies there applies to it. */
  folder: string;
  /** The module; a function loads it when it is first asked for. */
  mod: RouteModule<State> | (() => Promise<RouteModule<State>>);
}

/** What a file in the routes folder may export. */
export interface RouteModule<State> {
  default?: AnyComponent<PageProps<unknown, State>> | Middleware<State> | Middleware<State>[];
  handler?: RouteHandler<unknown, State> | Middleware<State>[];
  handlers?: RouteHandler<unknown, State> | Middleware<State>[];
  config?: RouteConfig;
}

/** Registers a file of the routes folder. */
export function addFileRoute<State>(tree: RouteTree<State>, file: FileRoute<State>): void {
  const { kind, pattern, folder, mod } = file;
  if (typeof mod === "function") return addLazyRoute(tree, file, mod);

  const route = toRoute(file, mod);
  if (kind === "middleware") tree.use(folder, toMiddlewares(file, mod));
  else if (kind === "error") tree.onError(folder, route);
  else if (kind === "route") tree.route(pattern, folder, route);
  else if (route.component === undefined) throw missingExport(file, "a default component");
  else if (kind === "app") tree.appWrapper(route.component);
  else tree.layout(folder, route.component, route.config);
}

/** Answers all methods, because which ones the module handles is not known before it is loaded. */
function addLazyRoute<State>(
  tree: RouteTree<State>,
  file: FileRoute<State>,
  load: () => Promise<RouteModule<State>>,
): void {
  let route: Route<State> | undefined;
  tree.add(METHODS, file.pattern, file.folder, [async (ctx) => {
    route ??= toRoute(file, await load());
    return await renderRoute(ctx, route);
  }]);
}

function toRoute<State>(file: FileRoute<State>, mod: RouteModule<State>): Route<State> {
  const handler = mod.handlers ?? mod.handler;
  if (typeof handler === "function" && handler.length > 1) {
    throw new TypeError(`Cannot use routes${file.id}: its handler takes more than one argument`);
  }
  if (mod.default === undefined && handler === undefined && mod.config === undefined) {
    throw missingExport(file, "a default component, a handler or a config");
  }
  return {
    ...(handler !== undefined && { handler: handler as RouteHandler<unknown, State> }),
    ...(mod.default !== undefined &&
      { component: mod.default as AnyComponent<PageProps<unknown, State>> }),
    ...(mod.config !== undefined && { config: mod.config }),
  };
}

function toMiddlewares<State>(file: FileRoute<State>, mod: RouteModule<State>) {
  const exported = mod.handlers ?? mod.handler ?? mod.default;
  if (typeof exported !== "function" && !Array.isArray(exported)) {
    throw missingExport(file, "a function or an array of functions");
  }
  return [exported].flat() as Middleware<State>[];
}

function missingExport(file: { id: string }, what: string): TypeError {
  return new TypeError(`Cannot use routes${file.id}: it does not export ${what}`);
}
