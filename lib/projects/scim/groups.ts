/** Groups in SCIM: the teams of an organization, but for everybody's. */
import { keyOf } from "../../accounts/kv.ts";
import { listProvisioned, type ProvisionedMember } from "../../accounts/provisioning.ts";
import {
  createTeam,
  findTeam,
  joinTeam,
  leaveTeam,
  listTeams,
  type Team,
  updateTeam,
} from "../../accounts/teams.ts";
import { removeTeam } from "../api_teams.ts";
import {
  chosen,
  isObject,
  type Json,
  listReply,
  type Operation,
  plainPath,
  readFilter,
  readPatch,
  readResource,
  reply,
  SCHEMA,
  ScimError,
  textIn,
} from "./protocol.ts";
import type { ScimAsking } from "./asking.ts";

export async function listGroups(asking: ScimAsking): Promise<Response> {
  const filter = readFilter(asking.search, ["displayname", "externalid", "id"]);
  const [teams, members] = await Promise.all([teamsOf(asking), membersOf(asking)]);
  const known = await Promise.all(
    teams.map(async (team) => ({ team, externalId: await externalIdOf(asking, team) })),
  );
  const found = known.filter(({ team, externalId }) => {
    if (filter === null) return true;
    if (filter.attribute === "id") return team.id === filter.value;
    if (filter.attribute === "externalid") return externalId === filter.value;
    return team.name.toLowerCase() === filter.value.toLowerCase();
  });
  const resources = found.map(({ team, externalId }) =>
    groupJson(asking, team, externalId, members)
  );
  return listReply(resources, asking.search);
}

async function teamsOf({ kv, organization }: ScimAsking): Promise<Team[]> {
  return (await listTeams(kv, organization)).filter(({ isEveryone }) => !isEveryone);
}

async function membersOf({ kv, organization }: ScimAsking) {
  const members = await listProvisioned(kv, organization.id);
  return new Map(members.map((member) => [member.userId, member]));
}

export async function getGroup(asking: ScimAsking, id: string): Promise<Response> {
  return await groupReply(asking, await teamOf(asking, id));
}

export async function postGroup(asking: ScimAsking): Promise<Response> {
  const draft = groupOf(await readResource(asking.req));
  if (draft.name === undefined) throw new ScimError(400, "invalidValue", "displayName is missing.");
  await refuseTaken(asking, draft.name, null);
  const { kv, organization } = asking;
  const members = await membersOf(asking);
  checkMembers(members, draft.members ?? []);
  const team = await createTeam(kv, { organizationId: organization.id, name: draft.name });
  await keepExternalId(asking, team, draft.externalId);
  return await groupReply(asking, await withMembers(asking, team, draft.members ?? []), 201);
}

export async function putGroup(asking: ScimAsking, id: string): Promise<Response> {
  const team = await teamOf(asking, id);
  const draft = groupOf(await readResource(asking.req));
  return await groupReply(
    asking,
    await apply(asking, team, { ...draft, members: draft.members ?? [] }),
  );
}

export async function patchGroup(asking: ScimAsking, id: string): Promise<Response> {
  const team = await teamOf(asking, id);
  const draft = patched(team, await readPatch(asking.req));
  return await groupReply(asking, await apply(asking, team, draft));
}

export async function deleteGroup(asking: ScimAsking, id: string): Promise<Response> {
  const team = await teamOf(asking, id);
  await removeTeam(asking, team);
  await asking.kv.delete(keyOf.scimGroup(asking.organization.id, team.id));
  return new Response(null, { status: 204 });
}

/** Everybody's team is no group: nobody can be put into it or taken out. */
async function teamOf({ kv, organization }: ScimAsking, id: string): Promise<Team> {
  const team = /^\d+$/.test(id) ? await findTeam(kv, organization, id) : null;
  if (team === null || team.isEveryone) throw new ScimError(404, null, "There is no such group.");
  return team;
}

/** What is said of a group; absent: nothing. */
interface GroupDraft {
  name?: string;
  externalId?: string | null;
  /** Ids, each once. */
  members?: readonly string[];
}

function groupOf(resource: Json): GroupDraft {
  const draft: GroupDraft = {};
  for (const [name, value] of Object.entries(resource)) say(draft, plainPath(name), value);
  return draft;
}

function say(draft: GroupDraft, path: string, value: unknown): void {
  if (path === "displayname") draft.name = textIn(value, "displayName") ?? "";
  if (path === "externalid") draft.externalId = textIn(value, "externalId");
  if (path === "members") draft.members = [...new Set(idsIn(value))];
}

/** Entra names one by the path: `members[value eq "…"]`. */
const ONE_MEMBER = /^members\[\s*value\s+eq\s+"([^"]*)"\s*\]$/;

function patched({ memberIds }: Team, operations: readonly Operation[]): GroupDraft {
  const draft: GroupDraft = {};
  const change = (path: string, op: Operation["op"], value: unknown) => {
    const [, one] = ONE_MEMBER.exec(path) ?? [];
    if (path !== "members" && one === undefined) {
      if (op === "remove") {
        draft.externalId = path === "externalid" ? null : draft.externalId ?? null;
      } else say(draft, path, value);
      return;
    }
    const ids = one === undefined ? idsIn(value) : [one];
    draft.members = changed(draft.members ?? memberIds, op, ids);
  };
  for (const { op, path, value } of operations) {
    if (path !== "") change(path, op, value);
    else if (isObject(value)) {
      for (const [name, each] of Object.entries(value)) change(plainPath(name), op, each);
    } else throw new ScimError(400, "invalidValue", "Without a path the value is an object.");
  }
  return draft;
}

/** Removing without saying whom removes all. */
function changed(now: readonly string[], op: Operation["op"], ids: readonly string[]): string[] {
  if (op === "add") return [...new Set([...now, ...ids])];
  if (op === "replace") return [...new Set(ids)];
  return ids.length === 0 ? [] : now.filter((id) => !ids.includes(id));
}

function idsIn(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((each) => {
    const id = isObject(each) ? each.value : each;
    if (typeof id === "string" && id !== "" && id.length <= 100) return id;
    throw new ScimError(400, "invalidValue", "A member of a group is an object with a value.");
  });
}

async function apply(asking: ScimAsking, team: Team, draft: GroupDraft): Promise<Team> {
  const members = await membersOf(asking);
  const added = (draft.members ?? []).filter((id) => !team.memberIds.includes(id));
  checkMembers(members, added);
  const isNewName = draft.name !== undefined && draft.name !== team.name;
  if (draft.name !== undefined && isNewName) await refuseTaken(asking, draft.name, team.id);
  const named = draft.name !== undefined && isNewName
    ? await updateTeam(asking.kv, team, { name: draft.name })
    : team;
  await keepExternalId(asking, named, draft.externalId);
  return draft.members === undefined ? named : await withMembers(asking, named, draft.members);
}

function checkMembers(
  members: ReadonlyMap<string, ProvisionedMember>,
  ids: readonly string[],
): void {
  const unknown = ids.find((id) => !members.has(id));
  if (unknown !== undefined) {
    throw new ScimError(400, "invalidValue", `There is no user ${unknown} in this organization.`);
  }
}

async function withMembers(
  { kv }: ScimAsking,
  team: Team,
  ids: readonly string[],
): Promise<Team> {
  let now = team;
  for (const id of ids.filter((id) => !team.memberIds.includes(id))) {
    now = await joinTeam(kv, now, id);
  }
  for (const id of team.memberIds.filter((id) => !ids.includes(id))) {
    now = await leaveTeam(kv, now, id);
  }
  return now;
}

async function refuseTaken(asking: ScimAsking, name: string, ownId: string | null): Promise<void> {
  const other = (await teamsOf(asking)).find((team) =>
    team.id !== ownId && team.name.toLowerCase() === name.toLowerCase()
  );
  if (other !== undefined) {
    throw new ScimError(409, "uniqueness", "There is a group of this displayName already.");
  }
}

async function keepExternalId(
  { kv, organization }: ScimAsking,
  team: Team,
  externalId: string | null | undefined,
): Promise<void> {
  if (externalId === undefined) return;
  const key = keyOf.scimGroup(organization.id, team.id);
  if (externalId === null) await kv.delete(key);
  else await kv.set(key, externalId);
}

async function externalIdOf({ kv, organization }: ScimAsking, team: Team): Promise<string | null> {
  return (await kv.get<string>(keyOf.scimGroup(organization.id, team.id))).value;
}

async function groupReply(asking: ScimAsking, team: Team, status = 200): Promise<Response> {
  const [externalId, members] = await Promise.all([
    externalIdOf(asking, team),
    membersOf(asking),
  ]);
  const resource = groupJson(asking, team, externalId, members);
  const headers = status === 201 ? { location: `${asking.base}/Groups/${team.id}` } : {};
  return reply(chosen(resource, asking.search), status, headers);
}

function groupJson(
  { base }: ScimAsking,
  team: Team,
  externalId: string | null,
  members: ReadonlyMap<string, ProvisionedMember>,
): Json {
  return {
    schemas: [SCHEMA.group],
    id: team.id,
    ...externalId === null ? {} : { externalId },
    displayName: team.name,
    members: team.memberIds.flatMap((id) => {
      const member = members.get(id);
      if (member === undefined) return [];
      return [{ value: id, display: member.user.email, $ref: `${base}/Users/${id}`, type: "User" }];
    }),
    meta: {
      resourceType: "Group",
      created: team.createdAt.toISOString(),
      location: `${base}/Groups/${team.id}`,
    },
  };
}
