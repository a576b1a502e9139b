/**
 * Teams of an organization: people who look after projects together. They are whom an issue can be assigned to, and what
 * Sentry's clients look for before they make or show a project. What rights they give is told in `visibility.ts`.
 */
import { Denied, InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { type AuditChange, changesBetween } from "../records/audit.ts";
import { addAudit } from "./audit.ts";
import { conflict, isId, keyOf, nextId, prefixOf, untilCommitted } from "./kv.ts";
import { checkName, freeSlug, isSlug } from "./names.ts";

export interface Team {
  /** Decimal, never used again. Teams share their ids with organizations, see {@linkcode everyoneOf}. */
  readonly id: string;
  readonly organizationId: string;
  readonly slug: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Members of the organization; of everybody's team empty, as all of them are. */
  readonly memberIds: readonly string[];
  /** Those of its members who decide about its people and projects; read them with `teamRoleOf()`. */
  readonly adminIds?: readonly string[];
  /** Members of the organization who ask to be let in, the latest last. */
  readonly requests?: readonly TeamRequest[];
  /** May name deleted projects, which come back with their restoring; of everybody's team empty. */
  readonly projectIds: readonly string[];
  /** It is the team that every member and every project is in. */
  readonly isEveryone: boolean;
}

/** Somebody asks to be let into a team. */
export interface TeamRequest {
  readonly userId: string;
  readonly at: Date;
}

/** What somebody is in a team, as Sentry calls it. */
export const TEAM_ROLES = ["contributor", "admin"] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];

/** One record holds them, and leaving the organization writes all teams of a person in one commit. */
const MAX_MEMBERS = 300;
const MAX_PROJECTS = 1_000;
/** Who waits is read with the team each time. */
const MAX_REQUESTS = 100;
const MAX_TEAMS_OF_PERSON = 40;
/** All are read to show a list. */
const MAX_TEAMS = 500;

const EVERYONE = "everyone";

/**
 * The team that everybody and every project is in, so that nobody has to make one and clients always find one. It has no
 * record: its id is the organization's, and ids of other teams are of the same sequence.
 */
export function everyoneOf(organization: { readonly id: string; readonly createdAt: Date }): Team {
  const { id, createdAt } = organization;
  return {
    id,
    organizationId: id,
    slug: EVERYONE,
    name: "Everyone",
    createdAt,
    memberIds: [],
    projectIds: [],
    isEveryone: true,
  };
}

/** All teams of an organization: everybody's first, then by slug. */
export async function listTeams(
  kv: Deno.Kv,
  organization: { readonly id: string; readonly createdAt: Date },
): Promise<Team[]> {
  const made = (await readTeams(kv, organization.id)).map(({ value }) => value);
  return [everyoneOf(organization), ...made.sort((a, b) => a.slug < b.slug ? -1 : 1)];
}

/** The team of this id or slug in an organization, or null. @param name what a client sent, whatever it is */
export async function findTeam(
  kv: Deno.Kv,
  organization: { readonly id: string; readonly createdAt: Date },
  name: string,
): Promise<Team | null> {
  if (name === EVERYONE || name === organization.id) return everyoneOf(organization);
  if (isId(name)) return (await kv.get<Team>(keyOf.team(organization.id, name))).value;
  if (!isSlug(name)) return null;
  const { value: id } = await kv.get<string>(keyOf.teamBySlug(organization.id, name));
  if (id === null) return null;
  const { value: team } = await kv.get<Team>(keyOf.team(organization.id, id));
  // Between the two reads the slug may have gone to another team.
  return team?.slug === name ? team : null;
}

/** Whether somebody is in a team. */
export function isInTeam(team: Team, userId: string): boolean {
  return team.isEveryone || team.memberIds.includes(userId);
}

/** What somebody is in a team, or null for who is not in it. */
export function teamRoleOf(team: Team, userId: string): TeamRole | null {
  if (!isInTeam(team, userId)) return null;
  return team.adminIds?.includes(userId) ? "admin" : "contributor";
}

/** Those of an organization's projects that a team has. */
export function projectsOf<T extends { readonly id: string }>(
  team: Team,
  projects: readonly T[],
): readonly T[] {
  return team.isEveryone ? projects : projects.filter(({ id }) => team.projectIds.includes(id));
}

/** The teams that have a project: everybody's at least. */
export function teamsOf(teams: readonly Team[], projectId: string): Team[] {
  return teams.filter((team) => team.isEveryone || team.projectIds.includes(projectId));
}

interface NewTeam {
  readonly organizationId: string;
  readonly name: string;
  /** Derived from the name when absent. */
  readonly slug?: string;
}

/**
 * Makes a team without people and projects.
 *
 * @throws {InvalidInput} for a malformed name, a slug that is malformed or taken, or too many teams
 * @throws {Denied} 404 when there is no such organization
 */
export function createTeam(kv: Deno.Kv, input: NewTeam): Promise<Team> {
  const { organizationId } = input;
  const name = checkName("name", input.name);
  return untilCommitted<Team>("create the team", async () => {
    const organization = await kv.get(keyOf.organization(organizationId));
    if (organization.value === null) throw new Denied(404, t("There is no such organization."));
    if ((await readTeams(kv, organizationId)).length >= MAX_TEAMS) {
      throw new InvalidInput(
        "name",
        t("Delete a team first: at most {n} are possible.", { n: MAX_TEAMS }),
      );
    }
    const slug = await freeSlug(
      { chosen: input.slug ?? null, name, fallback: "team" },
      isTakenIn(kv, organizationId),
    );
    const next = await nextId(kv, "organization");
    const team: Team = {
      id: next.id,
      organizationId,
      slug,
      name,
      createdAt: new Date(),
      memberIds: [],
      projectIds: [],
      isEveryone: false,
    };
    const atomic = next.take(kv.atomic().check(organization))
      .check({ key: keyOf.teamBySlug(organizationId, slug), versionstamp: null })
      .set(keyOf.teamBySlug(organizationId, slug), team.id)
      .set(keyOf.team(organizationId, team.id), team);
    addTeamAudit(atomic, "team.create", team, changesBetween(null, namesOf(team)));
    return (await atomic.commit()).ok ? team : conflict;
  });
}

/**
 * Changes name or slug.
 *
 * @throws {InvalidInput} for a malformed value, or a slug that is taken
 * @throws {Denied} 403 for everybody's team, 404 for a team that is gone
 */
export function updateTeam(
  kv: Deno.Kv,
  team: Team,
  changes: { readonly name?: string; readonly slug?: string },
): Promise<Team> {
  const { organizationId } = team;
  return changeTeam(kv, team, async (current, atomic) => {
    const { name, slug } = current;
    const changed: Team = {
      ...current,
      name: changes.name === undefined ? name : checkName("name", changes.name),
      slug: changes.slug === undefined || changes.slug === slug ? slug : await freeSlug(
        { chosen: changes.slug, name, fallback: "team" },
        isTakenIn(kv, organizationId),
      ),
    };
    if (changed.slug !== slug) {
      atomic.check({ key: keyOf.teamBySlug(organizationId, changed.slug), versionstamp: null })
        .delete(keyOf.teamBySlug(organizationId, slug))
        .set(keyOf.teamBySlug(organizationId, changed.slug), current.id);
    }
    const difference = changesBetween(namesOf(current), namesOf(changed));
    if (Object.keys(difference).length > 0) addTeamAudit(atomic, "team.edit", changed, difference);
    return changed;
  });
}

/**
 * Deletes a team; its people and projects stay. Issues that were assigned to it are nobody's then: who reads them finds no
 * such team, as its id is never given out again.
 *
 * @throws {Denied} 403 for everybody's team; one that is gone already changes nothing
 */
export async function deleteTeam(kv: Deno.Kv, team: Team): Promise<void> {
  refuseEveryone(team);
  await untilCommitted("delete the team", async () => {
    const entry = await kv.get<Team>(keyOf.team(team.organizationId, team.id));
    if (entry.value === null) return null;
    const atomic = kv.atomic().check(entry)
      .delete(entry.key)
      .delete(keyOf.teamBySlug(team.organizationId, entry.value.slug));
    addTeamAudit(atomic, "team.remove", entry.value, changesBetween(namesOf(entry.value), null));
    return (await atomic.commit()).ok ? null : conflict;
  });
}

/**
 * Puts a member of the organization into a team; their request to join it is granted by it.
 *
 * @returns the team as it is then, unchanged when the person is in it
 * @throws {InvalidInput} when the team, or the person's list of teams, is full
 * @throws {Denied} 404 for who is no member, and for a team that is gone
 */
export async function joinTeam(kv: Deno.Kv, team: Team, userId: string): Promise<Team> {
  const { organizationId } = team;
  if (team.isEveryone) return team;
  return await changeTeam(kv, team, async (current, atomic) => {
    const member = await memberOf(kv, organizationId, userId);
    if (current.memberIds.includes(userId)) return current;
    if (current.memberIds.length >= MAX_MEMBERS) {
      throw new InvalidInput("user", t("A team has at most {n} people.", { n: MAX_MEMBERS }));
    }
    if ((await teamEntriesOf(kv, organizationId, userId)).length >= MAX_TEAMS_OF_PERSON) {
      throw new InvalidInput(
        "user",
        t("A person is in at most {n} teams.", { n: MAX_TEAMS_OF_PERSON }),
      );
    }
    // Written anew, so that it meets who takes the member out of the organization at this moment.
    atomic.check(member).set(member.key, member.value);
    await addPersonAudit(kv, atomic, "member.join-team", current, userId, [null, current.slug]);
    return {
      ...current,
      memberIds: [...current.memberIds, userId],
      requests: requestsBut(current, userId),
    };
  });
}

/** Takes somebody out of a team. @throws {Denied} 403 for everybody's team, 404 for a team that is gone */
export function leaveTeam(kv: Deno.Kv, team: Team, userId: string): Promise<Team> {
  return changeTeam(kv, team, async (current, atomic) => {
    if (!current.memberIds.includes(userId)) return current;
    await addPersonAudit(kv, atomic, "member.leave-team", current, userId, [current.slug, null]);
    return without(current, userId);
  });
}

/**
 * Makes somebody of a team its admin, or no longer.
 *
 * @throws {Denied} 403 for everybody's team, 404 for who is not in it, and for a team that is gone
 */
export function setTeamRole(
  kv: Deno.Kv,
  team: Team,
  userId: string,
  role: TeamRole,
): Promise<Team> {
  return changeTeam(kv, team, async (current, atomic) => {
    const former = teamRoleOf(current, userId);
    if (former === null) throw new Denied(404, t("This person is not in the team."));
    if (former === role) return current;
    const changes: AuditChange = [`#${current.slug}: ${former}`, `#${current.slug}: ${role}`];
    await addPersonAudit(kv, atomic, "member.edit-team", current, userId, changes);
    const others = (current.adminIds ?? []).filter((id) => id !== userId);
    return { ...current, adminIds: role === "admin" ? [...others, userId] : others };
  });
}

/** What became of a wish to be in a team. */
export interface TeamWish {
  /** `asked`: its admins decide now. */
  readonly outcome: "joined" | "asked" | "unchanged";
  readonly team: Team;
}

/**
 * Lets a member into a team where that is everybody's own choice, and else asks its admins.
 *
 * @param isOpen `hasOpenTeams` of the organization, or that the person decides about the team
 * @throws as `joinTeam()`
 */
export async function wishForTeam(
  kv: Deno.Kv,
  team: Team,
  userId: string,
  isOpen: boolean,
): Promise<TeamWish> {
  if (isInTeam(team, userId)) return { outcome: "unchanged", team };
  if (isOpen) return { outcome: "joined", team: await joinTeam(kv, team, userId) };
  const asked = await changeTeam(kv, team, async (current, atomic) => {
    const member = await memberOf(kv, current.organizationId, userId);
    const others = requestsBut(current, userId);
    if (others.length >= MAX_REQUESTS) {
      throw new InvalidInput("user", t("Too many people are waiting for this team already."));
    }
    atomic.check(member).set(member.key, member.value);
    await addPersonAudit(kv, atomic, "team-request.create", current, userId, [null, current.slug]);
    return { ...current, requests: [...others, { userId, at: new Date() }] };
  });
  return { outcome: "asked", team: asked };
}

/** Ends somebody's request to join without granting it. */
export function declineTeamRequest(kv: Deno.Kv, team: Team, userId: string): Promise<Team> {
  return changeTeam(kv, team, async (current, atomic) => {
    const requests = requestsBut(current, userId);
    if (requests.length === (current.requests ?? []).length) return current;
    await addPersonAudit(kv, atomic, "team-request.remove", current, userId, [current.slug, null]);
    return { ...current, requests };
  });
}

/**
 * Gives a team a project of its organization.
 *
 * @throws {InvalidInput} when the team has as many as it can
 * @throws {Denied} 404 when the organization has no such project, and for a team that is gone
 */
export async function addTeamProject(kv: Deno.Kv, team: Team, projectId: string): Promise<Team> {
  if (team.isEveryone) return team;
  return await changeTeam(kv, team, async (current, atomic) => {
    const project = await kv.get<ProjectName>(keyOf.project(projectId));
    if (project.value?.organizationId !== team.organizationId) {
      throw new Denied(404, t("There is no such project."));
    }
    if (current.projectIds.includes(projectId)) return current;
    if (current.projectIds.length >= MAX_PROJECTS) {
      throw new InvalidInput("project", t("A team has at most {n} projects.", { n: MAX_PROJECTS }));
    }
    addProjectAudit(atomic, "project-team.add", current, projectId, project.value.slug);
    return { ...current, projectIds: [...current.projectIds, projectId] };
  });
}

/** Takes a project from a team. @throws {Denied} 403 for everybody's team, 404 for a team that is gone */
export function dropTeamProject(kv: Deno.Kv, team: Team, projectId: string): Promise<Team> {
  return changeTeam(kv, team, async (current, atomic) => {
    if (!current.projectIds.includes(projectId)) return current;
    const project = await kv.get<ProjectName>(keyOf.project(projectId));
    addProjectAudit(
      atomic,
      "project-team.remove",
      current,
      projectId,
      project.value?.slug ?? projectId,
    );
    return { ...current, projectIds: current.projectIds.filter((id) => id !== projectId) };
  });
}

/** What is read of a project here; `projects.ts` knows the rest. */
interface ProjectName {
  readonly organizationId: string;
  readonly slug: string;
}

/** Adds to a commit that somebody leaves all teams of an organization. */
export async function addLeavingTeams(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  organizationId: string,
  userId: string,
): Promise<void> {
  for (const entry of await teamEntriesOf(kv, organizationId, userId)) {
    atomic.check(entry).set(entry.key, without(entry.value, userId));
  }
}

function without(team: Team, userId: string): Team {
  return {
    ...team,
    memberIds: team.memberIds.filter((id) => id !== userId),
    adminIds: (team.adminIds ?? []).filter((id) => id !== userId),
    requests: requestsBut(team, userId),
  };
}

function requestsBut({ requests = [] }: Team, userId: string): TeamRequest[] {
  return requests.filter((each) => each.userId !== userId);
}

/** @throws {Denied} 404 */
async function memberOf(kv: Deno.Kv, organizationId: string, userId: string) {
  const member = await kv.get(keyOf.member(organizationId, userId));
  if (member.value === null) throw new Denied(404, t("This person is not a member."));
  return member;
}

/** Tells of what became of somebody in a team. @param change of their team */
async function addPersonAudit(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  event: string,
  { organizationId }: Team,
  userId: string,
  change: AuditChange,
): Promise<void> {
  const user = await kv.get<{ email: string }>(keyOf.user(userId));
  const target = { kind: "user", id: userId, label: user.value?.email ?? userId };
  addAudit(atomic, { event, organizationId, target, changes: { team: change } });
}

function namesOf({ name, slug }: Team): object {
  return { name, slug };
}

function addTeamAudit(
  atomic: Deno.AtomicOperation,
  event: string,
  { id, organizationId, slug }: Team,
  changes: Readonly<Record<string, AuditChange>>,
): void {
  addAudit(atomic, { event, organizationId, target: { kind: "team", id, label: slug }, changes });
}

function addProjectAudit(
  atomic: Deno.AtomicOperation,
  event: "project-team.add" | "project-team.remove",
  { organizationId, slug }: Team,
  projectId: string,
  label: string,
): void {
  const changes: Record<string, AuditChange> = {
    team: event === "project-team.add" ? [null, slug] : [slug, null],
  };
  const target = { kind: "project", id: projectId, label };
  addAudit(atomic, { event, organizationId, projectId, target, changes });
}

/** The teams that somebody is in, or asks to be. */
async function teamEntriesOf(
  kv: Deno.Kv,
  organizationId: string,
  userId: string,
): Promise<Deno.KvEntry<Team>[]> {
  return (await readTeams(kv, organizationId)).filter(({ value }) =>
    value.memberIds.includes(userId) || value.requests?.some((each) => each.userId === userId)
  );
}

async function readTeams(kv: Deno.Kv, organizationId: string): Promise<Deno.KvEntry<Team>[]> {
  return await Array.fromAsync(kv.list<Team>({ prefix: prefixOf.teams(organizationId) }));
}

function changeTeam(
  kv: Deno.Kv,
  team: Team,
  change: (current: Team, atomic: Deno.AtomicOperation) => Team | Promise<Team>,
): Promise<Team> {
  return untilCommitted<Team>("change the team", async () => {
    refuseEveryone(team);
    const entry = await kv.get<Team>(keyOf.team(team.organizationId, team.id));
    if (entry.value === null) throw new Denied(404, t("There is no such team any more."));
    const atomic = kv.atomic().check(entry);
    const changed = await change(entry.value, atomic);
    if (changed === entry.value) return changed;
    return (await atomic.set(entry.key, changed).commit()).ok ? changed : conflict;
  });
}

function refuseEveryone({ isEveryone }: Team): void {
  if (isEveryone) {
    throw new Denied(
      403,
      t("Everybody and every project is in this team: it cannot be changed."),
    );
  }
}

function isTakenIn(kv: Deno.Kv, organizationId: string) {
  return async (slug: string) =>
    slug === EVERYONE || (await kv.get(keyOf.teamBySlug(organizationId, slug))).value !== null;
}
