import { needsSetup } from "../../lib/accounts/setup.ts";
import { define } from "../../lib/server/define.ts";

/** The entry: on to the projects, to the sign-in, or on a fresh instance to the first account. */
export const handler = define.handlers({
  async GET(ctx) {
    if (ctx.state.actor.kind === "user") return ctx.redirect("/projects", 303);
    const isFresh = await needsSetup(ctx.state.services.kv);
    return ctx.redirect(isFresh ? "/sign-up" : "/sign-in", 303);
  },
});
