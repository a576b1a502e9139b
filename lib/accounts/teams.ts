/**
 * Teams of an organization: people who look after projects together. They give nobody a right; they are whom an issue can
 * be assigned to, and what Sentry's clients look for before they make or show a project.
 */
import { Denied, InvalidInput } from "../core/errors.ts";
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
  /** May name deleted projects, which come back with their restoring; of everybody's team empty. */
  readonly projectIds: readonly string[];
  /** It is the team that every member and every project is in. */
  readonly isEveryone: boolean;
}

/** One record holds them, and leaving the organization writes all teams of a person in one commit. */
const MAX_MEMBERS = 300;
const MAX_PROJECTS = 1_000;
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
    if (organization.value === null) throw new Denied(404, "There is no such organization.");
    if ((await readTeams(kv, organizationId)).length >= MAX_TEAMS) {
      throw new InvalidInput("name", `Delete a team first: at most ${MAX_TEAMS} are possible.`);
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
    const committed = await next.take(kv.atomic().check(organization))
      .check({ key: keyOf.teamBySlug(organizationId, slug), versionstamp: null })
      .set(keyOf.teamBySlug(organizationId, slug), team.id)
      .set(keyOf.team(organizationId, team.id), team)
      .commit();
    return committed.ok ? team : conflict;
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
    const committed = await kv.atomic().check(entry)
      .delete(entry.key)
      .delete(keyOf.teamBySlug(team.organizationId, entry.value.slug))
      .commit();
    return committed.ok ? null : conflict;
  });
}

/**
 * Puts a member of the organization into a team.
 *
 * @returns the team as it is then, unchanged when the person is in it
 * @throws {InvalidInput} when the team, or the person's list of teams, is full
 * @throws {Denied} 404 for who is no member, and for a team that is gone
 */
export async function joinTeam(kv: Deno.Kv, team: Team, userId: string): Promise<Team> {
  const { organizationId } = team;
  if (team.isEveryone) return team;
  return await changeTeam(kv, team, async (current, atomic) => {
    const member = await kv.get(keyOf.member(organizationId, userId));
    if (member.value === null) throw new Denied(404, "This person is not a member.");
    if (current.memberIds.includes(userId)) return current;
    if (current.memberIds.length >= MAX_MEMBERS) {
      throw new InvalidInput("user", `A team has at most ${MAX_MEMBERS} people.`);
    }
    if ((await teamEntriesOf(kv, organizationId, userId)).length >= MAX_TEAMS_OF_PERSON) {
      throw new InvalidInput("user", `A person is in at most ${MAX_TEAMS_OF_PERSON} teams.`);
    }
    // Written anew, so that it meets who takes the member out of the organization at this moment.
    atomic.check(member).set(member.key, member.value);
    return { ...current, memberIds: [...current.memberIds, userId] };
  });
}

/** Takes somebody out of a team. @throws {Denied} 403 for everybody's team, 404 for a team that is gone */
export function leaveTeam(kv: Deno.Kv, team: Team, userId: string): Promise<Team> {
  return changeTeam(kv, team, (current) => without(current, userId));
}

/**
 * Gives a team a project of its organization.
 *
 * @throws {InvalidInput} when the team has as many as it can
 * @throws {Denied} 404 when the organization has no such project, and for a team that is gone
 */
export async function addTeamProject(kv: Deno.Kv, team: Team, projectId: string): Promise<Team> {
  if (team.isEveryone) return team;
  return await changeTeam(kv, team, async (current) => {
    const project = await kv.get<{ organizationId: string }>(keyOf.project(projectId));
    if (project.value?.organizationId !== team.organizationId) {
      throw new Denied(404, "There is no such project.");
    }
    if (current.projectIds.includes(projectId)) return current;
    if (current.projectIds.length >= MAX_PROJECTS) {
      throw new InvalidInput("project", `A team has at most ${MAX_PROJECTS} projects.`);
    }
    return { ...current, projectIds: [...current.projectIds, projectId] };
  });
}

/** Takes a project from a team. @throws {Denied} 403 for everybody's team, 404 for a team that is gone */
export function dropTeamProject(kv: Deno.Kv, team: Team, projectId: string): Promise<Team> {
  return changeTeam(kv, team, (current) => ({
    ...current,
    projectIds: current.projectIds.filter((id) => id !== projectId),
  }));
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
  return { ...team, memberIds: team.memberIds.filter((id) => id !== userId) };
}

async function teamEntriesOf(
  kv: Deno.Kv,
  organizationId: string,
  userId: string,
): Promise<Deno.KvEntry<Team>[]> {
  return (await readTeams(kv, organizationId))
    .filter(({ value }) => value.memberIds.includes(userId));
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
    if (entry.value === null) throw new Denied(404, "There is no such team any more.");
    const atomic = kv.atomic().check(entry);
    const changed = await change(entry.value, atomic);
    return (await atomic.set(entry.key, changed).commit()).ok ? changed : conflict;
  });
}

function refuseEveryone({ isEveryone }: Team): void {
  if (isEveryone) {
    throw new Denied(403, "Everybody and every project is in this team: it cannot be changed.");
  }
}

function isTakenIn(kv: Deno.Kv, organizationId: string) {
  return async (slug: string) =>
    slug === EVERYONE || (await kv.get(keyOf.teamBySlug(organizationId, slug))).value !== null;
}
