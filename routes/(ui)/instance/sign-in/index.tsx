import { authorize } from "@/lib/accounts/authorize.ts";
import { listProviders, type Provider } from "@/lib/accounts/providers/provider.ts";
import { setProviderOnly, signInPolicy } from "@/lib/accounts/providers/policy.ts";
import type { AuthHeaderConfig } from "@/lib/core/config.ts";
import { message, rich, t } from "@/lib/core/language/translate.ts";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { PRESETS } from "@/lib/server/providers/presets.ts";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { Badge } from "@/lib/ui/components/badge.tsx";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import { Checkbox, type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, readForm } from "@/lib/ui/form.ts";
import { InstancePage } from "@/lib/ui/tabbed_pages.tsx";
import type { Shell } from "@/lib/ui/shell.ts";

interface SignInData {
  readonly shell: Shell;
  readonly providers: readonly Provider[];
  readonly isProviderOnly: boolean;
  readonly header: AuthHeaderConfig | null;
  /** The administrator who may use a password whatever happens; null: none. */
  readonly breakGlass: string | null;
  readonly errors: FormErrors;
}

const PATH = "/instance/sign-in";

/** How people get in: the providers of single sign-on, and whether passwords do as well. */
export default define.page<typeof handler>(({ data }) => (
  <InstancePage shell={data.shell} tab="sign-in">
    <ProvidersPanel {...data} />
    <AddPanel />
    <PasswordsPanel {...data} />
    <HeaderPanel {...data} />
  </InstancePage>
));

function ProvidersPanel({ providers }: SignInData) {
  return (
    <Panel title={t("Providers")} id="providers" flush>
      {providers.length === 0
        ? (
          <EmptyState icon="key" title={t("No single sign-on yet")}>
            {t("Add a provider below, and people sign in with the account that they have there.")}
          </EmptyState>
        )
        : (
          <ul class="divide-y divide-line">
            {providers.map(({ id, name, issuer, isEnabled }) => (
              <li key={id} class="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
                <div class="min-w-0 flex-1">
                  <a class="link font-medium" href={`${PATH}/${id}`}>{name}</a>
                  <p class="text-sm text-muted wrap-anywhere">{issuer}</p>
                </div>
                {isEnabled ? <Badge tone="ok">{t("on")}</Badge> : <Badge>{t("off")}</Badge>}
              </li>
            ))}
          </ul>
        )}
    </Panel>
  );
}

function AddPanel() {
  return (
    <Panel
      title={t("Add a provider")}
      id="add"
      description={t(
        "With a text that says what to do there; all of them can be changed afterwards.",
      )}
    >
      <ul class="flex flex-wrap gap-2">
        {PRESETS.map(({ id, name }) => (
          <li key={id}>
            <LinkButton href={`${PATH}/new?preset=${id}`}>{name}</LinkButton>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function PasswordsPanel({ isProviderOnly, breakGlass, providers, errors }: SignInData) {
  return (
    <Panel
      title={t("Passwords")}
      id="passwords"
      description={t("Whether people may sign in with a password or a passkey of Watchpost.")}
    >
      <form method="post" class="space-y-4">
        <FormSummary errors={errors} />
        <Checkbox
          name="isProviderOnly"
          label={t("Only by a provider")}
          help={breakGlass === null
            ? rich(
              "You have to be signed in by one. If it fails one day: <code>deno task passwords</code> on the console.",
              { code: (words) => <code>{words}</code> },
            )
            : rich(
              "You have to be signed in by one. If it fails one day, {email} may still use the password, or run <code>deno task passwords</code> on the console.",
              { email: breakGlass, code: (words) => <code>{words}</code> },
            )}
          isChecked={isProviderOnly}
          isDisabled={providers.length === 0 && !isProviderOnly}
        />
        <Button>{t("Save")}</Button>
      </form>
    </Panel>
  );
}

function HeaderPanel({ header }: SignInData) {
  return (
    <Panel title={t("Reverse proxy")} id="header">
      {header === null
        ? (
          <p class="text-muted">
            {t("Off. SERVICE_AUTH_HEADER lets a proxy say who is signed in.")}
          </p>
        )
        : (
          <p>
            {t("Whom the header {name} names is signed in, if the request comes from {networks}.", {
              name: header.name,
              networks: header.from.join(", "),
            })} {t(header.mayCreate ? CREATES : CREATES_NOT)}
          </p>
        )}
    </Panel>
  );
}

const CREATES = message("Who has no account gets one.");
const CREATES_NOT = message("Who has no account gets none.");

export const handler = formHandlers<SignInData>(async (ctx) => {
  const { services: { kv, config }, actor, meta } = ctx.state;
  await authorize(kv, actor, { instance: true }, "instance:admin");
  meta.title = t("Sign-in");
  const [shell, providers, policy] = await Promise.all([
    loadShell(ctx),
    listProviders(kv),
    signInPolicy(kv),
  ]);
  return {
    shell,
    providers,
    isProviderOnly: policy.isProviderOnly,
    header: config.authHeader,
    breakGlass: config.admin?.email ?? null,
    errors: {},
  };
}, async (ctx) => {
  const { services: { kv }, actor, session } = ctx.state;
  await authorize(kv, actor, { instance: true }, "instance:admin");
  requireRecent(ctx);
  const isProviderOnly = (await readForm(ctx.req)).get("isProviderOnly") === "on";
  const result = await attempt(() => setProviderOnly(kv, isProviderOnly, session));
  if (!result.ok) return { changes: { isProviderOnly, errors: result.errors } };
  return redirectWithFlash(
    PATH,
    isProviderOnly ? t("People sign in by a provider only.") : t("Passwords are on."),
  );
});
