import { checkStores } from "../lib/health.ts";
import { define } from "../lib/web/define.ts";

/** Whether requests can be served: all three stores answer, and no shutdown is under way. */
export const handler = define.handlers({
  async GET({ state: { services } }) {
    if (services.stopping.aborted) {
      return Response.json({ status: "stopping" }, { status: 503 });
    }
    const health = await checkStores(services);
    return health.ok
      ? Response.json({ status: "ready" })
      : Response.json({ status: "unavailable", failing: health.failing }, { status: 503 });
  },
});
