import { HttpError } from "fresh";
import { authorize } from "@/lib/accounts/authorize.ts";
import { listAllOrganizations } from "@/lib/accounts/organizations.ts";
import {
  deleteProvider,
  findProvider,
  type Provider,
  providerPath,
  updateProvider,
} from "@/lib/accounts/providers/provider.ts";
import { type ProviderTexts, readSettings } from "@/lib/accounts/providers/settings_input.ts";
import { listTeams } from "@/lib/accounts/teams.ts";
import { t } from "@/lib/core/language/translate.ts";
import { define } from "@/lib/server/define.ts";
import { type Asking, formHandlers } from "@/lib/server/form_handlers.ts";
import { savedFlash } from "@/lib/server/providers/check_provider.ts";
import { presetOf } from "@/lib/server/providers/presets.ts";
import {
  ProviderFields,
  type ProviderFormChoices,
  readTexts,
  textsOf,
  ThereSection,
} from "@/lib/server/providers/provider_form.tsx";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { Button } from "@/lib/ui/components/button.tsx";
import {
  checkConfirmation,
  ConfirmByName,
  type FormErrors,
  FormSummary,
} from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, readForm, unknownForm } from "@/lib/ui/form.ts";
import { InstancePage } from "@/lib/ui/tabbed_pages.tsx";
import type { Shell } from "@/lib/ui/shell.ts";

interface ProviderData extends ProviderFormChoices {
  readonly shell: Shell;
  readonly provider: Provider;
  readonly texts: ProviderTexts;
  readonly errors: FormErrors;
  /** What is wrong with the name that was typed to delete it. */
  readonly confirmError: string | null;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, provider, errors } = data;
  const preset = presetOf(provider.preset);
  return (
    <InstancePage shell={shell} tab="sign-in">
      <div class="flex flex-wrap items-center justify-between gap-2">
        <h2 class="text-lg font-semibold wrap-anywhere">{provider.name}</h2>
        <form method="post" action={providerPath(provider.id)}>
          <input type="hidden" name="next" value={`/instance/sign-in/${provider.id}`} />
          <Button name="action" value="test">{t("Test sign-in")}</Button>
        </form>
      </div>
      <ThereSection {...data} preset={preset} id={provider.id} />
      <form method="post" class="space-y-6">
        <FormSummary errors={errors} />
        <ProviderFields {...data} preset={preset} hasSecret={provider.sealedSecret !== null} />
        <Button kind="primary" name="action" value="save">{t("Save")}</Button>
      </form>
      <DeletePanel {...data} />
    </InstancePage>
  );
});

function DeletePanel({ provider, confirmError }: ProviderData) {
  return (
    <Panel title={t("Delete")} id="delete" danger>
      <ConfirmByName
        name={provider.name}
        action={t("Delete the provider")}
        consequence={t(
          "People who sign in by it alone cannot do so any more; their accounts stay.",
        )}
        idPrefix="delete-"
        fields={{ action: "delete" }}
        error={confirmError ?? undefined}
      />
    </Panel>
  );
}

export const handler = formHandlers<ProviderData>(async (ctx) => {
  const { services: { kv, config }, meta } = ctx.state;
  const provider = await requireProvider(ctx);
  meta.title = provider.name;
  const organizations = await listAllOrganizations(kv);
  const used = new Set(provider.rules.map(({ organizationId }) => organizationId));
  const teams = await Promise.all(
    organizations.filter(({ id }) => used.has(id)).map((organization) =>
      listTeams(kv, organization)
    ),
  );
  const slugs = new Map(teams.flat().map(({ id, slug }) => [id, slug]));
  return {
    shell: await loadShell(ctx),
    provider,
    baseUrl: config.baseUrl,
    organizations,
    texts: textsOf(provider, (_organizationId, teamId) => slugs.get(teamId) ?? null),
    errors: {},
    confirmError: null,
  };
}, async (ctx) => {
  const provider = await requireProvider(ctx);
  requireRecent(ctx);
  const form = await readForm(ctx.req);
  const action = form.get("action");
  if (action === "delete") return await remove(ctx, provider, form);
  if (action !== "save") throw unknownForm();
  return await save(ctx, provider, form);
});

async function save(
  { state: { services } }: Asking,
  { id, kind }: Provider,
  form: URLSearchParams,
) {
  const texts = readTexts(form);
  const secret = form.get("secret") ?? "";
  const result = await attempt(async () => {
    const settings = await readSettings(services, kind, texts);
    return await updateProvider(services, id, settings, secret === "" ? null : secret);
  });
  if (!result.ok) return { changes: { texts, errors: result.errors } };
  if (result.value === null) throw gone();
  return await savedFlash(services, result.value);
}

async function remove(
  { state: { services: { kv } } }: Asking,
  { id, name }: Provider,
  form: URLSearchParams,
) {
  const problem = checkConfirmation(form, name);
  if (problem !== null) return { changes: { confirmError: problem } };
  await deleteProvider(kv, id);
  return redirectWithFlash("/instance/sign-in", t("{provider} is deleted.", { provider: name }));
}

async function requireProvider({ state, params }: Asking): Promise<Provider> {
  const { services: { kv }, actor } = state;
  await authorize(kv, actor, { instance: true }, "instance:admin");
  const provider = await findProvider(kv, params.provider ?? "");
  if (provider === null) throw gone();
  return provider;
}

function gone(): HttpError {
  return new HttpError(404, t("There is no such sign-in any more."));
}
