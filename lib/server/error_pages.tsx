import { type Context, HttpError } from "fresh";
import { Denied } from "../accounts/authorize.ts";
import { InvalidInput } from "../core/invalid_input.ts";
import { Refusal } from "../core/refusal.ts";
import { StoreUnavailable } from "../core/store_errors.ts";
import { ErrorPage } from "../ui/components/error_page.tsx";
import { define, type State } from "./define.ts";

/** An error as its audience may see it: never more than a status and a sentence to act on. */
interface Answer {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const SENTENCES: Readonly<Record<number, string>> = {
  400: "The address or the form is not one that Watchpost understands.",
  404: "There is nothing at this address, or you may not see it.",
  405: "This address does not take that kind of request.",
};

/**
 * Turns whatever is thrown below into an answer: JSON under `/api`, the sign-in page for nobody, an
 * error page otherwise. A root middleware rather than `_error.tsx`, because Fresh sends the answer of an
 * `_error` route past the middlewares of its own folder, security headers included.
 */
export const errorPages = define.middleware(async (ctx) => {
  try {
    return await ctx.next();
  } catch (error) {
    const answer = answerTo(error);
    if (answer.status >= 500 && !(error instanceof Refusal)) logBug(ctx, error);
    if (ctx.url.pathname.startsWith("/api/")) return apiError(answer);
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
      message: error.message || SENTENCES[error.status] || "The request cannot be answered.",
    };
  }
  return { status: 500, message: "Watchpost failed to answer. The error is in its log." };
}

function logBug({ state, req, url }: Context<State>, error: unknown): void {
  state.services.log.error("request failed", {
    id: state.requestId,
    method: req.method,
    path: url.pathname,
    error: error instanceof Error ? error.stack ?? error.message : String(error),
  });
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

function errorPage(ctx: Context<State>, { status, message, headers }: Answer): Promise<Response> {
  ctx.state.meta.title = `Error ${status}`;
  return ctx.render(
    <ErrorPage status={status} message={message} requestId={ctx.state.requestId} />,
    { status, ...(headers && { headers }) },
  );
}
