import { addAudit } from "../../lib/accounts/audit.ts";
import { findProvider, providerPath } from "../../lib/accounts/providers/provider.ts";
import { endSession } from "../../lib/accounts/sessions.ts";
import { define } from "../../lib/server/define.ts";
import { clearedSessionCookie } from "../../lib/server/session.ts";

export const handler = define.handlers({
  GET: (ctx) => ctx.redirect("/", 303),

  async POST(ctx) {
    const { services: { kv, config }, sessionToken, session, actor } = ctx.state;
    if (sessionToken !== null && actor.kind === "user") {
      const { id, email } = actor.user;
      await endSession(kv, sessionToken, (atomic) =>
        addAudit(atomic, {
          event: "user.sign-out",
          organizationId: null,
          target: { kind: "user", id, label: email },
        }));
    }
    const provider = await findProvider(kv, session?.provider ?? "");
    const location = provider?.endsThere ? `${providerPath(provider.id)}/signed-out` : "/sign-in";
    return new Response(null, {
      status: 303,
      headers: { location, "set-cookie": clearedSessionCookie(config) },
    });
  },
});
