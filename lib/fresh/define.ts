import type { AnyComponent } from "preact";
import type { HandlerByMethod, HandlerFn, RouteHandler } from "./handlers.ts";
import type { Middleware, PageProps } from "./types.ts";

/** Functions that return their argument; they exist so that TypeScript infers the types. */
export interface Define<State> {
  handlers<Data, Handlers extends RouteHandler<Data, State> = RouteHandler<Data, State>>(
    handlers: Handlers,
  ): typeof handlers;

  page<
    Handler extends RouteHandler<unknown, State> = never,
    Data = Handler extends HandlerFn<infer Data, State> ? Data
      : Handler extends HandlerByMethod<infer Data, State> ? Data
      : never,
  >(render: AnyComponent<PageProps<Data, State>>): typeof render;

  layout(render: AnyComponent<PageProps<unknown, State>>): typeof render;

  middleware<M extends Middleware<State> | Middleware<State>[]>(middleware: M): typeof middleware;
}

/** Makes the `define` helpers of an app, once, for its type of state. */
export function createDefine<State>(): Define<State> {
  return {
    handlers: (handlers) => handlers,
    page: (render) => render,
    layout: (render) => render,
    middleware: (middleware) => middleware,
  };
}
