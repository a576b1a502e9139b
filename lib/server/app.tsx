import { type Message, t } from "../core/language/translate.ts";
import { App, type Context, HttpError, staticFiles } from "fresh";
import PageLife from "../../islands/PageLife.tsx";
import { Denied } from "../accounts/authorize.ts";
import { apiRoute } from "../api/route.ts";
import { Detour, InvalidInput, StoreUnavailable } from "../core/errors.ts";
import { SCIM_PATH, scimRoute } from "../projects/scim/scim.ts";
import { Refusal } from "../core/refusal.ts";
import { ErrorPage } from "../ui/components/page.tsx";
import "../ui/link_marks.ts";
import type { Shell } from "../ui/shell.ts";
import { API_ROUTES } from "./api_table.ts";
import { define, isForPrograms, rootState, type State } from "./define.ts";
import { refuseGrpc } from "./ingest_route.ts";
import { requestLog } from "./request_log.ts";
import { securityHeaders } from "./security_headers.ts";
import { recognize } from "./session.ts";
import type { Services } from "./services.ts";
import { loadShell } from "./shell.tsx";
import { statusHosts } from "./status_pages.ts";

/** The app over `services`; its file routes come from the build that is applied to it. */
export function createApp(services: Services): App<State> {
  // `X-Forwarded-Host` says no more than `Host` could, so that it need not be told who wrote it.
  const app = new App<State>({ trustProxy: services.config.trustProxy !== 0 })
    .use(rootState(services), requestLog, refuseGrpc(services.config), securityHeaders, errorPages)
    .use(statusHosts, staticFiles());
  addApi(app);
  return app.fsRoutes();
}

/** Puts every address of the management API into `app`, with and without a slash at its end. */
export function addApi(app: App<State>): void {
  for (const [path, methods] of Object.entries(API_ROUTES)) {
    app.all(`/api/0${path}{/}?`, apiRoute(methods));
  }
  app.all(`/api/0${SCIM_PATH}/:rest*{/}?`, scimRoute);
}

/** An error as its audience may see it: never more than a status and a sentence to act on. */
interface Answer {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const SENTENCES: Readonly<Record<number, Message>> = {
  400: "The address or the form is not one that Watchpost understands.",
  404: "There is nothing at this address, or you may not see it.",
  405: "This address does not take this kind of request.",
};

function sentenceOf(status: number): string {
  const known = SENTENCES[status];
  return known === undefined ? t("The request cannot be answered.") : t(known);
}

/**
 * Turns whatever is thrown below into an answer: JSON under `/api`, the sign-in page for nobody, an
 * error page otherwise. A root middleware rather than `_error.tsx`, because Fresh sends the answer of an
 * `_error` route past the middlewares of its own folder, security headers included.
 */
export const errorPages = define.middleware(async (ctx) => {
  try {
    return await ctx.next();
  } catch (error) {
    // Where no route answers, none has asked either who it is that came there.
    if (ctx.route === null && !isForPrograms(ctx.url.pathname)) {
      await recognize(ctx).catch(() => {});
    }
    const answer = answerTo(error);
    if (answer.status >= 500 && !(error instanceof Refusal)) logBug(ctx, error);
    if (isForPrograms(ctx.url.pathname)) return apiError(answer);
    if (error instanceof Detour) return detour(ctx, error);
    if (answer.status === 401) return signInFirst(ctx);
    return await errorPage(ctx, answer);
  }
});

function answerTo(error: unknown): Answer {
  if (error instanceof Denied) return { status: error.status, message: error.message };
  if (error instanceof StoreUnavailable) return { status: 503, message: error.message };
  // Found while a page was made; forms show theirs at the field.
  if (error instanceof InvalidInput) return { status: 400, message: error.message };
  // A body that is too large or too slow, read as those of the intake are.
  if (error instanceof Refusal) {
    return { status: error.status, message: `${error.detail}.`, headers: error.headers };
  }
  if (error instanceof HttpError && error.status < 500) {
    return {
      status: error.status,
      message: error.message || sentenceOf(error.status),
    };
  }
  return { status: 500, message: t("Watchpost failed to answer. The error is in its log.") };
}

function logBug({ state, req, url, route }: Context<State>, error: unknown): void {
  const fields = {
    id: state.requestId,
    method: req.method,
    route: route ?? undefined,
    path: url.pathname,
    error: error instanceof Error ? error.stack ?? error.message : String(error),
  };
  state.services.log.error("request failed", fields, error);
}

function apiError({ status, message, headers }: Answer): Response {
  return Response.json({ detail: message }, {
    status,
    // A browser SDK must be able to read why it was refused.
    headers: { ...headers, "access-control-allow-origin": "*", "x-sentry-error": message },
  });
}

function signInFirst(ctx: Context<State>): Response {
  const next = ctx.req.method === "GET" ? ctx.url.pathname + ctx.url.search : "/";
  return ctx.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
}

/** After a form the way back leads to its page, which the form has to be sent from again. */
function detour(ctx: Context<State>, { path }: Detour): Response {
  const { url } = ctx;
  return ctx.redirect(`${path}?next=${encodeURIComponent(url.pathname + url.search)}`, 303);
}

async function errorPage(
  ctx: Context<State>,
  { status, message, headers }: Answer,
): Promise<Response> {
  ctx.state.meta.title = t("Error {status}", { status });
  const shell = status < 500 ? await shellAround(ctx) : null;
  const mayPass = status >= 500 && ctx.req.method === "GET";
  return await ctx.render(
    <>
      <ErrorPage {...{ status, message, shell, mayPass }} requestId={ctx.state.requestId} />
      <PageLife />
    </>,
    { status, ...(headers && { headers }) },
  );
}

/** The frame for who is signed in, with their project when the address names one; null when it cannot be read. */
async function shellAround({ req, url, state }: Context<State>): Promise<Shell | null> {
  if (state.actor.kind !== "user") return null;
  const [, named] = /^\/projects\/(\d+)(?:\/|$)/.exec(url.pathname) ?? [];
  try {
    const shell = await loadShell({ req, url, state, params: {} });
    // Of those that they see: an error tells nothing of others.
    const projects = shell.organizations.flatMap(({ projects }) => projects);
    return { ...shell, project: projects.find(({ id }) => id === named) ?? null };
  } catch {
    return null;
  }
}
