import { HttpError } from "fresh";
import { type Organization, organizationSettingsOf } from "@/lib/accounts/organizations.ts";
import { listMembers, type Member, roleAllows } from "@/lib/accounts/members.ts";
import { t } from "@/lib/core/language/translate.ts";
import {
  deletedProjects,
  type DeletedProjectState,
  GRACE_DAYS,
  restoreProject,
} from "@/lib/projects/deletion.ts";
import { Button } from "@/lib/ui/components/button.tsx";
import { ExactTime } from "@/lib/ui/components/values.tsx";
import type { FormErrors } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import {
  DeletedProjectRow,
  organizationPath,
  OrganizationSettingsPage,
} from "@/lib/projects/settings_page.tsx";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { nameOfActor, requireOrganization } from "@/lib/accounts/authorize.ts";
import { deleteOrganization } from "@/lib/projects/organization_life.ts";
import {
  AccessPanel,
  deletionProblem,
  EndPanel,
  NameFields,
  type NameValues,
  saveOrganization,
  transferByForm,
} from "@/lib/projects/organizations.tsx";
import { define } from "@/lib/server/define.ts";
import { type Asking, formHandlers } from "@/lib/server/form_handlers.ts";

interface GeneralData {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly mayWrite: boolean;
  readonly mayHaveTokens: boolean;
  /** Whom it can be handed over to; null for those who may not end it. */
  readonly heirs: readonly Member[] | null;
  readonly isOwner: boolean;
  readonly values: NameValues;
  readonly errors: FormErrors;
  /** Null for those who may not delete projects. */
  readonly deleted: readonly DeletedProjectState[] | null;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, organization, mayWrite, mayHaveTokens, values, errors, deleted, heirs } = data;
  return (
    <OrganizationSettingsPage
      shell={shell}
      organization={organization}
      tab="general"
      mayHaveTokens={mayHaveTokens}
    >
      {mayWrite && (
        <Panel title={t("General")}>
          <form method="post" class="max-w-md space-y-4">
            <NameFields values={values} errors={errors} isNamed />
            <Button kind="primary">{t("Save")}</Button>
          </form>
        </Panel>
      )}
      {mayWrite && <AccessPanel settings={organizationSettingsOf(organization)} />}
      <Panel title={t("About")}>
        <dl class="grid gap-x-6 gap-y-2 sm:grid-cols-[10rem_1fr]">
          <dt class="text-muted">{t("Slug")}</dt>
          <dd>
            <code>{organization.slug}</code>
          </dd>
          <dt class="text-muted">{t("Created")}</dt>
          <dd>
            <ExactTime date={organization.createdAt} />
          </dd>
        </dl>
        {!mayWrite && (
          <p class="mt-3 text-muted">
            {t("Only managers and owners can change the organization.")}
          </p>
        )}
      </Panel>
      {deleted !== null && deleted.length > 0 && (
        <Panel
          title={t("Deleted projects")}
          description={t(
            "Can be restored for {n} day with their keys and all that was stored; then everything is deleted for good.|Can be restored for {n} days with their keys and all that was stored; then everything is deleted for good.",
            { n: GRACE_DAYS },
          )}
          flush
        >
          <ul>
            {deleted.map((each) => <DeletedProjectRow key={each.project.id} deleted={each} />)}
          </ul>
        </Panel>
      )}
      {heirs !== null && (
        <EndPanel
          organization={organization}
          heirs={heirs}
          mayTransfer={data.isOwner}
          errors={errors}
        />
      )}
    </OrganizationSettingsPage>
  );
});

export const handler = formHandlers<GeneralData>(async (ctx) => {
  const { organization, role, userId } = await requireOrganization(ctx, "organization:read");
  ctx.state.meta.title = organization.name;
  const { kv } = ctx.state.services;
  const mayRestore = roleAllows(role, "project:delete");
  const mayEnd = roleAllows(role, "organization:admin");
  const [shell, deleted, members] = await Promise.all([
    loadShell(ctx),
    mayRestore ? deletedProjects(ctx.state.services, organization.id) : null,
    mayEnd ? listMembers(kv, organization.id) : null,
  ]);
  return {
    shell,
    organization,
    mayWrite: roleAllows(role, "organization:write"),
    mayHaveTokens: roleAllows(role, "token:write"),
    heirs: members && members.filter((member) => member.userId !== userId),
    isOwner: members?.some((member) => member.userId === userId && member.role === "owner") ??
      false,
    values: organization,
    errors: {},
    deleted,
  };
}, async (ctx) => {
  const { services } = ctx.state;
  const form = await readForm(ctx.req);
  switch (form.get("action")) {
    case "restore":
      return await restore(ctx, form);
    case "transfer":
      requireRecent(ctx);
      return await transfer(ctx, form);
    case "delete":
      requireRecent(ctx);
      return await remove(ctx, form);
  }
  const access = await requireOrganization(ctx, "organization:write");
  const result = await attempt(() => saveOrganization(services.kv, access, form));
  if (result.ok) {
    return redirectWithFlash(pathOf(result.value.organization.slug), result.value.text);
  }
  const values = { name: fieldOf(form, "name"), slug: fieldOf(form, "slug") };
  return { changes: { values, errors: result.errors } };
});

async function restore(ctx: Asking, form: URLSearchParams) {
  const { organization: { id, slug } } = await requireOrganization(ctx, "project:delete");
  const project = await restoreProject(ctx.state.services, id, form.get("project") ?? "");
  if (project === null) throw new HttpError(404, t("This project cannot be restored any more."));
  return redirectWithFlash(pathOf(slug), t("{name} is restored.", { name: project.name }));
}

async function transfer(ctx: Asking, form: URLSearchParams) {
  const access = await requireOrganization(ctx, "organization:admin");
  const result = await attempt(() => transferByForm(ctx.state.services.kv, access, form));
  if (!result.ok) return { changes: { errors: result.errors }, status: result.status };
  return redirectWithFlash(pathOf(access.organization.slug), result.value);
}

async function remove(ctx: Asking, form: URLSearchParams) {
  const { organization } = await requireOrganization(ctx, "organization:admin");
  const errors = deletionProblem(form, organization);
  if (errors !== null) return { changes: { errors } };
  await deleteOrganization(ctx.state.services, organization, nameOfActor(ctx.state.actor));
  const { name } = organization;
  return redirectWithFlash(
    "/organizations",
    t("{name} is deleted. Its owners can restore it here.", { name }),
  );
}

function pathOf(slug: string): string {
  return `${organizationPath(slug)}/general`;
}
