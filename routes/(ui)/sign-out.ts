import { addAudit } from "../../lib/accounts/audit.ts";
import { endSession } from "../../lib/accounts/sessions.ts";
import { define } from "../../lib/server/define.ts";
import { clearedSessionCookie } from "../../lib/server/session.ts";

export const handler = define.handlers({
  GET: (ctx) => ctx.redirect("/", 303),

  async POST(ctx) {
    const { services: { kv, config }, sessionToken, actor } = ctx.state;
    if (sessionToken !== null && actor.kind === "user") {
      const { id, email } = actor.user;
      await endSession(kv, sessionToken, (atomic) =>
        addAudit(atomic, {
          event: "user.sign-out",
          organizationId: null,
          target: { kind: "user", id, label: email },
        }));
    }
    return new Response(null, {
      status: 303,
      headers: { location: "/sign-in", "set-cookie": clearedSessionCookie(config) },
    });
  },
});
