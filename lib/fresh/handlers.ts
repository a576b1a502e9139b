import type { Context } from "./context.ts";
import type { Method } from "./types.ts";

/** What a handler returns to have its page rendered. */
export interface PageResponse<Data> {
  data: Data;
  headers?: HeadersInit;
  status?: number;
}

/** Answers a request, or supplies the data that the page is rendered with. */
export interface HandlerFn<Data, State> {
  (
    ctx: Context<State>,
  ): Response | PageResponse<Data> | Promise<Response | PageResponse<Data>>;
}

export type HandlerByMethod<Data, State> = { [M in Method]?: HandlerFn<Data, State> };

export type RouteHandler<Data, State> = HandlerFn<Data, State> | HandlerByMethod<Data, State>;

/** Renders the page with `data`; the options set the response's status and headers. */
export function page<Data>(
  data: Data,
  options?: { headers?: HeadersInit; status?: number },
): PageResponse<Data>;
export function page(): PageResponse<undefined>;
export function page(
  data?: unknown,
  options?: { headers?: HeadersInit; status?: number },
): PageResponse<unknown> {
  return { ...options, data: data ?? undefined };
}
