/** Requests to trackers, whose addresses people enter: judged as those of webhooks are, and short. */
import { type Config, VERSION } from "../../core/config.ts";
import type { Resolver } from "../../core/addresses.ts";
import { storable } from "../../core/errors.ts";
import { FetchFailure, type FetchProblem, safeFetch } from "../../core/safe_fetch.ts";
import { type Message, message, t } from "../../core/language/translate.ts";

/** What asking needs beside the request. */
export interface AskTools {
  readonly config: Pick<Config, "allowPrivateWebhooks">;
  readonly signal?: AbortSignal;
  readonly resolver?: Resolver;
  /** @default 10_000 */
  readonly timeoutMs?: number;
}

interface Question {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  readonly url: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Asks a tracker. @returns the JSON it answers with, null for none @throws {TrackerFailure} */
export type Ask = (question: Question) => Promise<unknown>;

/** A tracker did not do what it was asked. `message` is a sentence for who asked, without secrets. */
export class TrackerFailure extends Error {
  override name = "TrackerFailure";

  constructor(
    message: string,
    /** HTTP status, or null when no answer came. */
    readonly status: number | null,
    /** Another attempt may end better. */
    readonly mayPass: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An issue with all its fields is a tenth of this. */
const MAX_ANSWER_BYTES = 1_000_000;
const MAX_SAID = 300;

/**
 * Makes what a tracker is asked by.
 *
 * @param headers what proves who we are
 * @param secrets texts that no message may repeat
 */
export function asking(
  tools: AskTools,
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[],
): Ask {
  return async ({ method, url, body }) => {
    const { config, signal, resolver, timeoutMs } = tools;
    const text = body === undefined ? "" : JSON.stringify(body);
    const response = await safeFetch({
      url,
      method,
      body: text,
      headers: {
        accept: "application/json",
        "user-agent": `Watchpost/${VERSION}`,
        ...text === "" ? {} : { "content-type": "application/json" },
        ...headers,
      },
    }, {
      allowsPrivate: config.allowPrivateWebhooks,
      maxBytes: MAX_ANSWER_BYTES,
      ...signal === undefined ? {} : { signal },
      ...resolver === undefined ? {} : { resolver },
      ...timeoutMs === undefined ? {} : { timeoutMs },
    }).catch((error) => {
      throw failureOf(error);
    });
    if (response.status >= 200 && response.status < 300) return jsonOf(response.text);
    throw refusal(response.status, response.text, secrets);
  };
}

const FINAL_PROBLEMS: ReadonlySet<FetchProblem> = new Set(["bad_address", "private_address"]);

function failureOf(error: unknown): unknown {
  if (!(error instanceof FetchFailure)) return error;
  const mayPass = !FINAL_PROBLEMS.has(error.problem);
  return new TrackerFailure(error.message, null, mayPass, { cause: error });
}

function jsonOf(text: string): unknown {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new TrackerFailure(
      t("The response is not what the tracker's API sends. Check the address."),
      200,
      false,
    );
  }
}

const WORDS: Readonly<Record<number, Message>> = {
  401: message("The tracker does not accept the token."),
  403: message("The token may not do this."),
  404: message("The tracker has no such project or issue, or the token may not see it."),
  429: message("The tracker wants fewer requests. Try again later."),
};

const RETRIED: ReadonlySet<number> = new Set([408, 425, 429]);

function refusal(status: number, text: string, secrets: readonly string[]): TrackerFailure {
  const mayPass = status >= 500 || RETRIED.has(status);
  if (status >= 300 && status < 400) {
    const words = t(
      "The address responds with a redirect, which is not followed. Enter where it leads.",
    );
    return new TrackerFailure(words, status, mayPass);
  }
  const said = saidIn(text, secrets);
  const known = WORDS[status];
  const words = known === undefined
    ? t("The tracker responded with {status}.", { status: String(status) })
    : t(known);
  return new TrackerFailure(
    said === "" ? words : t("{words} It said: {said}", { words, said }),
    status,
    mayPass,
  );
}

/** The sentences of an error as trackers write them, or nothing: their pages are not for ours. */
function saidIn(text: string, secrets: readonly string[]): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return "";
  }
  let said = [...sentencesOf(body)].join("; ");
  for (const secret of secrets.filter(({ length }) => length >= 4)) {
    said = said.replaceAll(secret, "[secret]");
  }
  said = storable(said).toWellFormed();
  return said.length > MAX_SAID ? `${said.slice(0, MAX_SAID - 1).toWellFormed()}…` : said;
}

const SAYING = ["error_description", "message", "error", "errorMessages", "errors", "detail"];
const MAX_DEPTH = 4;

function* sentencesOf(value: unknown, depth = 0): Iterable<string> {
  if (typeof value === "string" && value.trim() !== "") yield value.trim();
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const one of value.slice(0, 5)) yield* sentencesOf(one, depth + 1);
    return;
  }
  const entries = Object.entries(value);
  const told = entries.filter(([name]) => SAYING.includes(name));
  // What is below `errors` is often the field and its problem.
  for (const [name, one] of told.length > 0 ? told : depth > 0 ? entries.slice(0, 5) : []) {
    for (const sentence of sentencesOf(one, depth + 1)) {
      yield told.length > 0 ? sentence : `${name}: ${sentence}`;
    }
  }
}
