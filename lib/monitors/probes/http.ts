/** A check by HTTP: request, redirects, answer, and what is expected of it. */
import { VERSION } from "../../core/config.ts";
import { connect, secure } from "./connect.ts";
import { ProbeFailure } from "./failure.ts";
import { type Answer, exchange, type Request } from "./http_exchange.ts";
import { checkAnswer } from "./http_expected.ts";
import type { Observation } from "./observation.ts";
import { type HttpTarget, statusRanges } from "./target.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** What people enter is for the site they enter; these tell nothing about anybody. */
const HARMLESS_HEADERS = /^(?:accept(?:-.*)?|content-type|user-agent)$/i;

/** @throws {ProbeFailure} when the target is not as it shall be */
export async function probeHttp(
  target: HttpTarget,
  seen: Observation,
  traceparent?: string,
): Promise<void> {
  let request = firstRequest(target, traceparent);
  for (let hops = 0;; hops++) {
    const answer = await ask(request, target, seen);
    const next = isFollowed(answer, target) ? nextRequest(request, answer, target) : null;
    if (next === null) return checkAnswer(answer, target, seen.isInternal);
    if (hops === target.maxRedirects) {
      throw new ProbeFailure("redirect", `There were more than ${target.maxRedirects} redirects.`);
    }
    request = next;
    seen.redirects.push(request.url.href);
    seen.status = null;
  }
}

function firstRequest(target: HttpTarget, traceparent?: string): Request {
  const { method, body, basicAuth } = target;
  const login = basicAuth === null
    ? []
    : [["authorization", `Basic ${base64(`${basicAuth.user}:${basicAuth.password}`)}`] as const];
  const given = new Map([...login, ...target.headers].map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]));
  return {
    url: new URL(target.url),
    method,
    body: ["GET", "HEAD"].includes(method) ? "" : body,
    headers: new Map([
      ["accept", "*/*"],
      ["user-agent", `Watchpost/${VERSION} (uptime)`],
      ...given,
      ["accept-encoding", "identity"],
      ...traceparent === undefined ? [] : [["traceparent", traceparent] as const],
    ]),
  };
}

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

async function ask(request: Request, target: HttpTarget, seen: Observation): Promise<Answer> {
  const { url } = request;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isSecure = url.protocol === "https:";
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const plain = await connect({ host, port, family: target.family, refusesMail: true }, seen);
  try {
    if (!isSecure) return await exchange(plain, request, seen);
    const protocols = target.http2 ? ["h2", "http/1.1"] : ["http/1.1"];
    const secured = await secure(plain, { name: host, protocols }, seen);
    try {
      const problem = seen.certificate === null
        ? "The server shows no certificate."
        : seen.certificate.problem;
      // Nothing is said to a host that is not known to be the one.
      if (problem !== null && !target.ignoresTls) throw new ProbeFailure("tls", problem);
      return await exchange(secured, request, seen);
    } finally {
      secured.destroy();
    }
  } finally {
    plain.destroy();
  }
}

/** A redirect that is expected itself is the answer. */
function isFollowed({ status, headers }: Answer, target: HttpTarget): boolean {
  const isExpected = statusRanges(target.expectedStatus)?.some(([from, to]) =>
    status >= from && status <= to
  );
  return target.maxRedirects > 0 && REDIRECTS.has(status) && !isExpected &&
    headers.location !== undefined;
}

/** @throws {ProbeFailure} redirect */
function nextRequest(request: Request, { status, headers }: Answer, target: HttpTarget): Request {
  const place = headers.location ?? "";
  const url = URL.canParse(place, request.url) ? new URL(place, request.url) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ProbeFailure("redirect", "A redirect leads to no address of http or https.");
  }
  if (request.url.protocol === "https:" && url.protocol === "http:" && !target.allowsDowngrade) {
    throw new ProbeFailure("redirect", "A redirect leads from https to http.");
  }
  url.username = url.password = url.hash = "";
  const becomesGet = status === 303 && request.method !== "HEAD" ||
    status < 303 && request.method === "POST";
  const isForeign = url.origin !== request.url.origin;
  const kept = [...request.headers].filter(([name]) =>
    (!isForeign || HARMLESS_HEADERS.test(name) || name === "traceparent") &&
    (!becomesGet || name !== "content-type")
  );
  return {
    url,
    method: becomesGet ? "GET" : request.method,
    body: becomesGet ? "" : request.body,
    headers: new Map(kept),
  };
}
