import { type FunctionComponent, isValidElement, type JSX } from "preact";
import type { ProdBuildCache } from "./build/cache.ts";
import type { ResolvedFreshConfig } from "./config.ts";
import { renderPage } from "./render/page.ts";
import { type LayoutConfig, SCOPE, type Scope } from "./types.ts";

/** The query parameter by which a browser asks for partials. */
const PARTIAL_KEY = "fresh-partial";

/** What is known about a request before any of the app's code has run. */
export interface ContextInit<State> {
  req: Request;
  url: URL;
  info: Deno.ServeHandlerInfo;
  route: string | null;
  params: Record<string, string>;
  config: ResolvedFreshConfig;
  next: () => Promise<Response>;
  buildCache: ProdBuildCache<State> | null;
}

/** A request on its way through the app: one object for all middlewares, handlers and pages. */
export class Context<State> {
  /** The request as received. */
  readonly req: Request;
  /** The request's URL, with runs of slashes in the path collapsed. */
  readonly url: URL;
  readonly info: Deno.ServeHandlerInfo;
  /** The matched pattern, such as `/blog/:slug`. */
  readonly route: string | null;
  /** The decoded values of the pattern's parameters. */
  readonly params: Record<string, string>;
  readonly config: ResolvedFreshConfig;
  /** Shared by everything that handles this request. */
  readonly state: State = {} as State;
  /** Always undefined here; page data travels in the props. */
  readonly data: unknown = undefined;
  /** The last thrown value, or null. */
  error: unknown = null;
  /** Whether the address asks for partials alone; pages are whole all the same, since this app has none. */
  readonly isPartial: boolean;
  /** Runs the rest of the chain. */
  next: () => Promise<Response>;
  /** What a layout or the app wrapper is wrapped around. */
  Component: FunctionComponent = () => null;

  readonly [SCOPE]: Scope<State>;

  constructor(init: ContextInit<State>) {
    this.req = init.req;
    this.url = init.url;
    this.info = init.info;
    this.route = init.route;
    this.params = init.params;
    this.config = init.config;
    this.isPartial = init.url.searchParams.has(PARTIAL_KEY);
    this.next = init.next;
    this[SCOPE] = { app: null, layouts: [], buildCache: init.buildCache };
  }

  /** Renders an element inside the layouts and the app wrapper that apply here. */
  async render(
    vnode: JSX.Element | null,
    init: ResponseInit = {},
    config: LayoutConfig = {},
  ): Promise<Response> {
    if (vnode !== null && !isValidElement(vnode)) {
      throw new TypeError("Cannot render what is neither an element nor null");
    }
    return await renderPage(this, vnode, init, config);
  }

  /** Redirects; a path stays on this host, however many slashes it starts with. Partials ask for partials again. */
  redirect(pathOrUrl: string, status = 302): Response {
    const target = pathOrUrl.startsWith("/")
      ? pathOrUrl.replace(/^[^?#]+/, (path) => path.replaceAll(/\/+/g, "/"))
      : pathOrUrl;
    const location = this.isPartial ? asPartial(target) : target;
    return new Response(null, { status, headers: { location } });
  }

  json(content: unknown, init?: ResponseInit): Response {
    return Response.json(content, init);
  }

  text(content: string, init?: ResponseInit): Response {
    return new Response(content, init);
  }

  html(content: string, init?: ResponseInit): Response {
    const headers = new Headers(init?.headers);
    headers.set("Content-Type", "text/html; charset=utf-8");
    return new Response(content, { ...init, headers });
  }
}

function asPartial(location: string): string {
  return location.replace(
    /^[^#]*/,
    (base) => `${base}${base.includes("?") ? "&" : "?"}${PARTIAL_KEY}=true`,
  );
}
