import type { Services } from "./services.ts";
import { clientAddress } from "./client_address.ts";
import { define } from "./define.ts";

/** Gives every request what all others build on. Must be the first middleware. */
export function rootState(services: Services) {
  return define.middleware((ctx) => {
    const { state } = ctx;
    state.services = services;
    state.actor = { kind: "nobody" };
    state.sessionToken = null;
    state.requestId = crypto.randomUUID();
    state.clientAddress = clientAddress(
      ctx.req.headers,
      ctx.info.remoteAddr,
      services.config.trustProxy,
    );
    state.meta = { title: "" };
    state.theme = "system";
    return ctx.next();
  });
}
