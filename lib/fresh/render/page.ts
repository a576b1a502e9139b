import { type ComponentChildren, Fragment, type FunctionComponent, h, type JSX } from "preact";
import { jsxTemplate } from "preact/jsx-runtime";
import { renderToString } from "preact-render-to-string";
import type { Context } from "../context.ts";
import { type LayoutConfig, type PageProps, type RouteComponent, SCOPE } from "../types.ts";
import "./hooks.ts";
import { RenderState, withRender } from "./state.ts";

/** Where a response carries the nonce of its inline scripts, for a CSP middleware to read. */
const NONCE = Symbol.for("__freshNonce");

/** Renders an element inside the layouts and the app wrapper in force, as a whole document. */
export async function renderPage<State>(
  ctx: Context<State>,
  vnode: JSX.Element | null,
  init: ResponseInit,
  config: LayoutConfig,
): Promise<Response> {
  const { app, layouts, buildCache } = ctx[SCOPE];

  let content = vnode;
  for (const layout of config.skipInheritedLayouts ? [] : layouts.toReversed()) {
    const inner = content;
    const outer = await createElement(ctx, layout, null, () => inner);
    if (outer instanceof Response) return outer;
    content = outer;
  }

  let rendered = content;
  const document = app === null || config.skipAppWrapper
    ? null
    : await createElement(ctx, app, null, () => rendered);
  if (document instanceof Response) return document;

  const state = new RenderState(buildCache);
  const html = withRender(state, () => {
    // The page comes first, so that the app wrapper's head already knows the page's <Head>.
    const page = renderToString(h(Fragment, null, content));
    rendered = raw(page);
    return completeDocument(document === null ? page : renderToString(document), state.seenTags);
  });

  const headers = new Headers(init.headers);
  headers.set("Content-Type", "text/html; charset=utf-8");
  const preloads = state.scripts().map((url) => `<${url}>; rel="modulepreload"; as="script"`);
  if (preloads.length > 0) headers.append("Link", preloads.join(", "));

  const response = new Response(`<!DOCTYPE html>${html}`, { ...init, headers });
  return Object.assign(response, { [NONCE]: state.nonce });
}

/** Makes the element of a page, layout or app wrapper; calls it if it is async. */
export async function createElement<State>(
  ctx: Context<State>,
  component: RouteComponent<State>,
  data: unknown,
  child: () => ComponentChildren = () => null,
): Promise<JSX.Element | Response | null> {
  const { config, url, req, params, info, state, isPartial, error, route } = ctx;
  const props: PageProps<unknown, State> = {
    ...{ config, url, req, params, info, state, isPartial, error, route, data },
    Component: child,
  };
  ctx.Component = child;

  const call = component as FunctionComponent<PageProps<unknown, State>>;
  return call.constructor.name === "AsyncFunction"
    ? await call(props) as JSX.Element | Response | null
    : h(call, props);
}

/** Adds the tags that neither the app wrapper nor the page has rendered. */
function completeDocument(html: string, seen: Set<string>): string {
  if (["html", "head", "body"].every((tag) => seen.has(tag))) return html;

  const body = seen.has("body") ? raw(html) : h("body", null, raw(html));
  const head = seen.has("head") ? null : h("head", null, h("meta", { charset: "utf-8" }));
  return renderToString(h(seen.has("html") ? Fragment : "html", null, head, body));
}

function raw(html: string): JSX.Element {
  return jsxTemplate([html]);
}
