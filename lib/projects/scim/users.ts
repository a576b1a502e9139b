/** People in SCIM: the members of an organization, disabled ones as well. */
import {
  findProvisioned,
  listProvisioned,
  type ProvisionedMember,
  provisionMember,
  unprovision,
  updateProvisioned,
} from "../../accounts/provisioning.ts";
import { normalizeEmail } from "../../accounts/names.ts";
import { isInTeam, listTeams, type Team } from "../../accounts/teams.ts";
import {
  chosen,
  type Filter,
  type Json,
  listReply,
  readFilter,
  readPatch,
  readResource,
  reply,
  SCHEMA,
  ScimError,
} from "./protocol.ts";
import type { ScimAsking } from "./asking.ts";
import { patchedUser, provisionOf, type UserDraft, userOf } from "./user_input.ts";

const FILTERS = [
  "username",
  "externalid",
  "id",
  "displayname",
  "emails.value",
  "emails",
  'emails[type eq "work"].value',
];

export async function listUsers(asking: ScimAsking): Promise<Response> {
  const { kv, organization, search } = asking;
  const filter = readFilter(search, FILTERS);
  const [members, teams] = await Promise.all([
    listProvisioned(kv, organization.id),
    listTeams(kv, organization),
  ]);
  const found = filter === null ? members : members.filter((member) => fits(member, filter));
  return listReply(found.map((member) => userJson(asking, member, teams)), search);
}

function fits(member: ProvisionedMember, { attribute, value }: Filter): boolean {
  switch (attribute) {
    case "id":
      return member.userId === value;
    case "externalid":
      return member.directory?.externalId === value;
    case "displayname":
      return member.user.name === value;
    case "username":
      return userNameOf(member).toLowerCase() === value.toLowerCase();
    default:
      return member.user.email === normalizeEmail(value);
  }
}

function userNameOf({ directory, user }: ProvisionedMember): string {
  return directory?.userName ?? user.email;
}

export async function getUser(asking: ScimAsking, id: string): Promise<Response> {
  return await userReply(asking, await memberOf(asking, id));
}

export async function postUser(asking: ScimAsking): Promise<Response> {
  const { kv, organization, setup } = asking;
  const draft = userOf(await readResource(asking.req));
  const email = emailOf(draft);
  await refuseTaken(asking, draft.userName ?? email, null);
  const member = await provisionMember(kv, organization.id, email, {
    role: setup.role,
    ...provisionOf(draft),
  });
  return await userReply(asking, member, 201);
}

/** Directories sign people in by names that look like addresses, mostly. */
function emailOf({ email, userName }: UserDraft): string {
  const found = [email, userName].find((text) =>
    text !== undefined && normalizeEmail(text) !== null
  );
  if (found !== undefined) return found;
  throw new ScimError(400, "invalidValue", "emails or userName has to be an email address.");
}

/** Two of one name would be the same person to the directory. */
async function refuseTaken(
  { kv, organization }: ScimAsking,
  userName: string,
  ownId: string | null,
): Promise<void> {
  const members = await listProvisioned(kv, organization.id);
  const other = members.find((member) =>
    member.userId !== ownId && userNameOf(member).toLowerCase() === userName.toLowerCase()
  );
  if (other !== undefined) {
    throw new ScimError(409, "uniqueness", "There is a member of this userName already.");
  }
}

export async function putUser(asking: ScimAsking, id: string): Promise<Response> {
  return await change(asking, id, userOf(await readResource(asking.req)));
}

export async function patchUser(asking: ScimAsking, id: string): Promise<Response> {
  return await change(asking, id, patchedUser(await readPatch(asking.req)));
}

async function change(asking: ScimAsking, id: string, draft: UserDraft): Promise<Response> {
  const { userId } = await memberOf(asking, id);
  if (draft.userName !== undefined) await refuseTaken(asking, draft.userName, userId);
  const { kv, organization } = asking;
  const member = await updateProvisioned(kv, organization.id, userId, provisionOf(draft));
  return await userReply(asking, member);
}

export async function deleteUser(asking: ScimAsking, id: string): Promise<Response> {
  const { userId } = await memberOf(asking, id);
  await unprovision(asking.kv, asking.organization.id, userId);
  return new Response(null, { status: 204 });
}

async function memberOf({ kv, organization }: ScimAsking, id: string): Promise<ProvisionedMember> {
  const member = await findProvisioned(kv, organization.id, id);
  if (member === null) throw new ScimError(404, null, "There is no such user.");
  return member;
}

async function userReply(
  asking: ScimAsking,
  member: ProvisionedMember,
  status = 200,
): Promise<Response> {
  const teams = await listTeams(asking.kv, asking.organization);
  const resource = userJson(asking, member, teams);
  const headers = status === 201 ? { location: `${asking.base}/Users/${member.userId}` } : {};
  return reply(chosen(resource, asking.search), status, headers);
}

function userJson(
  { base }: ScimAsking,
  member: ProvisionedMember,
  teams: readonly Team[],
): Json {
  const { user, userId, role, addedAt, disabledAt, directory } = member;
  const [givenName = user.name, ...rest] = user.name.split(" ");
  return {
    schemas: [SCHEMA.user],
    id: userId,
    ...directory?.externalId ? { externalId: directory.externalId } : {},
    userName: userNameOf(member),
    name: { formatted: user.name, givenName, familyName: rest.join(" ") || givenName },
    displayName: user.name,
    emails: [{ value: user.email, type: "work", primary: true }],
    active: disabledAt === undefined,
    roles: [{ value: role, primary: true }],
    groups: teams.filter((team) => !team.isEveryone && isInTeam(team, userId))
      .map(({ id, name }) => ({ value: id, display: name, $ref: `${base}/Groups/${id}` })),
    meta: {
      resourceType: "User",
      created: addedAt.toISOString(),
      lastModified: (disabledAt ?? addedAt).toISOString(),
      location: `${base}/Users/${userId}`,
    },
  };
}
