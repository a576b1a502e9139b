import { page } from "fresh";
import { requireUser } from "@/lib/accounts/authorize.ts";
import { ATTEMPT_MS, spendOnce, type Stranger } from "@/lib/accounts/providers/attempts.ts";
import { linkIdentity } from "@/lib/accounts/providers/identities.ts";
import { findProvider, HEADER_ID, providerPath } from "@/lib/accounts/providers/provider.ts";
import { t } from "@/lib/core/language/translate.ts";
import { define, type State } from "@/lib/server/define.ts";
import { goneStrangerCookie, readStranger } from "@/lib/server/providers/attempt_cookies.ts";
import { tellConnected } from "@/lib/server/providers/flow.ts";
import { StrangerPage, type StrangerView } from "@/lib/server/providers/flow_pages.tsx";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt } from "@/lib/ui/form.ts";

/** Connects who came back from a provider to the account that they can sign in to. */
export default define.page<typeof handler>(({ data }) => <StrangerPage {...data} />);

export const handler = define.handlers<StrangerView>({
  async GET(ctx) {
    const { state, req, params } = ctx;
    const stranger = await strangerOf(req, state, params.provider);
    if (stranger === null) return ctx.redirect("/sign-in", 303);
    return show(state, stranger, await nameOf(state, stranger), null);
  },

  async POST(ctx) {
    const { state, req, params } = ctx;
    const { kv, config } = state.services;
    const user = requireUser(state);
    requireRecent(ctx);
    const stranger = await strangerOf(req, state, params.provider);
    if (stranger === null) return tooOld();
    const name = await nameOf(state, stranger);
    if (!await spendOnce(kv, "stranger", stranger.id, ATTEMPT_MS)) return tooOld();
    const result = await attempt(() => linkIdentity(kv, stranger, user));
    if (!result.ok) return show(state, stranger, name, result.errors[""] ?? null);
    await tellConnected(state.services, user, name);
    const response = redirectWithFlash(
      stranger.next,
      t("{provider} is connected.", { provider: name }),
    );
    response.headers.append("set-cookie", goneStrangerCookie(config));
    return response;
  },
});

function tooOld(): Response {
  const text = t("This sign-in is too old, or was started in another browser. Start again.");
  return redirectWithFlash("/account/sign-ins", text, "warning");
}

async function strangerOf(req: Request, { services }: State, id: string | undefined) {
  const stranger = await readStranger(req, services);
  return stranger?.providerId === id ? stranger : null;
}

async function nameOf({ services: { kv } }: State, { providerId }: Stranger): Promise<string> {
  if (providerId === HEADER_ID) return t("Reverse proxy");
  return (await findProvider(kv, providerId))?.name ?? providerId;
}

function show(state: State, stranger: Stranger, provider: string, error: string | null) {
  const { profile: { email, name, subject }, why, next, providerId } = stranger;
  state.meta.title = t("Connect {provider}", { provider });
  return page<StrangerView>({
    provider,
    label: email ?? (name || subject),
    why,
    account: state.actor.kind === "user" ? state.actor.user.email : null,
    next,
    error,
    path: `${providerPath(providerId)}/connect`,
  }, { status: error === null ? 200 : 422, headers: { "cache-control": "no-store" } });
}
