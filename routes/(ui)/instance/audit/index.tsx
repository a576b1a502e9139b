import { page } from "fresh";
import { listAllOrganizations } from "@/lib/accounts/organizations.ts";
import { AuditLog, type AuditView } from "@/lib/audit/page.tsx";
import { loadAudit } from "@/lib/audit/load.ts";
import { t } from "@/lib/core/language/translate.ts";
import { define } from "@/lib/server/define.ts";
import { requireInstanceAdmin } from "@/lib/server/require_instance_admin.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { InstancePage } from "@/lib/ui/tabbed_pages.tsx";

interface InstanceAuditData extends AuditView {
  readonly shell: Shell;
}

/** What happened in all organizations, and who signed in. */
export default define.page<typeof handler>(({ data }) => (
  <InstancePage shell={data.shell} tab="audit" width="full">
    <p class="text-muted">{t("All organizations, accounts and sign-ins.")}</p>
    <AuditLog {...data} />
  </InstancePage>
));

export const handler = define.handlers<InstanceAuditData>({
  async GET(ctx) {
    const { services, meta } = ctx.state;
    requireInstanceAdmin(ctx.state);
    meta.title = t("Audit log of the instance");
    const [shell, view, organizations] = await Promise.all([
      loadShell(ctx),
      loadAudit(services, null, ctx.url.searchParams),
      listAllOrganizations(services.kv),
    ]);
    return page({
      shell,
      ...view,
      path: "/instance/audit",
      projects: [],
      organizations: new Map(organizations.map(({ id, name }) => [id, name])),
    });
  },
});
