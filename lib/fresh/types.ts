import type { AnyComponent } from "preact";
import type { ProdBuildCache } from "./build/cache.ts";
import type { Context } from "./context.ts";
import type { RouteHandler } from "./handlers.ts";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;

/** The HTTP methods a route can answer. */
export type Method = typeof METHODS[number];

/** A step on the way of a request: answers it, or passes it on with `ctx.next()`. */
export type Middleware<State> = (ctx: Context<State>) => Response | Promise<Response>;

/** What a page, a layout and the app wrapper receive. */
export type PageProps<Data = unknown, State = unknown> =
  & Pick<
    Context<State>,
    | "config"
    | "url"
    | "req"
    | "params"
    | "info"
    | "state"
    | "isPartial"
    | "Component"
    | "error"
    | "route"
  >
  & { data: Data };

/** A component that is rendered for a URL; it may be async and may return a `Response`. */
export type RouteComponent<State> = AnyComponent<PageProps<unknown, State>>;

export interface LayoutConfig {
  /** Leave out the layouts of the folders above. */
  skipInheritedLayouts?: boolean;
  /** Leave out the app wrapper. */
  skipAppWrapper?: boolean;
}

export interface RouteConfig extends LayoutConfig {
  /** The pattern to answer at, instead of the one that the file's path stands for. */
  routeOverride?: string;
}

export interface Route<State> {
  component?: RouteComponent<State>;
  config?: RouteConfig;
  handler?: RouteHandler<unknown, State>;
}

/** Where a context keeps what is in force around it; not for the app to see. */
export const SCOPE = Symbol("fresh scope");

export interface Scope<State> {
  app: RouteComponent<State> | null;
  /** Outermost first. */
  layouts: readonly RouteComponent<State>[];
  readonly buildCache: ProdBuildCache<State> | null;
}
