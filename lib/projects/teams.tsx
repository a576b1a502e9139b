/** The pages of an organization's teams. */
import type { ComponentChildren } from "preact";
import type { Member } from "../accounts/members.ts";
import type { Project } from "../accounts/projects.ts";
import { isInTeam, projectsOf, type Team, teamRoleOf } from "../accounts/teams.ts";
import { t } from "../core/language/translate.ts";
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
import { RelativeTime } from "../ui/components/values.tsx";
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
  readonly showsOnlyTeamProjects: boolean;
  readonly values: { readonly name: string; readonly slug: string };
  readonly errors: FormErrors;
}

/** All teams, and the form that makes one. */
export function TeamList(props: TeamListProps) {
  const { organization, teams, members, projects, selfId, mayWrite, values, errors } = props;
  const { showsOnlyTeamProjects } = props;
  const decides = (team: Team) =>
    mayWrite || (selfId !== null && teamRoleOf(team, selfId) === "admin");
  return (
    <>
      <Panel
        title={t("Teams")}
        description={showsOnlyTeamProjects
          ? t(
            "People who look after projects together. Members and viewers see only the projects of their teams.",
          )
          : t("People who look after projects together. All members see all projects.")}
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
                <Badge>{t("you are in it")}</Badge>
              )}
              {waiting(team) > 0 && decides(team) && (
                <Badge tone="warning">
                  {t("{n} request|{n} requests", { n: waiting(team) })}
                </Badge>
              )}
              <span class="text-sm text-muted tabular-nums">
                {t("{n} person|{n} people", {
                  n: team.isEveryone ? members.length : team.memberIds.length,
                })}
                {" · "}
                {t("{n} project|{n} projects", { n: projectsOf(team, projects).length })}
              </span>
            </li>
          ))}
        </ul>
      </Panel>
      {mayWrite && (
        <Panel title={t("New team")}>
          <form method="post" class="max-w-md space-y-4">
            <TeamFields
              values={values}
              errors={errors}
              idPrefix="new-"
              help={t(
                "How rules and searches name it, as #backend. Made from the name when empty.",
              )}
            />
            <Button kind="primary">{t("Create team")}</Button>
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
        label={t("Name")}
        value={values.name}
        error={errors.name}
        maxLength={64}
        autocomplete="off"
        required
      />
      <Field
        name="slug"
        idPrefix={idPrefix}
        label={t("Slug")}
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

/** How many ask to be let in. */
function waiting({ requests = [] }: Team): number {
  return requests.length;
}

export interface TeamPanelsProps {
  readonly team: Team;
  readonly members: readonly Member[];
  readonly projects: readonly Project[];
  readonly selfId: string;
  /** Who looks decides about the team. */
  readonly mayWrite: boolean;
  /** Joining needs nobody's consent. */
  readonly isOpen: boolean;
  /** Projects that who looks may give to the team. */
  readonly givable: readonly Project[];
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
          {t("All members and all projects of the organization are in this team, by themselves.")}
        </p>
      )}
      {mayWrite && waiting(team) > 0 && <RequestsPanel {...props} />}
      <PeoplePanel {...props} />
      <ProjectsPanel {...props} />
      {mayWrite && !team.isEveryone && (
        <>
          <NamePanel {...props} />
          <Panel title={t("Delete team")} danger>
            <ConfirmByName
              name={team.slug}
              action={t("Delete team")}
              idPrefix="delete-"
              fields={{ action: "delete" }}
              error={props.errors[CONFIRM_FIELD]}
              consequence={t(
                "Issues that are assigned to it are nobody's then. Its people and projects stay.",
              )}
            />
          </Panel>
        </>
      )}
    </>
  );
}

/** Who asks to be let in. */
function RequestsPanel({ team, members }: TeamPanelsProps) {
  const asking = (team.requests ?? []).flatMap((request) => {
    const member = members.find(({ userId }) => userId === request.userId);
    return member === undefined ? [] : [{ ...request, user: member.user }];
  });
  return (
    <Panel title={t("Requests to join")} flush>
      <ul>
        {asking.map(({ user, at }) => (
          <PersonRow key={user.id} user={user} note={<RelativeTime date={at} />}>
            <form method="post" class="flex gap-2">
              <input type="hidden" name="user" value={user.id} />
              <Button name="action" value="join" size="sm" kind="primary">{t("Let in")}</Button>
              <Button name="action" value="decline" size="sm">{t("Decline")}</Button>
            </form>
          </PersonRow>
        ))}
      </ul>
    </Panel>
  );
}

function PeoplePanel(props: TeamPanelsProps) {
  const { team, members, selfId, mayWrite, errors } = props;
  const people = members.filter(({ userId }) => isInTeam(team, userId));
  const others = members.filter(({ userId }) => !isInTeam(team, userId));
  const decides = mayWrite && !team.isEveryone;
  return (
    <Panel title={t("People")} flush actions={<OwnMembership {...props} />}>
      {people.length === 0 && (
        <EmptyState title={t("This team has no people yet")}>
          {t("Issues can be assigned to it still.")}
        </EmptyState>
      )}
      <ul>
        {people.map(({ user }) => (
          <PersonRow key={user.id} user={user}>
            {!decides && teamRoleOf(team, user.id) === "admin" && <Badge>{t("team admin")}</Badge>}
            {decides && <TeamRoleForm team={team} user={user} />}
            {decides && user.id !== selfId && (
              <RowForm action="leave" name="user" value={user.id} what={user.name} />
            )}
          </PersonRow>
        ))}
      </ul>
      {decides && others.length > 0 && (
        <AddForm
          action="join"
          name="user"
          label={t("Add somebody")}
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

/** Joining, asking to, and leaving; by oneself. */
function OwnMembership({ team, members, selfId, mayWrite, isOpen }: TeamPanelsProps) {
  if (team.isEveryone || !members.some(({ userId }) => userId === selfId)) return null;
  const isIn = isInTeam(team, selfId);
  if (!isIn && team.requests?.some(({ userId }) => userId === selfId)) {
    return <Badge>{t("You have asked to join")}</Badge>;
  }
  return (
    <form method="post">
      <input type="hidden" name="user" value={selfId} />
      <Button name="action" value={isIn ? "leave" : "join"} size="sm">
        {isIn ? t("Leave team") : isOpen || mayWrite ? t("Join team") : t("Ask to join")}
      </Button>
    </form>
  );
}

interface PersonRowProps {
  readonly user: { readonly name: string; readonly email: string };
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}

function PersonRow({ user, note, children }: PersonRowProps) {
  return (
    <li class="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 last:border-b-0">
      <Avatar name={user.name} size={24} />
      <span class="min-w-40 flex-1 wrap-anywhere">
        {user.name} <span class="text-sm text-muted">{user.email}</span>
        {note && <span class="ml-1 text-sm text-muted">· {note}</span>}
      </span>
      {children}
    </li>
  );
}

/** Makes somebody the team's admin, or no longer. */
function TeamRoleForm({ team, user }: {
  readonly team: Team;
  readonly user: { readonly id: string; readonly name: string };
}) {
  const isAdmin = teamRoleOf(team, user.id) === "admin";
  return (
    <form method="post" class="flex flex-wrap items-center gap-2">
      <input type="hidden" name="user" value={user.id} />
      <input type="hidden" name="role" value={isAdmin ? "contributor" : "admin"} />
      {isAdmin && <Badge>{t("team admin")}</Badge>}
      <Button name="action" value="role" size="sm">
        {isAdmin ? t("No longer admin") : t("Make team admin")}
      </Button>
    </form>
  );
}

function ProjectsPanel({ team, projects, givable, mayWrite, errors }: TeamPanelsProps) {
  const own = projectsOf(team, projects);
  const others = givable.filter(({ id }) => !own.some((project) => project.id === id));
  return (
    <Panel title={t("Projects")} flush>
      {own.length === 0 && (
        <EmptyState title={t("This team has no projects yet")}>
          {t("It is suggested first where issues of its projects are assigned.")}
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
          label={t("Add a project")}
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
      <Button
        name="action"
        value={action}
        size="sm"
        aria-label={t("Remove {name}", { name: what })}
      >
        {t("Remove")}
      </Button>
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
      <Button name="action" value={action}>{t("Add")}</Button>
    </form>
  );
}

function NamePanel({ values, errors }: TeamPanelsProps) {
  return (
    <Panel title={t("Name")}>
      <form method="post" class="max-w-md space-y-4">
        <TeamFields
          values={values}
          errors={errors}
          help={t("Rules and searches that name the old one find nobody then.")}
          hasSlug
        />
        <Button name="action" value="rename" kind="primary">{t("Save")}</Button>
      </form>
    </Panel>
  );
}
