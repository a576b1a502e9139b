import { t } from "@/lib/core/language/translate.ts";
import { authorize, listVisibleOrganizations, requireUser } from "@/lib/accounts/authorize.ts";
import { effectiveRole, roleAllows } from "@/lib/accounts/members.ts";
import type { Organization } from "@/lib/accounts/organizations.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { Alert, Panel } from "@/lib/ui/components/panel.tsx";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import { Field, type FormErrors, FormSummary, Select } from "@/lib/ui/components/fields.tsx";
import { Page, PageHeader } from "@/lib/ui/components/page.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { PlatformPicker } from "@/lib/projects/platforms.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { define, type State } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";

interface NewProjectData {
  readonly shell: Shell;
  /** Those in which the person may create projects. */
  readonly organizations: readonly Organization[];
  readonly values: {
    readonly organization: string;
    readonly name: string;
    readonly platform: string;
  };
  readonly errors: FormErrors;
}

export default define.page<typeof handler>(({ data }) => (
  <Page
    shell={data.shell}
    crumbs={[{ label: t("Projects"), href: "/projects" }, { label: t("New project") }]}
    width="narrow"
  >
    <PageHeader
      title={t("New project")}
      description={t("A project stands for one app or service, with its own keys and issues.")}
    />
    {data.organizations.length > 0 ? <NewProjectForm {...data} /> : <NotAllowed />}
  </Page>
));

function NewProjectForm({ organizations, values, errors }: NewProjectData) {
  return (
    <Panel>
      <form method="post" class="space-y-5">
        <FormSummary errors={errors} />
        <PlatformPicker value={values.platform} error={errors.platform} />
        <div class="max-w-md space-y-5">
          <Field
            name="name"
            label={t("Name")}
            value={values.name}
            error={errors.name}
            help={t("As your team calls it, such as web shop.")}
            maxLength={64}
            autocomplete="off"
            required
          />
          {organizations.length > 1 && (
            <Select
              name="organization"
              label={t("Organization")}
              value={values.organization}
              error={errors.organization}
              options={organizations.map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
        </div>
        <div class="flex gap-2">
          <Button kind="primary">{t("Create project")}</Button>
          <LinkButton href="/projects" kind="plain">{t("Cancel")}</LinkButton>
        </div>
      </form>
    </Panel>
  );
}

function NotAllowed() {
  return (
    <Alert kind="warning" title={t("You cannot create projects")}>
      {t(
        "Owners and administrators of an organization can. Ask one of them, or ask them for that role.",
      )}
    </Alert>
  );
}

export const handler = formHandlers<NewProjectData>(async (ctx) => {
  ctx.state.meta.title = t("New project");
  const organizations = await creatableIn(ctx.state);
  const values = { organization: organizations[0]?.id ?? "", name: "", platform: "" };
  return { shell: await loadShell(ctx), organizations, values, errors: {} };
}, async (ctx) => {
  const { kv } = ctx.state.services;
  const organizations = await creatableIn(ctx.state);
  const form = await readForm(ctx.req);
  const values = {
    organization: fieldOf(form, "organization") || (organizations[0]?.id ?? ""),
    name: fieldOf(form, "name"),
    platform: fieldOf(form, "platform"),
  };
  const target = { organizationId: values.organization };
  const { organization } = await authorize(kv, ctx.state.actor, target, "project:create");
  const missing = missingIn(values);
  if (Object.keys(missing).length > 0) return { changes: { values, errors: missing } };
  const result = await attempt(() =>
    createProject(kv, { ...values, organizationId: organization.id })
  );
  if (!result.ok) return { changes: { values, errors: result.errors } };
  const { id, name } = result.value;
  return redirectWithFlash(
    sectionPath(id, "setup"),
    t("{name} is created. Now send it something.", { name }),
  );
});

/** All that is missing at once, where the store would name one thing after the other. */
function missingIn({ platform, name }: NewProjectData["values"]): FormErrors {
  return {
    ...(platform === "" ? { platform: t("Choose a platform.") } : {}),
    ...(name === "" ? { name: t("Enter a name.") } : {}),
  };
}

async function creatableIn(state: State): Promise<Organization[]> {
  const user = requireUser(state);
  const { kv } = state.services;
  const organizations = await listVisibleOrganizations(kv, state.actor);
  const roles = await Promise.all(organizations.map(({ id }) => effectiveRole(kv, id, user)));
  return organizations.filter((_, index) => {
    const role = roles[index] ?? null;
    return role !== null && roleAllows(role, "project:create");
  });
}
