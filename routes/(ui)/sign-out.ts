import { endSession } from "../../lib/accounts/sessions.ts";
import { define } from "../../lib/server/define.ts";
import { clearedSessionCookie } from "../../lib/server/session.ts";

export const handler = define.handlers({
  GET: (ctx) => ctx.redirect("/", 303),

  async POST(ctx) {
    const { services, sessionToken } = ctx.state;
    if (sessionToken !== null) await endSession(services.kv, sessionToken);
    return new Response(null, {
      status: 303,
      headers: { location: "/sign-in", "set-cookie": clearedSessionCookie(services.config) },
    });
  },
});
