import type { Config } from "../core/config.ts";
import { Refusal } from "../core/refusal.ts";
import { type Arrival, receive } from "../ingest/pipeline.ts";
import type { AnyProtocol } from "../ingest/protocol.ts";
import { preflight } from "../ingest/protocols/sentry_reply.ts";
import { grpcRefusal, isGrpc } from "../ingest/protocols/otlp.ts";
import { sentryEnvelope } from "../ingest/protocols/sentry.ts";
import { clientAddress, define } from "./define.ts";
import { noteAnswer } from "./request_log.ts";
import type { Services } from "./services.ts";

/** The protocol that an ingest address speaks, by method. */
interface IngestMethods {
  readonly POST: AnyProtocol;
  /** For clients that can only load an image: the body comes in `sentry_data` of the query. */
  readonly GET?: AnyProtocol;
}

/**
 * Makes the handler of an ingest address: its methods go to the pipeline, a preflight is answered, and
 * other methods get 405. All answers carry CORS headers, which Fresh's own 405 would not.
 */
export function ingestRoute(methods: IngestMethods) {
  const allow = [...Object.keys(methods), ...(methods.GET ? ["HEAD"] : []), "OPTIONS"].join(", ");
  return define.handlers(({ req, url, params, state }) => {
    if (req.method === "OPTIONS") return preflight();
    const arrival = {
      url,
      projectId: params.project ?? null,
      clientAddress: state.clientAddress,
    };
    if (req.method === "POST") return receive(req, methods.POST, state.services, arrival);
    const isGet = req.method === "GET" || req.method === "HEAD";
    if (isGet && methods.GET !== undefined) {
      return receive(asPost(req, url), methods.GET, state.services, arrival);
    }
    return methods.POST.refuse(wrongMethod(req.method, allow), req);
  });
}

function asPost({ headers }: Request, url: URL): Request {
  const body = url.searchParams.get("sentry_data") ?? "";
  return new Request(url, { method: "POST", headers, body });
}

function wrongMethod(method: string, allow: string): Refusal {
  const outcome = { kind: "refused", reason: "wrong_method" } as const;
  return new Refusal(405, `This address does not take ${method}`, outcome, { allow });
}

/** Answers gRPC clients at whatever address in their own way: they understand neither a page nor a 404. */
export function refuseGrpc({ baseUrl }: Pick<Config, "baseUrl">) {
  const protocol = grpcRefusal(baseUrl);
  return define.middleware((ctx) => {
    const { req, url, state } = ctx;
    if (!isGrpc(req)) return ctx.next();
    const { services, clientAddress } = state;
    return receive(req, protocol, services, { url, projectId: null, clientAddress });
  });
}

type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** Of an address in its plain form; whatever else leads there goes through the router. */
const ENVELOPE = /^https?:\/\/[^/?#]+\/api\/([1-9]\d{0,17})\/envelope\/?(?:\?[^#]*)?$/;

/**
 * Lets envelopes pass the router and what is before pages: nearly all that comes is one, and needs nothing of it. They
 * get the same answer, and the same line in the log.
 *
 * @param handler answers everything else
 */
export function envelopesFirst(handler: Handler, services: Services): Handler {
  return (request, info) => {
    if (request.method !== "POST") return handler(request, info);
    const [, projectId] = ENVELOPE.exec(request.url) ?? [];
    const url = projectId === undefined ? null : URL.parse(request.url);
    // Clients of gRPC understand neither address nor answer.
    if (projectId === undefined || url === null || isGrpc(request)) return handler(request, info);
    const { remoteAddr } = info;
    const peer = clientAddress(request.headers, remoteAddr, services.config.trustProxy);
    return receiveEnvelope(request, { url, projectId, clientAddress: peer }, services);
  };
}

/** As the file of the route says it. */
const ENVELOPE_ROUTE = "/api/:project/envelope{/}?";

async function receiveEnvelope(
  request: Request,
  arrival: Arrival,
  services: Services,
): Promise<Response> {
  const began = performance.now();
  const response = await receive(request, sentryEnvelope, services, arrival);
  const { pathname: path } = arrival.url;
  const requestId = crypto.randomUUID();
  const { status } = response;
  noteAnswer(services, { request, route: ENVELOPE_ROUTE, path, status, began, requestId });
  return response;
}
