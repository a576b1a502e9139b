import type { Context } from "./context.ts";
import { HttpError } from "./error.ts";
import { renderRoute } from "./render/route.ts";
import { Router } from "./router.ts";
import {
  type LayoutConfig,
  type Method,
  METHODS,
  type Middleware,
  type Route,
  type RouteComponent,
  SCOPE,
} from "./types.ts";

/** One segment of the URL space, or one route group, and what applies from there on down. */
interface Segment<State> {
  parent: Segment<State> | null;
  children: Map<string, Segment<State>>;
  middlewares: Middleware<State>[];
  layout: { component: RouteComponent<State>; config: LayoutConfig } | null;
  errorRoute: Route<State> | null;
}

/** Collects everything that is registered, in order, and ends up as a router. */
export class RouteTree<State> {
  readonly router = new Router<Middleware<State>>();
  #root = newSegment<State>(null);
  #app: RouteComponent<State> | null = null;

  use(pattern: string, middlewares: readonly Middleware<State>[]): void {
    this.#segment(pattern).middlewares.push(...middlewares);
  }

  layout(pattern: string, component: RouteComponent<State>, config: LayoutConfig = {}): void {
    this.#segment(pattern).layout = { component, config };
  }

  appWrapper(component: RouteComponent<State>): void {
    this.#app = component;
  }

  onError(pattern: string, route: Route<State>): void {
    this.#segment(pattern).errorRoute = route;
  }

  /** Answers `methods` at `pattern`, after all that applies in `folder` so far. */
  add(
    methods: readonly Method[],
    pattern: string,
    folder: string,
    handlers: readonly Middleware<State>[],
  ): void {
    const answer = chain([...this.#stepsTo(this.#segment(folder)), ...handlers]);
    for (const method of methods) this.router.add(method, pattern, answer);
  }

  /** Adds a route whose methods are those of its handler. */
  route(pattern: string, folder: string, route: Route<State>): void {
    const { handler, component, config } = route;
    const methods = typeof handler === "object"
      ? METHODS.filter((method) => handler[method] || (method === "GET" && component))
      : METHODS;
    this.add(methods, config?.routeOverride ?? pattern, folder, [(ctx) => renderRoute(ctx, route)]);
  }

  /** Runs what applies everywhere, for requests that match no route. */
  rootHandler(): Middleware<State> {
    return chain(this.#stepsTo(this.#root));
  }

  /** Segments are known by their literal text, so `/a/:x` and `/a/:y` are two. */
  #segment(pattern: string): Segment<State> {
    const names = pattern.replaceAll(/\{[^}]*\}\??/g, "").split("/").filter((name) => name !== "");
    if (names.length === 1 && names[0] === "*") return this.#root;

    return names.reduce((parent, name) => {
      const child = parent.children.get(name) ?? newSegment(parent);
      parent.children.set(name, child);
      return child;
    }, this.#root);
  }

  #stepsTo(segment: Segment<State>): Middleware<State>[] {
    const above = segment.parent === null ? [] : this.#stepsTo(segment.parent);
    return [...above, this.#enter(segment), ...segment.middlewares];
  }

  /** Puts a segment's layout and app in force, and gives its error page what is thrown below. */
  #enter(segment: Segment<State>): Middleware<State> {
    const { layout, errorRoute } = segment;
    const app = segment === this.#root ? this.#app : null;

    return async (ctx) => {
      const scope = ctx[SCOPE];
      const outer = { ...scope };
      scope.app = layout?.config.skipAppWrapper ? null : app ?? outer.app;
      if (layout !== null) {
        const inherited = layout.config.skipInheritedLayouts ? [] : outer.layouts;
        scope.layouts = [...inherited, layout.component];
      }

      try {
        return await ctx.next();
      } catch (error) {
        const status = error instanceof HttpError ? error.status : 500;
        if (errorRoute !== null) return await renderRoute(ctx, errorRoute, status);
        throw error;
      } finally {
        Object.assign(scope, outer);
      }
    };
  }
}

function newSegment<State>(parent: Segment<State> | null): Segment<State> {
  return { parent, children: new Map(), middlewares: [], layout: null, errorRoute: null };
}

/** Makes one middleware of many; the last one's `ctx.next()` is that of the whole. */
function chain<State>(steps: readonly Middleware<State>[]): Middleware<State> {
  return (ctx: Context<State>) => {
    const rest = ctx.next;
    const run = async (index: number): Promise<Response> => {
      const step = steps[index] ?? rest;
      ctx.next = () => run(index + 1);
      try {
        return await step(ctx);
      } catch (error) {
        ctx.error = error;
        throw error;
      }
    };
    return run(0);
  };
}
