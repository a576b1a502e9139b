import { requireTeam, requireUser, teamAllows } from "@/lib/accounts/authorize.ts";
import { listMembers, roleAllows } from "@/lib/accounts/members.ts";
import { type Organization, organizationSettingsOf } from "@/lib/accounts/organizations.ts";
import { listTeams, teamRoleOf, teamsOf } from "@/lib/accounts/teams.ts";
import { listVisibleProjects } from "@/lib/accounts/visibility.ts";
import { t } from "@/lib/core/language/translate.ts";
import { removeTeam } from "@/lib/projects/api_teams.ts";
import { OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import { changeTeamByForm, decidesAboutTeam } from "@/lib/projects/team_actions.ts";
import { TeamPanels, type TeamPanelsProps, teamsPath } from "@/lib/projects/teams.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { checkConfirmation, CONFIRM_FIELD } from "@/lib/ui/components/fields.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm, unknownForm } from "@/lib/ui/form.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface TeamData extends TeamPanelsProps {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly mayHaveTokens: boolean;
}

export default define.page<typeof handler>(({ data }) => (
  <OrganizationSettingsPage {...data} tab="teams">
    <div class="flex flex-wrap items-baseline gap-x-3">
      <h2 class="text-lg font-semibold wrap-anywhere">{data.team.name}</h2>
      <code class="text-muted">#{data.team.slug}</code>
      <a class="link ml-auto" href={teamsPath(data.organization.slug)}>{t("All teams")}</a>
    </div>
    <TeamPanels {...data} />
  </OrganizationSettingsPage>
));

export const handler = formHandlers<TeamData>(async (ctx) => {
  const access = await requireTeam(ctx, "organization:read");
  const { organization, memberRole, team } = access;
  const user = requireUser(ctx.state);
  ctx.state.meta.title = `${team.name} · ${organization.name}`;
  const { kv } = ctx.state.services;
  const [shell, members, projects, teams] = await Promise.all([
    loadShell(ctx),
    listMembers(kv, organization.id),
    listVisibleProjects(kv, access),
    listTeams(kv, organization),
  ]);
  return {
    shell,
    organization,
    team,
    members,
    projects,
    givable: projects.filter(({ id }) =>
      roleAllows(memberRole, "project:write") ||
      teamsOf(teams, id).some((each) =>
        teamAllows(memberRole, teamRoleOf(each, user.id), "team:write")
      )
    ),
    selfId: user.id,
    mayWrite: decidesAboutTeam(access),
    isOpen: organizationSettingsOf(organization).hasOpenTeams,
    mayHaveTokens: roleAllows(memberRole, "token:write"),
    errors: {},
    values: team,
  };
}, async (ctx) => {
  // Everybody may join and leave; the rest, the form's own function decides.
  const access = await requireTeam(ctx, "organization:read");
  const { services, actor } = ctx.state;
  const form = await readForm(ctx.req);
  const { team, organization: { slug } } = access;
  if (form.get("action") === "delete") {
    await requireTeam(ctx, "team:write");
    const problem = checkConfirmation(form, team.slug);
    if (problem !== null) return { changes: { errors: { [CONFIRM_FIELD]: problem } } };
    await removeTeam(services, team);
    return redirectWithFlash(teamsPath(slug), t("{name} is deleted.", { name: team.name }));
  }
  const result = await attempt(() => changeTeamByForm(services.kv, actor, access, form));
  if (!result.ok) {
    const values = form.get("action") === "rename"
      ? { name: fieldOf(form, "name"), slug: fieldOf(form, "slug") }
      : team;
    return { changes: { errors: result.errors, values }, status: result.status };
  }
  if (result.value === null) throw unknownForm();
  return redirectWithFlash(teamsPath(slug, team.id), result.value);
});
