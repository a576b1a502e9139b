import { HttpError } from "fresh";
import { type Organization, updateOrganization } from "@/lib/accounts/organizations.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import {
  deletedProjects,
  type DeletedProjectState,
  GRACE_DAYS,
  restoreProject,
} from "@/lib/projects/deletion.ts";
import { Button } from "@/lib/ui/components/button.tsx";
import { ExactTime } from "@/lib/ui/components/values.tsx";
import { Field, type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import {
  DeletedProjectRow,
  organizationPath,
  OrganizationSettingsPage,
} from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireOrganization } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";

interface GeneralData {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly mayWrite: boolean;
  readonly mayHaveTokens: boolean;
  readonly name: string;
  readonly errors: FormErrors;
  /** Null for those who may not delete projects. */
  readonly deleted: readonly DeletedProjectState[] | null;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, organization, mayWrite, mayHaveTokens, name, errors, deleted } = data;
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
        {!mayWrite && (
          <p class="mt-3 text-muted">Only managers and owners can change the organization.</p>
        )}
      </Panel>
      {deleted !== null && deleted.length > 0 && (
        <Panel
          title="Deleted projects"
          description={`Can be restored for ${GRACE_DAYS} days with their keys and all that was stored; then everything is deleted for good.`}
          flush
        >
          <ul>
            {deleted.map((each) => <DeletedProjectRow key={each.project.id} deleted={each} />)}
          </ul>
        </Panel>
      )}
    </OrganizationSettingsPage>
  );
});

export const handler = formHandlers<GeneralData>(async (ctx) => {
  const { organization, role } = await requireOrganization(ctx, "organization:read");
  ctx.state.meta.title = organization.name;
  const mayRestore = roleAllows(role, "project:delete");
  const [shell, deleted] = await Promise.all([
    loadShell(ctx),
    mayRestore ? deletedProjects(ctx.state.services, organization.id) : null,
  ]);
  return {
    shell,
    organization,
    mayWrite: roleAllows(role, "organization:write"),
    mayHaveTokens: roleAllows(role, "token:write"),
    name: organization.name,
    errors: {},
    deleted,
  };
}, async (ctx) => {
  const { services } = ctx.state;
  const form = await readForm(ctx.req);
  if (form.get("action") === "restore") {
    const { organization: { id, slug } } = await requireOrganization(ctx, "project:delete");
    const project = await restoreProject(services, id, form.get("project") ?? "");
    if (project === null) throw new HttpError(404, "This project cannot be restored any more.");
    return redirectWithFlash(pathOf(slug), `${project.name} is restored.`);
  }
  const { organization: { id, slug } } = await requireOrganization(ctx, "organization:write");
  const name = fieldOf(form, "name");
  const result = await attempt(() => updateOrganization(services.kv, id, { name }));
  if (result.ok) return redirectWithFlash(pathOf(slug), "Saved.");
  return { changes: { name, errors: result.errors } };
});

function pathOf(slug: string): string {
  return `${organizationPath(slug)}/general`;
}
