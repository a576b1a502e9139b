import { requireUser } from "@/lib/accounts/authorize.ts";
import {
  type Identity,
  identityHash,
  listIdentities,
  otherWaysIn,
  unlinkIdentity,
} from "@/lib/accounts/providers/identities.ts";
import { HEADER_ID, listProviders, providerPath } from "@/lib/accounts/providers/provider.ts";
import type { User } from "@/lib/accounts/users.ts";
import { t } from "@/lib/core/language/translate.ts";
import { define, type State } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { AccountPage } from "@/lib/ui/tabbed_pages.tsx";
import { Button } from "@/lib/ui/components/button.tsx";
import { type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { RelativeTime } from "@/lib/ui/components/values.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface SignInsData {
  readonly shell: Shell;
  readonly connected: readonly (Identity & { readonly hash: string; readonly provider: string })[];
  /** Providers that one may connect. */
  readonly others: readonly { readonly id: string; readonly name: string }[];
  /** Whether one of the connected may go. */
  readonly mayDisconnect: boolean;
  readonly errors: FormErrors;
}

const PATH = "/account/sign-ins";

/** The accounts at providers that one signs in with. */
export default define.page<typeof handler>(({ data }) => (
  <AccountPage shell={data.shell} tab="sign-ins">
    <FormSummary errors={data.errors} />
    <ConnectedPanel {...data} />
    <OthersPanel {...data} />
  </AccountPage>
));

function ConnectedPanel({ connected, mayDisconnect }: SignInsData) {
  return (
    <Panel
      title={t("Connected sign-ins")}
      id="connected"
      description={t("Whoever signs in there is in your account here.")}
      flush={connected.length > 0}
    >
      {connected.length === 0
        ? <p class="text-muted">{t("None is connected.")}</p>
        : (
          <ul class="divide-y divide-line">
            {connected.map(({ hash, provider, label, lastUsedAt }) => (
              <li key={hash} class="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
                <div class="min-w-0 flex-1">
                  <p class="font-medium wrap-anywhere">{provider}</p>
                  <p class="text-sm text-muted wrap-anywhere">
                    {label} · {t("last used")} <RelativeTime date={lastUsedAt} />
                  </p>
                </div>
                {mayDisconnect
                  ? (
                    <form method="post">
                      <input type="hidden" name="identity" value={hash} />
                      <Button
                        size="sm"
                        aria-label={t("Disconnect {provider}", { provider })}
                      >
                        {t("Disconnect")}
                      </Button>
                    </form>
                  )
                  : <p class="text-sm text-muted">{t("Your only way in")}</p>}
              </li>
            ))}
          </ul>
        )}
    </Panel>
  );
}

function OthersPanel({ others }: SignInsData) {
  if (others.length === 0) return null;
  return (
    <Panel title={t("Connect another")} id="others">
      <ul class="flex flex-wrap gap-2">
        {others.map(({ id, name }) => (
          <li key={id} class="max-w-full">
            <form method="post" action={providerPath(id)}>
              <input type="hidden" name="next" value={PATH} />
              <Button name="action" value="connect" class="max-w-full">
                <span class="truncate">{t("Connect {provider}", { provider: name })}</span>
              </Button>
            </form>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export const handler = formHandlers<SignInsData>(async (ctx) => {
  const user = requireUser(ctx.state);
  ctx.state.meta.title = t("Connected sign-ins");
  return { shell: await loadShell(ctx), ...await load(ctx.state, user), errors: {} };
}, async (ctx) => {
  const user = requireUser(ctx.state);
  requireRecent(ctx);
  const { kv } = ctx.state.services;
  const hash = fieldOf(await readForm(ctx.req), "identity");
  const result = await attempt(() => unlinkIdentity(kv, user, hash, otherWaysIn));
  if (!result.ok) return { changes: { errors: result.errors } };
  return redirectWithFlash(PATH, t("The sign-in is disconnected."));
});

async function load({ services: { kv } }: State, user: User) {
  const [identities, providers] = await Promise.all([
    listIdentities(kv, user.id),
    listProviders(kv),
  ]);
  const ways = await otherWaysIn(kv, user, null);
  const nameOf = (id: string) =>
    id === HEADER_ID
      ? t("Reverse proxy")
      : providers.find((provider) => provider.id === id)?.name ?? id;
  return {
    connected: identities.map((identity) => ({
      ...identity,
      hash: identityHash(identity),
      provider: nameOf(identity.providerId),
    })),
    others: providers.filter(({ id, isEnabled }) =>
      isEnabled && !identities.some(({ providerId }) => providerId === id)
    ),
    mayDisconnect: ways.length > 1,
  };
}
