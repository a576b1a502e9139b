import { HttpError, page } from "fresh";
import { authorize, requireUser } from "@/lib/accounts/authorize.ts";
import type { Purpose } from "@/lib/accounts/providers/attempts.ts";
import { findProvider, type Provider } from "@/lib/accounts/providers/provider.ts";
import { t } from "@/lib/core/language/translate.ts";
import { define, type State } from "@/lib/server/define.ts";
import { type FlowProblem, goToProvider } from "@/lib/server/providers/flow.ts";
import { AwayPage, ProblemPage } from "@/lib/server/providers/flow_pages.tsx";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { actionOf, localPath, readForm } from "@/lib/ui/form.ts";

type Data =
  | { readonly kind: "away"; readonly provider: string; readonly url: string }
  | {
    readonly kind: "problem";
    readonly problem: FlowProblem;
    readonly next: string;
    readonly isAdmin: boolean;
  };

/** The way to a provider. */
export default define.page<typeof handler>(({ data }) =>
  data.kind === "away" ? <AwayPage {...data} /> : <ProblemPage {...data} />
);

export const handler = define.handlers<Data>({
  /** To sign in, or to do so again: a link, so that `?next=` and a bookmark do. */
  async GET(ctx) {
    const { state, params } = ctx;
    const next = localPath(ctx.url.searchParams.get("next"), "/projects");
    const userId = state.actor.kind === "user" ? state.actor.user.id : null;
    const isAgain = ctx.url.searchParams.has("again");
    const provider = await requireEnabled(state, params.provider);
    // Who came in another way may do so by this one, which an organization may ask for.
    if (!isAgain && state.session?.provider === provider.id) return ctx.redirect(next, 303);
    const purpose: Purpose = isAgain && userId !== null
      ? { kind: "again", userId }
      : { kind: "sign-in" };
    const result = await goToProvider(ctx, provider, purpose, next);
    if (result.kind === "away") {
      const response = new Response(null, {
        status: 303,
        headers: { location: result.url.href, "cache-control": "no-store" },
      });
      for (const cookie of result.cookies) response.headers.append("set-cookie", cookie);
      return response;
    }
    return show(state, result, provider, next);
  },

  /** Whoever is signed in: to connect it, to try the settings. */
  async POST(ctx) {
    const { state, params } = ctx;
    const { id: userId } = requireUser(state);
    const form = await readForm(ctx.req);
    const next = localPath(form.get("next"), "/account/sign-ins");
    const purpose = actionOf(PURPOSES, form)(userId);
    if (purpose.kind === "test") await requireInstance(state);
    else requireRecent(ctx);
    const provider = purpose.kind === "test"
      ? await findProvider(state.services.kv, params.provider ?? "")
      : await requireEnabled(state, params.provider);
    if (provider === null) throw unknown();
    return show(state, await goToProvider(ctx, provider, purpose, next), provider, next);
  },
});

const PURPOSES: Readonly<Record<string, (userId: string) => Purpose>> = {
  connect: (userId) => ({ kind: "connect", userId }),
  test: (userId) => ({ kind: "test", userId }),
};

function requireInstance({ services: { kv }, actor }: State): Promise<void> {
  return authorize(kv, actor, { instance: true }, "instance:admin");
}

async function requireEnabled({ services: { kv } }: State, id: string | undefined) {
  const provider = await findProvider(kv, id ?? "");
  if (provider === null || !provider.isEnabled) throw unknown();
  return provider;
}

function unknown(): HttpError {
  return new HttpError(404, t("There is no such sign-in any more."));
}

function show(
  state: State,
  result: Awaited<ReturnType<typeof goToProvider>>,
  { name }: Provider,
  next: string,
) {
  const headers = { "cache-control": "no-store" };
  if (result.kind === "away") {
    const { url: { href: url }, cookies } = result;
    state.meta.title = name;
    state.cookies.push(...cookies);
    const refresh = `0; url=${url}`;
    return page<Data>({ kind: "away", provider: name, url }, { headers: { ...headers, refresh } });
  }
  if (result.kind !== "problem") throw new Error("Nobody has come back yet");
  state.meta.title = t("Sign in");
  const isAdmin = state.actor.kind === "user" && state.actor.user.isInstanceAdmin;
  const { problem } = result;
  return page<Data>({ kind: "problem", problem, next, isAdmin }, {
    headers,
    status: problem.status,
  });
}
