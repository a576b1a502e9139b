import { requireOrganization } from "@/lib/accounts/authorize.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import {
  type Organization,
  organizationSettingsOf,
  updateOrganization,
} from "@/lib/accounts/organizations.ts";
import { t } from "@/lib/core/language/translate.ts";
import { organizationPath, OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { Button } from "@/lib/ui/components/button.tsx";
import { Checkbox } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface DataSettings {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly mayHaveTokens: boolean;
  readonly mayWrite: boolean;
}

/** What no project of the organization may store, and where the rest is decided. */
export default define.page<typeof handler>(({ data }) => {
  const { shell, organization, mayWrite } = data;
  const { projects = [] } = shell.organizations.find(({ id }) => id === organization.id) ?? {};
  return (
    <OrganizationSettingsPage {...data} tab="data">
      <Panel title={t("Addresses of users")}>
        <form method="post" class="max-w-3xl space-y-4">
          <Checkbox
            name="keepsAddresses"
            label={t("Keep IP addresses")}
            help={
              <>
                <span class="block">
                  {t(
                    "Off: no project of the organization stores the address of a person, whatever its own setting says; it is neither taken from what SDKs send nor filled in from the connection. Holds from the next request on.",
                  )}
                </span>
                <span class="block">
                  {t("On: each project decides by itself (Settings, Privacy).")}
                </span>
              </>
            }
            isChecked={organizationSettingsOf(organization).keepsAddresses}
            isDisabled={!mayWrite}
          />
          {mayWrite
            ? <Button kind="primary">{t("Save")}</Button>
            : <p class="text-muted">{t("Only managers and owners can change this.")}</p>}
        </form>
      </Panel>
      <Panel title={t("Retention")}>
        <p>{t("For how long each kind of data is kept is a setting of each project:")}</p>
        {projects.length === 0
          ? <p class="mt-2 text-muted">{t("No projects yet")}</p>
          : (
            <ul class="mt-2 space-y-1">
              {projects.map(({ id, name }) => (
                <li key={id} class="wrap-anywhere">
                  <a class="link" href={`${sectionPath(id, "settings")}/retention`}>{name}</a>
                </li>
              ))}
            </ul>
          )}
      </Panel>
    </OrganizationSettingsPage>
  );
});

export const handler = formHandlers<DataSettings>(async (ctx) => {
  const { organization, role } = await requireOrganization(ctx, "organization:read");
  ctx.state.meta.title = `${t("Data and privacy")} · ${organization.name}`;
  return {
    shell: await loadShell(ctx),
    organization,
    mayHaveTokens: roleAllows(role, "token:write"),
    mayWrite: roleAllows(role, "organization:write"),
  };
}, async (ctx) => {
  const { organization } = await requireOrganization(ctx, "organization:write");
  const form = await readForm(ctx.req);
  const settings = { keepsAddresses: form.has("keepsAddresses") };
  await updateOrganization(ctx.state.services.kv, organization.id, { settings });
  const path = `${organizationPath(organization.slug)}/data`;
  return redirectWithFlash(path, t("Data and privacy are saved."));
});
