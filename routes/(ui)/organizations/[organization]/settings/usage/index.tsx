import { page } from "fresh";
import type { Config } from "@/lib/core/config.ts";
import { type IngestKey, listKeys } from "@/lib/accounts/keys.ts";
import type { Project } from "@/lib/accounts/projects.ts";
import type { Organization } from "@/lib/accounts/organizations.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { Select } from "@/lib/ui/components/fields.tsx";
import { organizationPath, OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { LimitsPanel } from "@/lib/usage/limits_panel.tsx";
import { loadUsage, monthOf, neighbour, type OrganizationUsage } from "@/lib/usage/load_usage.ts";
import { UsageView } from "@/lib/usage/usage_view.tsx";
import { requireOrganization } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { t } from "@/lib/core/language/translate.ts";

interface UsageData extends OrganizationUsage {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly mayHaveTokens: boolean;
  readonly config: Config;
  readonly limitedKeys: readonly IngestKey[];
}

/** What became of everything that the organization's projects were sent in a month, and the limits in force. */
export default define.page<typeof handler>(({ data }) => {
  const { shell, organization, mayHaveTokens, month, projects, project, usage } = data;
  const path = `${organizationPath(organization.slug)}/usage`;
  const href = (name: string) =>
    `${path}?month=${name}${project === null ? "" : `&project=${project.id}`}`;
  const isCurrent = month.name === monthOf(null).name;
  return (
    <OrganizationSettingsPage
      shell={shell}
      organization={organization}
      tab="usage"
      mayHaveTokens={mayHaveTokens}
    >
      <LimitsPanel {...data} mayRaise={shell.isInstanceAdmin} />
      <Panel>
        <div class="flex flex-wrap items-end justify-between gap-3">
          <nav aria-label={t("Month")} class="flex items-center gap-2">
            <LinkButton size="sm" icon="chevron-left" href={href(neighbour(month, -1))}>
              {t("Earlier")}
            </LinkButton>
            <h2 class="min-w-20 text-center font-semibold tabular-nums">{month.name}</h2>
            {!isCurrent && (
              <LinkButton size="sm" icon="chevron-right" href={href(neighbour(month, 1))}>
                {t("Later")}
              </LinkButton>
            )}
          </nav>
          <form method="get" class="flex items-end gap-2">
            <input type="hidden" name="month" value={month.name} />
            <Select
              name="project"
              size="sm"
              aria-label={t("Project")}
              value={project?.id ?? ""}
              options={[
                { value: "", label: t("All projects") },
                ...projects.map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
            <Button size="sm">{t("Show")}</Button>
            <LinkButton
              size="sm"
              href={`${path}/csv?month=${month.name}${
                project === null ? "" : `&project=${project.id}`
              }`}
            >
              {"CSV"}
            </LinkButton>
          </form>
        </div>
      </Panel>
      <UsageView
        usage={usage}
        accepted={data.accepted}
        month={month}
        projectNames={new Map(projects.map(({ id, name }) => [id, name]))}
      />
    </OrganizationSettingsPage>
  );
});

export const handler = define.handlers<UsageData>({
  async GET(ctx) {
    const access = await requireOrganization(ctx, "organization:read");
    const { organization, role } = access;
    const { services, meta } = ctx.state;
    meta.title = `${t("Usage")} · ${organization.name}`;
    const [shell, usage] = await Promise.all([
      loadShell(ctx),
      loadUsage(services, access, ctx.url.searchParams),
    ]);
    const maySeeKeys = roleAllows(role, "key:read");
    return page({
      shell,
      organization,
      mayHaveTokens: roleAllows(role, "token:write"),
      config: services.config,
      limitedKeys: maySeeKeys ? await listLimitedKeys(services.kv, usage.projects) : [],
      ...usage,
    });
  },
});

async function listLimitedKeys(kv: Deno.Kv, projects: readonly Project[]): Promise<IngestKey[]> {
  const keys = await Promise.all(projects.map(({ id }) => listKeys(kv, id)));
  return keys.flat().filter(({ ratePerSec }) => Boolean(ratePerSec));
}
