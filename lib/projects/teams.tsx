import { t } from "../core/language/translate.ts";
import type { OrganizationAccess } from "../accounts/authorize.ts";
import { Denied, InvalidInput } from "../core/errors.ts";
import { type Member, roleAllows } from "../accounts/members.ts";
import type { Project } from "../accounts/projects.ts";
import {
  addTeamProject,
  dropTeamProject,
  isInTeam,
  joinTeam,
  leaveTeam,
  projectsOf,
  type Team,
  updateTeam,
} from "../accounts/teams.ts";
import { Avatar, Badge } from "../ui/components/badge.tsx";
import { Button } from "../ui/components/button.tsx";
import {
  CONFIRM_FIELD,
  ConfirmByName,
  Field,
  type FormErrors,
  FormSummary,
  Select,
} from "../ui/components/fields.tsx";
import { EmptyState, Panel } from "../ui/components/panel.tsx";
import { fieldOf } from "../ui/form.ts";
import { sectionPath } from "../ui/links.ts";
import { organizationPath } from "./settings_page.tsx";

/** Path of the teams of an organization, or of one of them. */
export function teamsPath(organizationSlug: string, teamId?: string): string {
  const path = `${organizationPath(organizationSlug)}/teams`;
  return teamId === undefined ? path : `${path}/${teamId}`;
}

export interface TeamListProps {
  readonly organization: { readonly slug: string };
  readonly teams: readonly Team[];
  readonly members: readonly Member[];
  readonly projects: readonly Project[];
  /** Who looks at them; null for who is no person. */
  readonly selfId: string | null;
  readonly mayWrite: boolean;
  readonly values: { readonly name: string; readonly slug: string };
  readonly errors: FormErrors;
}

/** All teams, and the form that makes one. */
export function TeamList(props: TeamListProps) {
  const { organization, teams, members, projects, selfId, mayWrite, values, errors } = props;
  return (
    <>
      <Panel
        title="Teams"
        description="Whom issues can be assigned to, beside people. A team gives nobody a right: all members see all projects."
        flush
      >
        <ul>
          {teams.map((team) => (
            <li
              key={team.id}
              class="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-3 last:border-b-0"
            >
              <div class="min-w-40 flex-1">
                <a
                  class="link font-medium wrap-anywhere"
                  href={teamsPath(organization.slug, team.id)}
                >
                  {team.name}
                </a>
                <code class="block text-meta text-muted wrap-anywhere">#{team.slug}</code>
              </div>
              {!team.isEveryone && selfId !== null && isInTeam(team, selfId) && (
                <Badge>you are in it</Badge>
              )}
              <span class="text-sm text-muted tabular-nums">
                {counted(
                  team.isEveryone ? members.length : team.memberIds.length,
                  "person",
                  "people",
                )}
                {" · "}
                {counted(projectsOf(team, projects).length, "project", "projects")}
              </span>
            </li>
          ))}
        </ul>
      </Panel>
      {mayWrite && (
        <Panel title="New team">
          <form method="post" class="max-w-md space-y-4">
            <TeamFields
              values={values}
              errors={errors}
              idPrefix="new-"
              help="How rules and searches name it, as #backend. Made of the name when empty."
            />
            <Button kind="primary">Create team</Button>
          </form>
        </Panel>
      )}
    </>
  );
}

interface TeamFieldsProps {
  readonly values: { readonly name: string; readonly slug: string };
  readonly errors: FormErrors;
  readonly idPrefix?: string;
  /** Of the slug. */
  readonly help: string;
  /** It cannot be left out. @default false */
  readonly hasSlug?: boolean;
}

/** How a team is called. */
function TeamFields({ values, errors, idPrefix = "", help, hasSlug = false }: TeamFieldsProps) {
  return (
    <>
      <FormSummary errors={errors} idPrefix={idPrefix} />
      <Field
        name="name"
        idPrefix={idPrefix}
        label="Name"
        value={values.name}
        error={errors.name}
        maxLength={64}
        autocomplete="off"
        required
      />
      <Field
        name="slug"
        idPrefix={idPrefix}
        label="Slug"
        value={values.slug}
        error={errors.slug}
        help={help}
        maxLength={50}
        autocomplete="off"
        required={hasSlug}
      />
    </>
  );
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

export interface TeamPanelsProps {
  readonly team: Team;
  readonly members: readonly Member[];
  readonly projects: readonly Project[];
  readonly selfId: string;
  readonly mayWrite: boolean;
  /** Of the form that was refused. */
  readonly errors: FormErrors;
  /** What was entered for name and slug. */
  readonly values: { readonly name: string; readonly slug: string };
}

/** One team: its people, its projects, and what can be changed. */
export function TeamPanels(props: TeamPanelsProps) {
  const { team, mayWrite } = props;
  return (
    <>
      {team.isEveryone && (
        <p class="text-muted">
          All members and all projects of the organization are in this team, by themselves.
        </p>
      )}
      <PeoplePanel {...props} />
      <ProjectsPanel {...props} />
      {mayWrite && !team.isEveryone && (
        <>
          <NamePanel {...props} />
          <Panel title="Delete team" danger>
            <ConfirmByName
              name={team.slug}
              action="Delete team"
              idPrefix="delete-"
              fields={{ action: "delete" }}
              error={props.errors[CONFIRM_FIELD]}
              consequence="Issues that are assigned to it are nobody's then. Its people and projects stay."
            />
          </Panel>
        </>
      )}
    </>
  );
}

function PeoplePanel({ team, members, selfId, mayWrite, errors }: TeamPanelsProps) {
  const people = members.filter(({ userId }) => isInTeam(team, userId));
  const others = members.filter(({ userId }) => !isInTeam(team, userId));
  const isMember = members.some(({ userId }) => userId === selfId);
  const isIn = isInTeam(team, selfId);
  return (
    <Panel
      title="People"
      flush
      actions={!team.isEveryone && isMember && (
        <form method="post">
          <input type="hidden" name="user" value={selfId} />
          <Button name="action" value={isIn ? "leave" : "join"} size="sm">
            {isIn ? "Leave team" : "Join team"}
          </Button>
        </form>
      )}
    >
      {people.length === 0 && (
        <EmptyState title="Nobody is in this team yet">
          Issues can be assigned to it still.
        </EmptyState>
      )}
      <ul>
        {people.map(({ user }) => (
          <li
            key={user.id}
            class="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 last:border-b-0"
          >
            <Avatar name={user.name} size={24} />
            <span class="min-w-0 flex-1 wrap-anywhere">
              {user.name} <span class="text-sm text-muted">{user.email}</span>
            </span>
            {mayWrite && !team.isEveryone && user.id !== selfId && (
              <RowForm action="leave" name="user" value={user.id} what={user.name} />
            )}
          </li>
        ))}
      </ul>
      {mayWrite && !team.isEveryone && others.length > 0 && (
        <AddForm
          action="join"
          name="user"
          label="Add somebody"
          error={errors.user}
          options={others.map(({ user }) => ({
            value: user.id,
            label: `${user.name} (${user.email})`,
          }))}
        />
      )}
    </Panel>
  );
}

function ProjectsPanel({ team, projects, mayWrite, errors }: TeamPanelsProps) {
  const own = projectsOf(team, projects);
  const others = projects.filter(({ id }) => !own.some((project) => project.id === id));
  return (
    <Panel title="Projects" flush>
      {own.length === 0 && (
        <EmptyState title="This team has no projects yet">
          It is suggested first where issues of its projects are assigned.
        </EmptyState>
      )}
      <ul>
        {own.map((project) => (
          <li
            key={project.id}
            class="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 last:border-b-0"
          >
            <span class="min-w-0 flex-1 wrap-anywhere">
              <a class="link" href={sectionPath(project.id, "issues")}>{project.name}</a>{" "}
              <code class="text-meta text-muted">{project.slug}</code>
            </span>
            {mayWrite && !team.isEveryone && (
              <RowForm action="drop" name="project" value={project.id} what={project.name} />
            )}
          </li>
        ))}
      </ul>
      {mayWrite && !team.isEveryone && others.length > 0 && (
        <AddForm
          action="give"
          name="project"
          label="Add a project"
          error={errors.project}
          options={others.map(({ id, name, slug }) => ({ value: id, label: `${name} (${slug})` }))}
        />
      )}
    </Panel>
  );
}

interface RowFormProps {
  readonly action: string;
  readonly name: string;
  readonly value: string;
  /** Whom or what it takes out. */
  readonly what: string;
}

function RowForm({ action, name, value, what }: RowFormProps) {
  return (
    <form method="post">
      <input type="hidden" name={name} value={value} />
      <Button name="action" value={action} size="sm" aria-label={`Remove ${what}`}>Remove</Button>
    </form>
  );
}

interface AddFormProps {
  readonly action: string;
  readonly name: string;
  readonly label: string;
  readonly error: string | undefined;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

function AddForm({ action, name, label, error, options }: AddFormProps) {
  return (
    <form
      method="post"
      class="flex flex-wrap items-end gap-2 border-t border-line px-4 py-3 *:first:min-w-0"
    >
      <Select
        name={name}
        idPrefix="add-"
        label={label}
        value={options[0]?.value ?? ""}
        error={error}
        options={options}
      />
      <Button name="action" value={action}>Add</Button>
    </form>
  );
}

function NamePanel({ values, errors }: TeamPanelsProps) {
  return (
    <Panel title="Name">
      <form method="post" class="max-w-md space-y-4">
        <TeamFields
          values={values}
          errors={errors}
          help="Rules and searches that name the old one find nobody then."
          hasSlug
        />
        <Button name="action" value="rename" kind="primary">Save</Button>
      </form>
    </Panel>
  );
}

/**
 * Does what a form of a team's page asks for: everybody may join and leave, the rest is for those who may change teams.
 *
 * @param access of the person who sent it
 * @returns what happened, as a sentence, or null for a form that the page does not have
 * @throws {Denied} 403 for who may not
 * @throws {InvalidInput} for a malformed name or slug, and when a list is full
 */
export async function changeTeamByForm(
  kv: Deno.Kv,
  access: OrganizationAccess,
  team: Team,
  form: URLSearchParams,
): Promise<string | null> {
  const [user, project] = [fieldOf(form, "user"), fieldOf(form, "project")];
  const action = form.get("action");
  const isOwnMembership = (action === "join" || action === "leave") && user === access.userId;
  if (!isOwnMembership && !roleAllows(access.role, "team:write")) {
    throw new Denied(403, t("Only managers, owners and the team's admins can change this team."));
  }
  if (user.length > MAX_ID_LENGTH || project.length > MAX_ID_LENGTH) return null;
  switch (action) {
    case "join":
      await joinTeam(kv, team, user);
      return isOwnMembership ? `You are in ${team.name} now.` : `Added to ${team.name}.`;
    case "leave":
      await leaveTeam(kv, team, user);
      return isOwnMembership ? `You have left ${team.name}.` : `Removed from ${team.name}.`;
    case "give":
      await addTeamProject(kv, team, project);
      return `${team.name} has the project now.`;
    case "drop":
      await dropTeamProject(kv, team, project);
      return `${team.name} does not have the project any more.`;
    case "rename": {
      const slug = fieldOf(form, "slug");
      if (slug === "") throw new InvalidInput("slug", "Enter a slug.");
      await updateTeam(kv, team, { name: fieldOf(form, "name"), slug });
      return "Saved.";
    }
    default:
      return null;
  }
}

/** Longer than any id; Deno KV throws at keys of 2 KB. */
const MAX_ID_LENGTH = 100;
