import { STATUS_CODES } from "node:http";
import type { ProdBuildCache } from "./build/cache.ts";
import type { FreshConfig, ResolvedFreshConfig } from "./config.ts";
import { Context } from "./context.ts";
import { HttpError } from "./error.ts";
import { addFileRoute } from "./file_routes.ts";
import { RouteTree } from "./route_tree.ts";
import {
  type LayoutConfig,
  type Method,
  METHODS,
  type Middleware,
  type Route,
  type RouteComponent,
} from "./types.ts";

/** Answers one method at a path; the last handler does it, earlier ones call `ctx.next()`. */
type Verb<State, Self> = (path: string, ...handlers: Middleware<State>[]) => Self;

/** Gives an app what a build has found and made. Not part of the public API. */
export let setBuildCache: <State>(
  app: App<State>,
  cache: ProdBuildCache<State>,
  mode: FreshConfig["mode"],
) => void;

/** Collects middlewares, layouts and routes, and answers requests with them. */
export class App<State> {
  readonly config: ResolvedFreshConfig;
  #registrations: ((tree: RouteTree<State>) => void)[] = [];
  #buildCache: ProdBuildCache<State> | null = null;

  static {
    setBuildCache = (app, cache, mode = "production") => {
      app.#buildCache = cache;
      app.config.root = cache.root;
      app.config.mode = mode;
    };
  }

  constructor({ mode = "production", trustProxy = false }: FreshConfig = {}) {
    this.config = { root: ".", basePath: "", mode, trustProxy };
  }

  /** Runs middlewares for every request, or for a path and everything below it. */
  use(...middlewares: Middleware<State>[]): this;
  use(path: string, ...middlewares: Middleware<State>[]): this;
  use(first: string | Middleware<State>, ...rest: Middleware<State>[]): this {
    return typeof first === "string"
      ? this.#register((tree) => tree.use(first, rest))
      : this.#register((tree) => tree.use("/", [first, ...rest]));
  }

  /** Wraps the pages at a path, and below it, in a layout. */
  layout(path: string, component: RouteComponent<State>, config?: LayoutConfig): this {
    return this.#register((tree) => tree.layout(path, component, config));
  }

  /** Sets the component that renders the document around every page. */
  appWrapper(component: RouteComponent<State>): this {
    return this.#register((tree) => tree.appWrapper(component));
  }

  /** Answers for what is thrown at a path and below it. */
  onError(path: string, route: Route<State> | Middleware<State>): this {
    const errorRoute = typeof route === "function" ? { handler: route } : route;
    return this.#register((tree) => tree.onError(path, errorRoute));
  }

  /** Adds a route as a route file would. */
  route(path: string, route: Route<State>): this {
    return this.#register((tree) => tree.route(path, path, route));
  }

  get: Verb<State, this> = (path, ...handlers) => this.#answer(["GET"], path, handlers);
  post: Verb<State, this> = (path, ...handlers) => this.#answer(["POST"], path, handlers);
  put: Verb<State, this> = (path, ...handlers) => this.#answer(["PUT"], path, handlers);
  patch: Verb<State, this> = (path, ...handlers) => this.#answer(["PATCH"], path, handlers);
  delete: Verb<State, this> = (path, ...handlers) => this.#answer(["DELETE"], path, handlers);
  head: Verb<State, this> = (path, ...handlers) => this.#answer(["HEAD"], path, handlers);
  all: Verb<State, this> = (path, ...handlers) => this.#answer(METHODS, path, handlers);

  /** Adds, at this point, the route files that the build has found; none without a build. */
  fsRoutes(): this {
    return this.#register((tree) => {
      for (const file of this.#buildCache?.routes ?? []) addFileRoute(tree, file);
    });
  }

  /** Makes the function that answers requests; call it once everything is registered. */
  handler(): (request: Request, info?: Deno.ServeHandlerInfo) => Promise<Response> {
    const tree = new RouteTree<State>();
    for (const register of this.#registrations) register(tree);
    const rootHandler = tree.rootHandler();
    const { config } = this;
    const buildCache = this.#buildCache;

    return async (req, info = LOCAL_PEER) => {
      const url = requestUrl(req, config.trustProxy);
      const method = req.method.toUpperCase();
      const { pattern, params, item, methods } = tree.router.match(method, url.pathname);
      const next = pattern === null
        ? notFound
        : method === "OPTIONS"
        ? () => allow(methods)
        : methodNotAllowed;
      const answer = item ?? rootHandler;
      const ctx = new Context<State>({
        req,
        url,
        info,
        params,
        config,
        buildCache,
        route: pattern,
        next: item === null ? next : notFound,
      });

      try {
        const response = await answer(ctx);
        if (!(response instanceof Response)) {
          throw new TypeError(`Cannot answer ${req.method} ${url.pathname}: not a Response`);
        }
        return method === "HEAD" ? new Response(null, response) : response;
      } catch (error) {
        return errorResponse(error);
      }
    };
  }

  #answer(methods: readonly Method[], path: string, handlers: Middleware<State>[]): this {
    return this.#register((tree) => tree.add(methods, path, path, handlers));
  }

  #register(registration: (tree: RouteTree<State>) => void): this {
    this.#registrations.push(registration);
    return this;
  }
}

/** Stands in for the peer when a test calls the handler without one. */
const LOCAL_PEER: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "localhost", port: 1234 },
  completed: Promise.resolve(),
};

function requestUrl(req: Request, trustProxy: boolean): URL {
  const url = new URL(req.url);
  if (url.pathname.includes("//")) url.pathname = url.pathname.replaceAll(/\/+/g, "/");
  if (trustProxy) {
    url.protocol = req.headers.get("x-forwarded-proto") ?? url.protocol;
    url.host = req.headers.get("x-forwarded-host") ?? url.host;
  }
  return url;
}

function notFound(): never {
  throw new HttpError(404);
}

function methodNotAllowed(): never {
  throw new HttpError(405);
}

function allow(methods: Method[]): Promise<Response> {
  return Promise.resolve(
    new Response(null, { status: 204, headers: { Allow: methods.join(", ") } }),
  );
}

function errorResponse(error: unknown): Response {
  // Nobody else will report it.
  if (!(error instanceof HttpError) || error.status >= 500) console.error(error);

  return error instanceof HttpError
    ? new Response(error.message || STATUS_CODES[error.status], { status: error.status })
    : new Response("Internal server error", { status: 500 });
}
