/**
 * HTTP to addresses that tenants enter. The name is resolved once, its addresses are judged, and the connection goes
 * to the very address that was judged; redirects are answers like others.
 */
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress, type Resolver, systemResolver } from "./addresses.ts";

interface SafeRequest {
  readonly url: string;
  /** @default "POST" */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface SafeFetchOptions {
  /** Also addresses of private networks. */
  readonly allowsPrivate: boolean;
  /** Ends the request early. */
  readonly signal?: AbortSignal;
  readonly resolver?: Resolver;
  /** From the resolving to the last byte. @default 10_000 */
  readonly timeoutMs?: number;
  /** PEM of certificates to trust in place of the usual ones. */
  readonly ca?: string;
  /** Of the answer's body. @default 65_536 */
  readonly maxBytes?: number;
}

export interface SafeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** As much as `maxBytes` says. */
  readonly text: string;
}

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Sends a request.
 *
 * @throws {FetchFailure} when there is no answer
 */
export async function safeFetch(
  request: SafeRequest,
  options: SafeFetchOptions,
): Promise<SafeResponse> {
  const url = readAddress(request.url);
  const { allowsPrivate, resolver = systemResolver, timeoutMs = TIMEOUT_MS } = options;
  const late = AbortSignal.timeout(timeoutMs);
  const ending = options.signal === undefined ? late : AbortSignal.any([late, options.signal]);
  try {
    const addresses = await unless(ending, resolveHost(url.hostname, { resolver, allowsPrivate }));
    return await sendToAny(addresses, (address) => send(url, address, request, options, ending));
  } catch (error) {
    if (late.aborted) {
      throw new FetchFailure("timeout", `No full answer came within ${timeoutMs / 1_000} s.`);
    }
    if (ending.aborted) throw new FetchFailure("stopped", "The request was stopped.");
    throw error;
  }
}

/** @throws {FetchFailure} for anything but an http address without credentials */
function readAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new FetchFailure(
      "bad_address",
      "This is no address that starts with https:// or http://.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new FetchFailure("bad_address", "The address must not hold a user name or a password.");
  }
  return url;
}

/** One of a host's addresses may be out of reach: nothing was sent there, so the next one may have it. */
async function sendToAny(
  addresses: readonly string[],
  sendTo: (address: string) => Promise<SafeResponse>,
): Promise<SafeResponse> {
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await sendTo(address);
    } catch (error) {
      if (!(error instanceof FetchFailure && error.problem === "no_connection")) throw error;
      failure = error;
    }
  }
  throw failure;
}

function send(
  url: URL,
  address: string,
  { method = "POST", headers = {}, body = "" }: SafeRequest,
  { ca, maxBytes = MAX_RESPONSE_BYTES }: SafeFetchOptions,
  signal: AbortSignal,
): Promise<SafeResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<SafeResponse>();
  const { request } = url.protocol === "https:" ? https : http;
  let isConnected = false;
  const sent = request({
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port || undefined,
    path: url.pathname + url.search,
    method,
    headers: { ...headers, "content-length": String(new TextEncoder().encode(body).length) },
    agent: false,
    lookup: pinned(address),
    ...ca === undefined ? {} : { ca },
  }, (response) => {
    readResponse(response, maxBytes).then(resolve, reject);
  });
  sent.on("socket", (socket) => socket.on("connect", () => isConnected = true));
  sent.on("error", (error: Error) => reject(failureOf(error, isConnected)));
  const stop = () => {
    reject(new FetchFailure("stopped", "The request was stopped."));
    sent.destroy();
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop);
  sent.end(body);
  return promise.finally(() => {
    signal.removeEventListener("abort", stop);
    sent.destroy();
  });
}

/** Answers every question for an address with the one that was judged. */
function pinned(address: string): LookupFunction {
  const family = isIP(address);
  return (_host, options, answer) =>
    options.all ? answer(null, [{ address, family }]) : answer(null, address, family);
}

async function readResponse(
  response: http.IncomingMessage,
  maxBytes: number,
): Promise<SafeResponse> {
  const decoder = new TextDecoder();
  let text = "";
  let room = maxBytes;
  for await (const chunk of response) {
    const bytes: Uint8Array = chunk;
    text += decoder.decode(bytes.subarray(0, room), { stream: true });
    room -= bytes.length;
    // The status says what became of the request; what else is said need not be heard to the end.
    if (room <= 0) break;
  }
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(headers), text };
}

function failureOf(cause: Error, isConnected: boolean): FetchFailure {
  if (!isConnected) {
    return new FetchFailure("no_connection", "The host takes no connection.", { cause });
  }
  if (/certificate|tls|ssl|handshake/i.test(cause.message)) {
    return new FetchFailure("tls", `No secure connection: ${cause.message}.`, { cause });
  }
  return new FetchFailure("broken", "The connection broke before an answer came.", { cause });
}

/** The outcome of `work`, unless the signal comes first. */
function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new FetchFailure("stopped", "The request was stopped."));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", stop));
}

/**
 * The addresses that may be connected to for a host, IPv4 first.
 *
 * @param host as `URL.hostname` has it: a name or an address
 * @param options.allowsPrivate also those that are not public
 * @throws {FetchFailure} when the name is not known, or any of its addresses is not public
 */
async function resolveHost(
  host: string,
  { resolver, allowsPrivate }: { readonly resolver: Resolver; readonly allowsPrivate: boolean },
): Promise<readonly string[]> {
  const bare = host.replace(/^\[|\]$/g, "");
  const addresses = isIP(bare) !== 0 ? [bare] : await ask(resolver, bare);
  if (!allowsPrivate && !addresses.every(isPublicAddress)) {
    throw new FetchFailure(
      "private_address",
      "The address leads into a private or reserved network, which the operator of this instance has not allowed (SERVICE_ALLOW_PRIVATE_WEBHOOKS).",
    );
  }
  return addresses.toSorted((a, b) => isIP(a) - isIP(b));
}

async function ask(resolver: Resolver, host: string): Promise<readonly string[]> {
  try {
    const addresses = await resolver(host);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    throw new FetchFailure("unknown_host", "The name of the host cannot be resolved.", {
      cause: error,
    });
  }
  throw new FetchFailure("unknown_host", "The host has no address.");
}

export type FetchProblem =
  | "bad_address"
  | "private_address"
  | "unknown_host"
  /** Nothing was sent. */
  | "no_connection"
  /** Whether it was taken is not known. */
  | "broken"
  | "tls"
  | "timeout"
  | "stopped";

/** No answer came. `message` is a sentence for whoever entered the address, without the address itself. */
export class FetchFailure extends Error {
  override name = "FetchFailure";

  constructor(readonly problem: FetchProblem, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}
