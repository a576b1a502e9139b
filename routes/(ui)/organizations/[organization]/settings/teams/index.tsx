import { requireOrganization, requireUser } from "@/lib/accounts/authorize.ts";
import { listMembers, roleAllows } from "@/lib/accounts/members.ts";
import { type Organization, organizationSettingsOf } from "@/lib/accounts/organizations.ts";
import { createTeam, listTeams } from "@/lib/accounts/teams.ts";
import { listVisibleProjects } from "@/lib/accounts/visibility.ts";
import { t } from "@/lib/core/language/translate.ts";
import { OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import { TeamList, type TeamListProps, teamsPath } from "@/lib/projects/teams.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface TeamsData extends TeamListProps {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly mayHaveTokens: boolean;
}

export default define.page<typeof handler>(({ data }) => (
  <OrganizationSettingsPage {...data} tab="teams">
    <TeamList {...data} />
  </OrganizationSettingsPage>
));

export const handler = formHandlers<TeamsData>(async (ctx) => {
  const access = await requireOrganization(ctx, "organization:read");
  const { organization, role } = access;
  const user = requireUser(ctx.state);
  ctx.state.meta.title = `${t("Teams")} · ${organization.name}`;
  const { kv } = ctx.state.services;
  const [shell, teams, members, projects] = await Promise.all([
    loadShell(ctx),
    listTeams(kv, organization),
    listMembers(kv, organization.id),
    listVisibleProjects(kv, access),
  ]);
  return {
    shell,
    organization,
    teams,
    members,
    projects,
    selfId: user.id,
    mayWrite: roleAllows(role, "team:write"),
    showsOnlyTeamProjects: organizationSettingsOf(organization).showsOnlyTeamProjects,
    mayHaveTokens: roleAllows(role, "token:write"),
    values: { name: "", slug: "" },
    errors: {},
  };
}, async (ctx) => {
  const { organization: { id, slug: organizationSlug } } = await requireOrganization(
    ctx,
    "team:write",
  );
  const form = await readForm(ctx.req);
  const [name, slug] = [fieldOf(form, "name"), fieldOf(form, "slug")];
  const result = await attempt(() =>
    createTeam(ctx.state.services.kv, { organizationId: id, name, ...slug !== "" && { slug } })
  );
  return result.ok
    ? redirectWithFlash(
      teamsPath(organizationSlug, result.value.id),
      t("{name} is created.", { name }),
    )
    : { changes: { values: { name, slug }, errors: result.errors } };
});
