import type { Context } from "../context.ts";
import { HttpError } from "../error.ts";
import type { HandlerFn } from "../handlers.ts";
import { type Method, type Route, SCOPE } from "../types.ts";
import { createElement } from "./page.ts";

/** Answers a request with a route's handler, and with its page if the handler returns data. */
export async function renderRoute<State>(
  ctx: Context<State>,
  route: Route<State>,
  status = 200,
): Promise<Response> {
  const handler = handlerFor(route, ctx.req.method.toUpperCase() as Method);
  if (handler === null) return await ctx.next();

  const scope = ctx[SCOPE];
  const outer = { ...scope };
  if (route.config?.skipAppWrapper) scope.app = null;
  if (route.config?.skipInheritedLayouts) scope.layouts = [];

  try {
    const answer = await handler(ctx);
    if (answer instanceof Response) return answer;

    const vnode = route.component === undefined
      ? null
      : await createElement(ctx, route.component, answer.data);
    if (vnode instanceof Response) return vnode;

    const headers = new Headers();
    // Of several with the same name the last one stays.
    for (const [name, value] of headerEntries(answer.headers)) headers.set(name, value);
    return await ctx.render(vnode, { status: answer.status ?? status, headers });
  } finally {
    Object.assign(scope, outer);
  }
}

function handlerFor<State>(
  { handler, component }: Route<State>,
  method: Method,
): HandlerFn<unknown, State> | null {
  if (typeof handler === "function") return handler;
  if (handler === undefined) return component === undefined ? notFound : noData;
  if (handler[method] !== undefined) return handler[method];
  if (method !== "GET" && method !== "HEAD") return null;
  return handler.GET ?? (component === undefined ? null : noData);
}

function headerEntries(headers: HeadersInit = {}): Iterable<[string, string]> {
  return Symbol.iterator in headers
    ? headers as Iterable<[string, string]>
    : Object.entries(headers);
}

const noData = () => ({ data: {} });

const notFound = (): never => {
  throw new HttpError(404);
};
