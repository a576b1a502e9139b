import { page } from "fresh";
import { signOutUrl } from "@/lib/accounts/providers/protocol.ts";
import { findProvider } from "@/lib/accounts/providers/provider.ts";
import { ProviderFailure } from "@/lib/accounts/providers/provider_fetch.ts";
import { define } from "@/lib/server/define.ts";
import { AwayPage } from "@/lib/server/providers/flow_pages.tsx";

interface Data {
  readonly provider: string;
  readonly url: string;
}

/** After the sign-out here: on to the provider, which signs out there as well. */
export default define.page<typeof handler>(({ data }) => <AwayPage {...data} />);

export const handler = define.handlers<Data>({
  async GET(ctx) {
    const { services, meta } = ctx.state;
    const provider = await findProvider(services.kv, ctx.params.provider ?? "");
    if (provider?.kind !== "oidc" || !provider.endsThere) return ctx.redirect("/sign-in", 303);
    const url = await signOutUrl(services, provider).catch((error) => {
      if (error instanceof ProviderFailure) return null;
      throw error;
    });
    if (url === null) return ctx.redirect("/sign-in", 303);
    meta.title = provider.name;
    return page({ provider: provider.name, url: url.href }, {
      headers: { refresh: `0; url=${url.href}`, "cache-control": "no-store" },
    });
  },
});
