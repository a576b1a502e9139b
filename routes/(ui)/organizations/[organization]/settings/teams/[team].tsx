import { HttpError } from "fresh";
import {
  type OrganizationAccess,
  requireOrganization,
  requireUser,
} from "@/lib/accounts/authorize.ts";
import { listMembers, roleAllows } from "@/lib/accounts/members.ts";
import type { Organization } from "@/lib/accounts/organizations.ts";
import { listProjects } from "@/lib/accounts/projects.ts";
import { findTeam, type Team } from "@/lib/accounts/teams.ts";
import { removeTeam } from "@/lib/projects/api_teams.ts";
import { OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import {
  changeTeamByForm,
  TeamPanels,
  type TeamPanelsProps,
  teamsPath,
} from "@/lib/projects/teams.tsx";
import { define } from "@/lib/server/define.ts";
import { type Asking, formHandlers } from "@/lib/server/form_handlers.ts";
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
      <a class="link ml-auto" href={teamsPath(data.organization.slug)}>All teams</a>
    </div>
    <TeamPanels {...data} />
  </OrganizationSettingsPage>
));

export const handler = formHandlers<TeamData>(async (ctx) => {
  const { organization, role, team } = await requireTeam(ctx);
  const user = requireUser(ctx.state);
  ctx.state.meta.title = `${team.name} · ${organization.name}`;
  const { kv } = ctx.state.services;
  const [shell, members, projects] = await Promise.all([
    loadShell(ctx),
    listMembers(kv, organization.id),
    listProjects(kv, organization.id),
  ]);
  return {
    shell,
    organization,
    team,
    members,
    projects,
    selfId: user.id,
    mayWrite: roleAllows(role, "team:write"),
    mayHaveTokens: roleAllows(role, "token:write"),
    errors: {},
    values: team,
  };
}, async (ctx) => {
  // Everybody may join and leave; the rest, the form's own function decides.
  const { team, ...access } = await requireTeam(ctx);
  const { services } = ctx.state;
  const form = await readForm(ctx.req);
  const { slug } = access.organization;
  if (form.get("action") === "delete") {
    await requireOrganization(ctx, "team:write");
    const problem = checkConfirmation(form, team.slug);
    if (problem !== null) return { changes: { errors: { [CONFIRM_FIELD]: problem } } };
    await removeTeam(services, team);
    return redirectWithFlash(teamsPath(slug), `${team.name} is deleted.`);
  }
  const result = await attempt(() => changeTeamByForm(services.kv, access, team, form));
  if (!result.ok) {
    const values = form.get("action") === "rename"
      ? { name: fieldOf(form, "name"), slug: fieldOf(form, "slug") }
      : team;
    return { changes: { errors: result.errors, values } };
  }
  if (result.value === null) {
    throw unknownForm();
  }
  return redirectWithFlash(teamsPath(slug, team.id), result.value);
});

async function requireTeam(ctx: Asking): Promise<OrganizationAccess & { readonly team: Team }> {
  const access = await requireOrganization(ctx, "organization:read");
  const team = await findTeam(ctx.state.services.kv, access.organization, ctx.params.team ?? "");
  if (team === null) throw new HttpError(404, "There is no such team any more.");
  return { ...access, team };
}
