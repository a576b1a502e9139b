/** Who is meant by the people and teams that a search names. */
import { resolveAssignee } from "../../accounts/assignees.ts";
import { listMembers } from "../../accounts/members.ts";
import { findOrganization } from "../../accounts/organizations.ts";
import { findProject } from "../../accounts/projects.ts";
import { isInTeam, listTeams } from "../../accounts/teams.ts";
import type { Assignee } from "../workflow/state.ts";
import {
  anyOf,
  type IssueFilter,
  type IssueNode,
  mapTerms,
  NO_ISSUE,
  not,
  type PeopleTerm,
  termsOf,
} from "./terms.ts";
import { ASSIGNED, ASSIGNED_OR_SUGGESTED } from "./team_keys.ts";

/** Who searches, and where people and teams are found by name. */
export interface Searcher {
  readonly kv: Deno.Kv;
  /** Who `me` is; null: nobody in particular, as for alerts. */
  readonly userId: string | null;
}

/** The same search with ids in place of names. What names nobody finds nothing; without names, nothing is asked. */
export async function settlePeople(
  searcher: Searcher,
  projectId: string,
  filter: IssueFilter,
): Promise<IssueFilter> {
  const terms = [...termsOf(filter)].filter((term) => term.kind === "people");
  if (terms.length === 0) return filter;
  const project = await findProject(searcher.kv, projectId);
  if (project === null) return NO_ISSUE;
  const { organizationId } = project;
  const names = new Set(terms.flatMap((term) => term.names));
  const known = new Map(
    await Promise.all(
      [...names].map(async (name) => [name, await whoIs(searcher, organizationId, name)] as const),
    ),
  );
  return mapTerms(filter, (term) => term.kind === "people" ? settled(term, known) : term);
}

function settled(
  { about, names }: PeopleTerm,
  known: ReadonlyMap<string, readonly Assignee[]>,
): IssueNode {
  const found = names.flatMap((name) => known.get(name) ?? []);
  if (about !== "assigned" && about !== "assigned_or_suggested") {
    const by = found.filter(({ kind }) => kind === "user").map(({ id }) => id);
    return by.length === 0 ? NO_ISSUE : { kind: "marked", as: about, by };
  }
  const withSuggested = about === "assigned_or_suggested";
  return anyOf([
    { kind: "assigned", to: found },
    ...withSuggested ? [{ kind: "suggested", to: found } as const] : [],
    ...names.some(isNobody) ? [not(withSuggested ? ASSIGNED_OR_SUGGESTED : ASSIGNED)] : [],
  ]);
}

function isNobody(name: string): boolean {
  return name === "" || name.toLowerCase() === "none";
}

/** The people and teams that a name means: several may share what they are called. */
async function whoIs(
  { kv, userId }: Searcher,
  organizationId: string,
  name: string,
): Promise<readonly Assignee[]> {
  if (isNobody(name)) return [];
  const word = name.toLowerCase();
  if (word === "me") return userId === null ? [] : [{ kind: "user", id: userId }];
  if (word === "my_teams") return await teamsOfUser(kv, organizationId, userId);
  const one = await resolveAssignee(kv, organizationId, null, name);
  if (one !== null) return [one];
  const members = await listMembers(kv, organizationId);
  return members.map(({ user }) => user).filter((user) => user.name.toLowerCase() === word)
    .map(({ id }) => ({ kind: "user", id }));
}

async function teamsOfUser(
  kv: Deno.Kv,
  organizationId: string,
  userId: string | null,
): Promise<readonly Assignee[]> {
  const organization = userId === null ? null : await findOrganization(kv, organizationId);
  if (userId === null || organization === null) return [];
  const teams = await listTeams(kv, organization);
  return teams.filter((team) => isInTeam(team, userId)).map(({ id }) => ({ kind: "team", id }));
}
