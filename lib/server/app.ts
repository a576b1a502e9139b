import { App, staticFiles } from "fresh";
import type { Services } from "./services.ts";
import type { State } from "./define.ts";
import { errorPages } from "./error_pages.tsx";
import { refuseGrpc } from "./refuse_grpc.ts";
import { requestLog } from "./request_log.ts";
import { rootState } from "./root_state.ts";
import { securityHeaders } from "./security_headers.ts";

/** The app over `services`; its file routes come from the build that is applied to it. */
export function createApp(services: Services): App<State> {
  return new App<State>({ trustProxy: services.config.trustProxy })
    .use(rootState(services), requestLog, refuseGrpc(services.config), securityHeaders, errorPages)
    .use(staticFiles())
    .fsRoutes();
}
