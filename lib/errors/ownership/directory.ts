/** Who can own code of a project: members of its organization, and teams that have the project. */
import { type Assignee, seeingOf } from "../../accounts/assignees.ts";
import { listMembers } from "../../accounts/members.ts";
import { findOrganization } from "../../accounts/organizations.ts";
import { listTeams } from "../../accounts/teams.ts";
import { readOwner, type RuleOwner } from "./rules.ts";

export type Owner = Assignee;

export interface OwnerDirectory {
  /** Whom a rule names; null for strangers. */
  find(owner: RuleOwner): Owner | null;
  /** Whom a CODEOWNERS file names: `@user`, `@org/team` or a mail address. */
  ownerOf(name: string): RuleOwner | null;
  /** The owner of an id. */
  byId(kind: string, id: string): Owner | null;
}

/** @param names what the project says of names in its CODEOWNERS file: a mail address or `#team` */
export async function ownerDirectory(
  kv: Deno.Kv,
  project: { readonly id: string; readonly organizationId: string },
  names: Readonly<Record<string, string>> = {},
): Promise<OwnerDirectory> {
  const organization = await findOrganization(kv, project.organizationId);
  const [members, teams] = organization === null ? [[], []] : await Promise.all([
    listMembers(kv, project.organizationId)
      .then((members) => seeingOf(kv, project.organizationId, project.id, members)),
    listTeams(kv, organization),
  ]);
  const people = members.map(({ user: { id, name, email } }): Owner => ({
    kind: "user",
    id,
    name,
    email,
  }));
  const groups = teams.filter(({ isEveryone, projectIds }) =>
    isEveryone || projectIds.includes(project.id)
  ).map(({ id, name, slug }): Owner => ({ kind: "team", id, name, slug }));
  const known = new Map(
    [...people, ...groups].map((owner) => [ownerKey(ruleOwnerOf(owner)), owner]),
  );
  const byId = new Map([...people, ...groups].map((owner) => [`${owner.kind}:${owner.id}`, owner]));
  const byName = Map.groupBy(people, ({ name }) => plain(name));
  const own = new Map(Object.entries(names).map(([name, owner]) => [name.toLowerCase(), owner]));
  const find = (owner: RuleOwner) => known.get(ownerKey(owner)) ?? null;
  return {
    find,
    byId: (kind, id) => byId.get(`${kind}:${id}`) ?? null,
    ownerOf(name) {
      const named = own.get(name.toLowerCase());
      if (named !== undefined) {
        return known.has(ownerKey(readOwner(named))) ? readOwner(named) : null;
      }
      const [, team] = /^@[^/]+\/(.+)$/.exec(name) ?? [];
      if (team !== undefined) return ifKnown({ type: "team", identifier: team.toLowerCase() });
      if (!name.startsWith("@")) return ifKnown(readOwner(name));
      // A name that two people have is nobody's.
      const [person, other] = byName.get(plain(name.slice(1))) ?? [];
      return person === undefined || other !== undefined ? null : ruleOwnerOf(person);
    },
  };
  function ifKnown(owner: RuleOwner): RuleOwner | null {
    return known.has(ownerKey(owner)) ? owner : null;
  }
}

/** How rules name an owner. */
export function ruleOwnerOf(owner: Owner): RuleOwner {
  return owner.kind === "team"
    ? { type: "team", identifier: owner.slug }
    : { type: "user", identifier: owner.email.toLowerCase() };
}

function ownerKey({ type, identifier }: RuleOwner): string {
  return `${type}:${identifier}`;
}

/** Ann Lee, ann-lee and AnnLee are one. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s._-]/g, "");
}
