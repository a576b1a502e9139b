/** What the forms of a team's page do. */
import { type Actor, authorize, type TeamAccess, teamAllows } from "../accounts/authorize.ts";
import { roleAllows } from "../accounts/members.ts";
import { organizationSettingsOf } from "../accounts/organizations.ts";
import {
  addTeamProject,
  declineTeamRequest,
  dropTeamProject,
  joinTeam,
  leaveTeam,
  setTeamRole,
  TEAM_ROLES,
  updateTeam,
  wishForTeam,
} from "../accounts/teams.ts";
import { Denied, InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { fieldOf } from "../ui/form.ts";

/** Longer than any id; Deno KV throws at keys of 2 KB. */
const MAX_ID_LENGTH = 100;

const ACTIONS: ReadonlySet<string> = new Set(
  ["join", "leave", "decline", "role", "give", "drop", "rename"],
);

/** Whether somebody decides about a team, its people and its projects. */
export function decidesAboutTeam(
  { memberRole, teamRole }: Pick<TeamAccess, "memberRole" | "teamRole">,
): boolean {
  return roleAllows(memberRole, "team:write") || teamAllows(memberRole, teamRole, "team:write");
}

/**
 * Does what a form of a team's page asks for: everybody may join, or ask to, and leave; the rest is for those who decide
 * about the team. It is given a project by who may change that project: its admins act as admins on it from then on.
 *
 * @param access of the person who sent it
 * @returns what happened, as a sentence, or null for a form that the page does not have
 * @throws {Denied} 403 for who may not
 * @throws {InvalidInput} for a malformed name or slug, and when a list is full
 */
export async function changeTeamByForm(
  kv: Deno.Kv,
  actor: Actor,
  access: TeamAccess,
  form: URLSearchParams,
): Promise<string | null> {
  const { team } = access;
  const user = fieldOf(form, "user");
  const action = form.get("action");
  // No form of the page, whoever sends it.
  if (!ACTIONS.has(action ?? "")) return null;
  const isSelf = user !== "" && user === access.userId;
  if (user.length > MAX_ID_LENGTH) return null;
  if (isSelf && action === "join") return await joinByOneself(kv, access, user);
  if (isSelf && action === "leave") {
    await leaveTeam(kv, team, user);
    return t("You have left {team}.", { team: team.name });
  }
  if (!decidesAboutTeam(access)) {
    throw new Denied(403, t("Only managers, owners and the team's admins can change this team."));
  }
  return await changePeople(kv, access, user, form) ??
    await changeProjects(kv, actor, access, form) ??
    (action === "rename" ? await rename(kv, access, form) : null);
}

async function joinByOneself(kv: Deno.Kv, access: TeamAccess, user: string): Promise<string> {
  const { team, organization } = access;
  const isOpen = organizationSettingsOf(organization).hasOpenTeams || decidesAboutTeam(access);
  const { outcome } = await wishForTeam(kv, team, user, isOpen);
  return outcome === "asked"
    ? t("The admins of {team} see that you ask to join.", { team: team.name })
    : t("You are in {team} now.", { team: team.name });
}

async function changePeople(
  kv: Deno.Kv,
  { team }: TeamAccess,
  user: string,
  form: URLSearchParams,
): Promise<string | null> {
  switch (form.get("action")) {
    case "join":
      await joinTeam(kv, team, user);
      return t("Added to {team}.", { team: team.name });
    case "leave":
      await leaveTeam(kv, team, user);
      return t("Removed from {team}.", { team: team.name });
    case "decline":
      await declineTeamRequest(kv, team, user);
      return t("The request is declined.");
    case "role": {
      const role = TEAM_ROLES.find((each) => each === form.get("role"));
      if (role === undefined) return null;
      await setTeamRole(kv, team, user, role);
      return t("Saved.");
    }
    default:
      return null;
  }
}

async function changeProjects(
  kv: Deno.Kv,
  actor: Actor,
  { team, organization }: TeamAccess,
  form: URLSearchParams,
): Promise<string | null> {
  const projectId = fieldOf(form, "project");
  if (projectId.length > MAX_ID_LENGTH) return null;
  switch (form.get("action")) {
    case "give": {
      const target = { organizationSlug: organization.id, projectSlug: projectId };
      const { project } = await authorize(kv, actor, target, "project:write");
      await addTeamProject(kv, team, project.id);
      return t("{team} has the project now.", { team: team.name });
    }
    case "drop":
      await dropTeamProject(kv, team, projectId);
      return t("{team} does not have the project any more.", { team: team.name });
    default:
      return null;
  }
}

async function rename(kv: Deno.Kv, { team }: TeamAccess, form: URLSearchParams): Promise<string> {
  const slug = fieldOf(form, "slug");
  if (slug === "") throw new InvalidInput("slug", t("Enter a slug."));
  await updateTeam(kv, team, { name: fieldOf(form, "name"), slug });
  return t("Saved.");
}
