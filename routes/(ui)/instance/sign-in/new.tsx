import { authorize } from "@/lib/accounts/authorize.ts";
import { listAllOrganizations } from "@/lib/accounts/organizations.ts";
import { createProvider, freeProviderId } from "@/lib/accounts/providers/provider.ts";
import { type ProviderTexts, readSettings } from "@/lib/accounts/providers/settings_input.ts";
import { t } from "@/lib/core/language/translate.ts";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { savedFlash } from "@/lib/server/providers/check_provider.ts";
import { type Preset, presetOf } from "@/lib/server/providers/presets.ts";
import {
  presetTexts,
  ProviderFields,
  type ProviderFormChoices,
  readTexts,
  ThereSection,
} from "@/lib/server/providers/provider_form.tsx";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import { type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import { InstancePage } from "@/lib/ui/tabbed_pages.tsx";
import type { Shell } from "@/lib/ui/shell.ts";

interface NewProviderData extends ProviderFormChoices {
  readonly shell: Shell;
  readonly preset: Preset;
  /** That it will have: part of its callback. */
  readonly id: string;
  readonly texts: ProviderTexts;
  readonly errors: FormErrors;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, preset, id, errors } = data;
  return (
    <InstancePage shell={shell} tab="sign-in">
      <h2 class="text-lg font-semibold">{t("New provider: {name}", { name: preset.name })}</h2>
      <ThereSection {...data} />
      <form method="post" class="space-y-6">
        <FormSummary errors={errors} />
        <input type="hidden" name="id" value={id} />
        <ProviderFields {...data} hasSecret={false} />
        <div class="flex gap-2">
          <Button kind="primary">{t("Add")}</Button>
          <LinkButton href="/instance/sign-in">{t("Cancel")}</LinkButton>
        </div>
      </form>
    </InstancePage>
  );
});

export const handler = formHandlers<NewProviderData>(async (ctx) => {
  const { services: { kv, config }, actor, meta } = ctx.state;
  await authorize(kv, actor, { instance: true }, "instance:admin");
  requireRecent(ctx);
  const preset = presetOf(ctx.url.searchParams.get("preset") ?? "");
  meta.title = t("New provider: {name}", { name: preset.name });
  return {
    shell: await loadShell(ctx),
    preset,
    id: await freeProviderId(kv, preset.id),
    baseUrl: config.baseUrl,
    organizations: await listAllOrganizations(kv),
    texts: presetTexts(preset),
    errors: {},
  };
}, async (ctx) => {
  const { services, actor } = ctx.state;
  const { kv } = services;
  await authorize(kv, actor, { instance: true }, "instance:admin");
  requireRecent(ctx);
  const preset = presetOf(ctx.url.searchParams.get("preset") ?? "");
  const form = await readForm(ctx.req);
  const texts = readTexts(form);
  const result = await attempt(async () =>
    await createProvider(services, {
      id: fieldOf(form, "id"),
      kind: preset.kind,
      preset: preset.id,
      settings: await readSettings(services, preset.kind, texts),
      secret: texts.clientAuth === "none" ? "" : form.get("secret") ?? "",
    })
  );
  if (!result.ok) return { changes: { texts, errors: result.errors } };
  return await savedFlash(services, result.value);
});
