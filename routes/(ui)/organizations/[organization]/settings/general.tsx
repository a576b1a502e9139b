import { page } from "fresh";
import { type Organization, updateOrganization } from "../../../../../lib/control/organizations.ts";
import { roleAllows } from "../../../../../lib/control/roles.ts";
import {
  Button,
  ExactTime,
  Field,
  type FormErrors,
  FormSummary,
  Panel,
} from "../../../../../lib/ui/components/mod.ts";
import { redirectWithFlash } from "../../../../../lib/ui/flash.ts";
import { attempt, fieldOf, readForm } from "../../../../../lib/ui/form.ts";
import {
  organizationPath,
  OrganizationSettingsPage,
} from "../../../../../lib/ui/settings/organization_settings_page.tsx";
import { loadShell, type Shell } from "../../../../../lib/ui/shell.ts";
import { requireOrganization } from "../../../../../lib/web/access.ts";
import { define } from "../../../../../lib/web/define.ts";

interface GeneralData {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly mayWrite: boolean;
  readonly mayHaveTokens: boolean;
  readonly name: string;
  readonly errors: FormErrors;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, organization, mayWrite, mayHaveTokens, name, errors } = data;
  return (
    <OrganizationSettingsPage
      shell={shell}
      organization={organization}
      tab="general"
      mayHaveTokens={mayHaveTokens}
    >
      {mayWrite && (
        <Panel title="General">
          <form method="post" class="max-w-md space-y-4">
            <FormSummary errors={errors} />
            <Field
              name="name"
              label="Name"
              value={name}
              error={errors.name}
              maxLength={64}
              autocomplete="organization"
              required
            />
            <Button kind="primary">Save</Button>
          </form>
        </Panel>
      )}
      <Panel title="About">
        <dl class="grid gap-x-6 gap-y-2 sm:grid-cols-[10rem_1fr]">
          <dt class="text-muted">Slug</dt>
          <dd>
            <code>{organization.slug}</code>
          </dd>
          <dt class="text-muted">Created</dt>
          <dd>
            <ExactTime date={organization.createdAt} />
          </dd>
        </dl>
        {!mayWrite && <p class="mt-3 text-muted">Only owners can change the organization.</p>}
      </Panel>
    </OrganizationSettingsPage>
  );
});

export const handler = define.handlers<GeneralData>({
  async GET(ctx) {
    const { organization, role } = await requireOrganization(ctx, "organization:read");
    ctx.state.meta.title = organization.name;
    return page({
      shell: await loadShell(ctx),
      organization,
      mayWrite: roleAllows(role, "organization:write"),
      mayHaveTokens: roleAllows(role, "token:write"),
      name: organization.name,
      errors: {},
    });
  },

  async POST(ctx) {
    const { organization } = await requireOrganization(ctx, "organization:write");
    const name = fieldOf(await readForm(ctx.req), "name");
    const { kv } = ctx.state.services;
    const result = await attempt(() => updateOrganization(kv, organization.id, { name }));
    if (result.ok) {
      return redirectWithFlash(`${organizationPath(organization.slug)}/general`, "Saved.");
    }
    ctx.state.meta.title = organization.name;
    return page({
      shell: await loadShell(ctx),
      organization,
      mayWrite: true,
      mayHaveTokens: true,
      name,
      errors: result.errors,
    }, { status: 422 });
  },
});
