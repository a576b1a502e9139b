/** Sends a channel's request and judges the answer. */
import {
  FetchFailure,
  type FetchProblem,
  safeFetch,
  type SafeFetchOptions,
  type SafeResponse,
} from "../../core/safe_fetch.ts";
import { storable } from "../../core/errors.ts";
import { cut } from "./message.ts";
import { t } from "../../core/language/translate.ts";

/** What a channel makes of a message. */
export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that has a JSON body. */
export function jsonRequest(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpRequest {
  return {
    url,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);
/** A name server may come back, an address that is wrong stays so. */
const REFUSED_PROBLEMS: ReadonlySet<FetchProblem> = new Set(["bad_address", "private_address"]);

/**
 * Sends a request; never throws for what a receiver does.
 *
 * @param secrets what the answer is shown without
 */
export async function post(
  request: HttpRequest,
  options: SafeFetchOptions,
  secrets: readonly string[],
): Promise<Outcome> {
  try {
    return judge(await safeFetch(request, options), secrets);
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error;
    if (error.problem === "stopped") return { kind: "stopped" };
    const answer = { status: null, text: shownAnswer(error.message, secrets) };
    return REFUSED_PROBLEMS.has(error.problem)
      ? { kind: "refused", answer }
      : { kind: "failed", answer, retryAfterMs: null };
  }
}

function judge(response: SafeResponse, secrets: readonly string[]): Outcome {
  const { status, headers, text } = response;
  const answer = { status, text: shownAnswer(text, secrets) };
  if (status >= 200 && status < 300) return { kind: "sent", answer };
  if (status >= 300 && status < 400) {
    const said = t(
      "The address answers with a redirect, which is not followed. Enter where it leads.",
    );
    return { kind: "refused", answer: { status, text: said } };
  }
  return status >= 500 || RETRIED_STATUSES.has(status)
    ? { kind: "failed", answer, retryAfterMs: readRetryAfter(headers["retry-after"], text) }
    : { kind: "refused", answer };
}

/** From the header, in seconds or as a date; Telegram says it in the body. */
function readRetryAfter(header: string | undefined, body: string): number | null {
  const said = header ?? /"retry_after"\s*:\s*(\d{1,6}(?:\.\d+)?)/.exec(body)?.[1];
  if (said === undefined) return null;
  const seconds = /^\d+(?:\.\d+)?$/.test(said.trim())
    ? Number(said)
    : (Date.parse(said) - Date.now()) / 1_000;
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : null;
}

/** What came of an attempt, as it is shown. */
export interface Answer {
  /** HTTP status or SMTP reply code; null when there was none. */
  readonly status: number | null;
  /** Without secrets. */
  readonly text: string;
}

/** What came of one attempt to send a message. */
export type Outcome =
  | { readonly kind: "sent"; readonly answer: Answer }
  /** For good: another attempt would end the same way. */
  | { readonly kind: "refused"; readonly answer: Answer }
  /** To be tried again, after so many milliseconds at least when the receiver said so. */
  | { readonly kind: "failed"; readonly answer: Answer; readonly retryAfterMs: number | null }
  /** We stopped ourselves: as if it had not been tried. */
  | { readonly kind: "stopped" };

const MAX_ANSWER = 500;

/**
 * The beginning of what a receiver said, without secrets that it repeats.
 *
 * @param secrets as `secretsOf()` lists them
 */
export function shownAnswer(text: string, secrets: readonly string[]): string {
  let shown = text;
  // The long ones first: a part may stand within the whole.
  for (const secret of secrets.toSorted((a, b) => b.length - a.length)) {
    shown = shown.replaceAll(secret, "[secret]");
  }
  return cut(storable(shown).trim(), MAX_ANSWER);
}
