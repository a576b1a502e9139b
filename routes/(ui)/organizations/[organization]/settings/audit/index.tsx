import { AuditLog, type AuditView } from "@/lib/audit/page.tsx";
import { loadAudit } from "@/lib/audit/load.ts";
import { findAuditWebhook, removeAuditWebhook, setAuditWebhook } from "@/lib/audit/webhook.ts";
import { WebhookPanel, type WebhookView } from "@/lib/audit/webhook_panel.tsx";
import { requireOrganization } from "@/lib/accounts/authorize.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import type { Organization } from "@/lib/accounts/organizations.ts";
import { listProjects } from "@/lib/accounts/projects.ts";
import { t } from "@/lib/core/language/translate.ts";
import { organizationPath, OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { actionOf, attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface AuditData extends AuditView, WebhookView {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly mayHaveTokens: boolean;
  readonly mayWrite: boolean;
}

export default define.page<typeof handler>(({ data }) => (
  <OrganizationSettingsPage {...data} tab="audit">
    <AuditLog {...data} />
    {data.mayWrite && <WebhookPanel {...data} />}
  </OrganizationSettingsPage>
));

export const handler = formHandlers<AuditData>(async (ctx) => {
  const { organization, role } = await requireOrganization(ctx, "audit:read");
  const { services, meta } = ctx.state;
  meta.title = `${t("Audit log")} · ${organization.name}`;
  const mayWrite = roleAllows(role, "organization:write");
  const [shell, view, projects, webhook] = await Promise.all([
    loadShell(ctx),
    loadAudit(services, organization.id, ctx.url.searchParams),
    listProjects(services.kv, organization.id),
    mayWrite ? findAuditWebhook(services.sql, organization.id) : null,
  ]);
  return {
    shell,
    organization,
    mayHaveTokens: roleAllows(role, "token:write"),
    mayWrite,
    ...view,
    path: pathOf(organization.slug),
    projects,
    organizations: null,
    webhook,
    secret: null,
    url: "",
    errors: {},
  };
}, async (ctx) => {
  const { organization } = await requireOrganization(ctx, "organization:write");
  const { services } = ctx.state;
  const form = await readForm(ctx.req);
  if (actionOf({ set: "set", remove: "remove" }, form) === "remove") {
    await removeAuditWebhook(services, organization);
    return redirectWithFlash(pathOf(organization.slug), t("The webhook is removed."));
  }
  const url = fieldOf(form, "url");
  const result = await attempt(() => setAuditWebhook(services, organization, url));
  if (!result.ok) return { changes: { url, errors: result.errors } };
  return { changes: { secret: result.value }, status: 200 };
});

function pathOf(slug: string): string {
  return `${organizationPath(slug)}/audit`;
}
