import type { Config } from "../core/config.ts";
import { grpcRefusal, isGrpc } from "../ingest/protocols/grpc.ts";
import { receive } from "../ingest/pipeline.ts";
import { define } from "./define.ts";

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
