import { HttpError } from "fresh";
import {
  listProjectsSeenBy,
  listVisibleOrganizations,
  nameOfActor,
  requireUser,
} from "@/lib/accounts/authorize.ts";
import {
  type DeletedOrganization,
  listDeletedOrganizationsOf,
} from "@/lib/accounts/deleted_organizations.ts";
import { roleOf } from "@/lib/accounts/members.ts";
import { t } from "@/lib/core/language/translate.ts";
import { GRACE_DAYS } from "@/lib/projects/deletion.ts";
import { restoreOrganization } from "@/lib/projects/organization_life.ts";
import {
  DeletedOrganizationRow,
  OrganizationRow,
  type OwnOrganization,
} from "@/lib/projects/organizations.tsx";
import { organizationPath } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { mayCreateOrganizations } from "@/lib/server/organizations.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { LinkButton } from "@/lib/ui/components/button.tsx";
import { Page, PageHeader } from "@/lib/ui/components/page.tsx";
import { EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { fieldOf, readForm } from "@/lib/ui/form.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface OrganizationsData {
  readonly shell: Shell;
  readonly organizations: readonly OwnOrganization[];
  /** Those that the person can restore. */
  readonly deleted: readonly DeletedOrganization[];
  readonly mayCreate: boolean;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, organizations, deleted, mayCreate } = data;
  const create = mayCreate && (
    <LinkButton href="/organizations/new" kind="primary" icon="plus">
      {t("New organization")}
    </LinkButton>
  );
  return (
    <Page shell={shell} crumbs={[{ label: t("Organizations") }]} width="narrow">
      <PageHeader title={t("Organizations")} actions={create} />
      <div class="space-y-6">
        <Panel flush>
          {organizations.length === 0
            ? (
              <EmptyState icon="organization" title={t("You are in no organization")}>
                {t("Ask somebody to invite you, or create one if you may.")}
              </EmptyState>
            )
            : (
              <ul>
                {organizations.map((each) => (
                  <OrganizationRow key={each.organization.id} {...each} />
                ))}
              </ul>
            )}
        </Panel>
        {deleted.length > 0 && (
          <Panel
            title={t("Deleted organizations")}
            description={t(
              "You can restore them with their projects for {n} day.|You can restore them with their projects for {n} days.",
              { n: GRACE_DAYS },
            )}
            flush
          >
            <ul>
              {deleted.map((each) => (
                <DeletedOrganizationRow key={each.organization.id} deleted={each} />
              ))}
            </ul>
          </Panel>
        )}
      </div>
    </Page>
  );
});

export const handler = formHandlers<OrganizationsData>(async (ctx) => {
  const user = requireUser(ctx.state);
  const { services: { kv, config }, actor } = ctx.state;
  ctx.state.meta.title = t("Organizations");
  const [shell, visible, deleted] = await Promise.all([
    loadShell(ctx),
    listVisibleOrganizations(kv, actor),
    listDeletedOrganizationsOf(kv, user.id),
  ]);
  const organizations = await Promise.all(visible.map(async (organization) => ({
    organization,
    role: await roleOf(kv, organization.id, user.id),
    projects: (await listProjectsSeenBy(kv, actor, organization)).length,
  })));
  return { shell, organizations, deleted, mayCreate: mayCreateOrganizations(config, user) };
}, async (ctx) => {
  const user = requireUser(ctx.state);
  const { services } = ctx.state;
  const form = await readForm(ctx.req);
  const id = fieldOf(form, "organization");
  const own = await listDeletedOrganizationsOf(services.kv, user.id);
  const restored = own.some(({ organization }) => organization.id === id)
    ? await restoreOrganization(services, id)
    : null;
  if (restored === null) {
    throw new HttpError(404, t("This organization cannot be restored any more."));
  }
  services.log.info("restored an organization", {
    organization: id,
    by: nameOfActor(ctx.state.actor),
  });
  const { name, slug } = restored;
  return redirectWithFlash(organizationPath(slug), t("{name} is restored.", { name }));
});
