import { asideState, checkStores, intakeState, spoolState } from "../lib/server/health.ts";
import { define } from "../lib/server/define.ts";

/**
 * Whether requests can be served: all three stores answer, and no shutdown is under way. Says also what becomes of
 * what is sent, which may go on while Postgres is away.
 */
export const handler = define.handlers({
  async GET({ state: { services } }) {
    if (services.stopping.aborted) {
      return Response.json({ status: "stopping" }, { status: 503 });
    }
    const [health, spool, aside] = await Promise.all([
      checkStores(services),
      spoolState(services),
      asideState(services),
    ]);
    const intake = intakeState(health, spool, services.disk.isLow());
    const state = { intake, spool, setAside: aside?.requests ?? null };
    return health.ok
      ? Response.json({ status: "ready", ...state })
      : Response.json({ status: "unavailable", failing: health.failing, ...state }, {
        status: 503,
      });
  },
});
