import { BadLogoutToken, endByProvider } from "@/lib/accounts/providers/back_channel.ts";
import { findProvider } from "@/lib/accounts/providers/provider.ts";
import { ProviderFailure } from "@/lib/accounts/providers/provider_fetch.ts";
import { currentScope } from "@/lib/core/request_scope.ts";
import { define } from "@/lib/server/define.ts";
import { readForm } from "@/lib/ui/form.ts";

/** A provider tells that somebody signed out there. Outside of the pages: it comes from a server, which the token proves. */
export const handler = define.handlers({
  async POST(ctx) {
    const { services } = ctx.state;
    const provider = await findProvider(services.kv, ctx.params.provider ?? "");
    if (provider === null) return answer(404, "There is no such provider");
    const scope = currentScope();
    // Of what the token proves, the audit log tells that the provider did it.
    scope.asker = { ...scope.asker, kind: "system", id: provider.id, label: provider.name };
    const token = (await readForm(ctx.req)).get("logout_token") ?? "";
    try {
      const ended = await endByProvider(services, provider, token);
      services.log.info("signed out by a provider", { provider: provider.id, sessions: ended });
      return new Response(null, { status: 200, headers: { "cache-control": "no-store" } });
    } catch (error) {
      if (error instanceof BadLogoutToken) return answer(400, error.message);
      if (!(error instanceof ProviderFailure)) throw error;
      services.log.warn("a provider of single sign-on failed", {
        provider: provider.id,
        reason: error.message,
      });
      return answer(400, "Your keys cannot be read now");
    }
  },
});

/** As section 2.8 of the specification has it. */
function answer(status: number, description: string): Response {
  return Response.json({ error: "invalid_request", error_description: description }, {
    status,
    headers: { "cache-control": "no-store" },
  });
}
