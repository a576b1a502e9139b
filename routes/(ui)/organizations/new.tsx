import { createOrganization } from "@/lib/accounts/organizations.ts";
import { t } from "@/lib/core/language/translate.ts";
import { NameFields, type NameValues } from "@/lib/projects/organizations.tsx";
import { organizationPath } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { requireCreator } from "@/lib/server/organizations.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import type { FormErrors } from "@/lib/ui/components/fields.tsx";
import { Page, PageHeader } from "@/lib/ui/components/page.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface NewOrganizationData {
  readonly shell: Shell;
  readonly values: NameValues;
  readonly errors: FormErrors;
}

export default define.page<typeof handler>(({ data: { shell, values, errors } }) => (
  <Page
    shell={shell}
    crumbs={[
      { label: t("Organizations"), href: "/organizations" },
      { label: t("New organization") },
    ]}
    width="narrow"
  >
    <PageHeader
      title={t("New organization")}
      description={t("Has projects, members and teams of its own. You become its owner.")}
    />
    <Panel>
      <form method="post" class="max-w-md space-y-4">
        <NameFields values={values} errors={errors} isNamed={false} />
        <div class="flex gap-2">
          <Button kind="primary">{t("Create organization")}</Button>
          <LinkButton href="/organizations" kind="plain">{t("Cancel")}</LinkButton>
        </div>
      </form>
    </Panel>
  </Page>
));

export const handler = formHandlers<NewOrganizationData>(async (ctx) => {
  await requireCreator(ctx.state);
  ctx.state.meta.title = t("New organization");
  return { shell: await loadShell(ctx), values: { name: "", slug: "" }, errors: {} };
}, async (ctx) => {
  const { id: ownerId } = await requireCreator(ctx.state);
  const { kv } = ctx.state.services;
  const form = await readForm(ctx.req);
  const values = { name: fieldOf(form, "name"), slug: fieldOf(form, "slug") };
  const result = await attempt(() =>
    createOrganization(kv, { name: values.name, slug: values.slug || null, ownerId })
  );
  if (!result.ok) return { changes: { values, errors: result.errors } };
  const { slug, name } = result.value;
  return redirectWithFlash(organizationPath(slug), t("{name} is created.", { name }));
});
