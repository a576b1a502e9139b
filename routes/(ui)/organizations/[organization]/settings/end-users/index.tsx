import { nameOfActor, requireOrganization } from "@/lib/accounts/authorize.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import type { Organization } from "@/lib/accounts/organizations.ts";
import { listProjects } from "@/lib/accounts/projects.ts";
import { t } from "@/lib/core/language/translate.ts";
import { checkIdentity } from "@/lib/end_users/identity.ts";
import { askForJob, listJobs } from "@/lib/end_users/jobs.ts";
import { EndUsers, type EndUsersView } from "@/lib/end_users/page.tsx";
import { summaryOf } from "@/lib/end_users/summary.ts";
import { organizationPath, OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { checkConfirmation, CONFIRM_FIELD } from "@/lib/ui/components/fields.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { actionOf, attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface EndUsersData extends EndUsersView {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly mayHaveTokens: boolean;
}

export default define.page<typeof handler>(({ data }) => (
  <OrganizationSettingsPage {...data} tab="end-users">
    <EndUsers {...data} />
  </OrganizationSettingsPage>
));

export const handler = formHandlers<EndUsersData>(async (ctx) => {
  const { organization, role } = await requireOrganization(ctx, "people:data");
  const { services, meta } = ctx.state;
  meta.title = `${t("End-user data")} · ${organization.name}`;
  const [shell, jobs] = await Promise.all([
    loadShell(ctx),
    listJobs(services.sql, organization.id),
  ]);
  return {
    shell,
    organization,
    mayHaveTokens: roleAllows(role, "token:write"),
    path: pathOf(organization.slug),
    kind: "email",
    value: "",
    errors: {},
    found: null,
    jobs,
    retentionDays: services.config.retentionDays,
  };
}, async (ctx) => {
  const { organization } = await requireOrganization(ctx, "people:data");
  const { services, actor } = ctx.state;
  const form = await readForm(ctx.req);
  const entered = { kind: fieldOf(form, "kind"), value: fieldOf(form, "value") };
  const action = actionOf({ find: "find", export: "export", erase: "erase" } as const, form);
  const checked = await attempt(() => Promise.resolve(checkIdentity(entered.kind, entered.value)));
  if (!checked.ok) return { changes: { ...entered, errors: checked.errors } };
  const who = checked.value;
  const find = async () => {
    const projects = await listProjects(services.kv, organization.id);
    return await summaryOf(services.sql, projects, who);
  };
  if (action === "find") return { changes: { ...entered, found: await find() }, status: 200 };
  const problem = action === "erase" ? checkConfirmation(form, who.value) : null;
  if (problem !== null) {
    return { changes: { ...entered, found: await find(), errors: { [CONFIRM_FIELD]: problem } } };
  }
  const result = await attempt(() =>
    askForJob(services, organization.id, action, who, nameOfActor(actor))
  );
  if (!result.ok) return { changes: { ...entered, errors: result.errors } };
  return redirectWithFlash(
    pathOf(organization.slug),
    action === "export" ? t("The export is under way.") : t("The deletion is under way."),
  );
});

function pathOf(slug: string): string {
  return `${organizationPath(slug)}/end-users`;
}
