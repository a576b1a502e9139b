/** What the log and the measures are told of each request. */
import { MEASURES } from "../core/measures/measures.ts";
import { isWorkKept, noteWork } from "../core/own_work.ts";
import { define, isForPrograms } from "./define.ts";
import { OWN_AGENT } from "./own_telemetry/envelopes.ts";
import type { Services } from "./services.ts";

/** A request that has its answer. */
interface Answered {
  readonly request: Pick<Request, "method" | "headers">;
  /** The pattern of its address; null: none matches. */
  readonly route: string | null;
  readonly path: string;
  readonly status: number;
  /** On the clock of `performance.now()`. */
  readonly began: number;
  readonly requestId: string;
}

/**
 * One line a request: method, path, status and milliseconds. The query is left out because SDKs put
 * their key there.
 */
export function noteAnswer(
  { log }: Pick<Services, "log">,
  answered: Answered,
): void {
  const { request: { method }, path, status, began, requestId } = answered;
  if (isWorkKept()) noteRequest(answered);
  MEASURES.answers.add(1, areaOf(path), `${Math.floor(status / 100)}xx`);
  log.info("request", {
    method,
    path: withoutSecret(path),
    status,
    ms: Math.round((performance.now() - began) * 100) / 100,
    id: requestId,
  });
}

export const requestLog = define.middleware(async (ctx) => {
  const began = performance.now();
  const response = await ctx.next();
  const { req: request, route, url: { pathname: path }, state: { services, requestId } } = ctx;
  const { status } = response;
  noteAnswer(services, { request, route, path, status, began, requestId });
  return response;
});

/** By its route alone: addresses may hold keys, and what tenants call things. */
function noteRequest({ request: { method, headers }, route, status, began }: Answered): void {
  if (headers.get("user-agent")?.startsWith(OWN_AGENT)) return;
  noteWork("request", `${method} ${route ?? "without a route"}`, began, {
    isFailed: status >= 500,
    attributes: {
      "http.request.method": method,
      "http.route": route ?? "",
      "http.response.status_code": status,
    },
  });
}

/** Where the addresses of the intake begin that are not below `/api`. */
const INTAKE_PATH = /^\/(?:v1|v1development|ingest|push\.v1\.PusherService|ping|js)(?:\/|$)/;

function areaOf(path: string): "page" | "api" | "intake" {
  if (path.startsWith("/api/0/")) return "api";
  return isForPrograms(path) || INTAKE_PATH.test(path) ? "intake" : "page";
}

/** Sentry's API has the token of an invitation in the path. */
function withoutSecret(path: string): string {
  if (!path.startsWith("/api/0/")) return path;
  return path.replace(/^(\/api\/0\/accept-invite\/[^/]+\/[^/]+\/)[^/]+/, "$1…");
}
