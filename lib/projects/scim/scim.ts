/**
 * SCIM 2.0 (RFC 7643, 7644): a directory such as Entra or Okta makes, changes, disables and removes the members of an
 * organization, and its teams. It shows the organization's own token for it, which opens nothing else.
 */
import { findOrganization, findOrganizationBySlug } from "../../accounts/organizations.ts";
import { readScimToken } from "../../accounts/scim_token.ts";
import type { ApiContext } from "../../api/route.ts";
import { currentScope } from "../../core/request_scope.ts";
import type { ScimAsking } from "./asking.ts";
import { providerConfig, resourceTypes, schemas } from "./discovery.ts";
import { deleteGroup, getGroup, listGroups, patchGroup, postGroup, putGroup } from "./groups.ts";
import { errorReply, type Json, listReply, reply, ScimError } from "./protocol.ts";
import { deleteUser, getUser, listUsers, patchUser, postUser, putUser } from "./users.ts";

/** Below `/api/0`; without the slash at its end, which may be there. */
export const SCIM_PATH = "/organizations/:organization/scim/v2";

type Methods = Readonly<
  Partial<Record<string, (asking: ScimAsking, id: string) => Promise<Response>>>
>;

const COLLECTIONS: ReadonlyMap<string, Methods> = new Map<string, Methods>([
  ["users", { GET: listUsers, POST: postUser }],
  ["groups", { GET: listGroups, POST: postGroup }],
  ["serviceproviderconfig", { GET: (asking) => ready(reply(providerConfig(asking.base))) }],
  ["resourcetypes", {
    GET: (asking) => ready(listReply(resourceTypes(asking.base), asking.search)),
  }],
  ["schemas", { GET: (asking) => ready(listReply(schemas(asking.base), asking.search)) }],
]);

const RESOURCES: ReadonlyMap<string, Methods> = new Map<string, Methods>([
  ["users", { GET: getUser, PUT: putUser, PATCH: patchUser, DELETE: deleteUser }],
  ["groups", { GET: getGroup, PUT: putGroup, PATCH: patchGroup, DELETE: deleteGroup }],
  ["resourcetypes", { GET: ({ base }, id) => ready(oneOf(resourceTypes(base), id)) }],
  ["schemas", { GET: ({ base }, id) => ready(oneOf(schemas(base), id)) }],
]);

/** Answers a request below an organization's `scim/v2/`. */
export async function scimRoute(ctx: ApiContext): Promise<Response> {
  try {
    const asking = await admit(ctx);
    const { pathname } = ctx.url;
    const place = pathname.slice(pathname.indexOf("/scim/v2") + "/scim/v2".length);
    const [collection = "", id, ...more] = place.split("/").filter((part) => part !== "");
    const known = (id === undefined ? COLLECTIONS : RESOURCES).get(collection.toLowerCase());
    if (known === undefined || more.length > 0) {
      throw new ScimError(404, null, "There is nothing at this address.");
    }
    const method = Object.hasOwn(known, ctx.req.method) ? known[ctx.req.method] : undefined;
    if (method === undefined) throw new ScimError(405, null, "This address has no such method.");
    return await method(asking, decoded(id ?? ""));
  } catch (error) {
    return errorReply(error);
  }
}

/** @throws {ScimError} 401 without the token of the organization that the address names */
async function admit({ req, url, params, state: { services } }: ApiContext): Promise<ScimAsking> {
  const { kv, sql, config: { baseUrl } } = services;
  const { asker } = currentScope();
  const bearer = /^Bearer +(\S+) *$/i.exec(req.headers.get("authorization") ?? "")?.[1] ?? "";
  const setup = await readScimToken(kv, bearer, { now: Date.now(), address: asker.address });
  const name = params.organization ?? "";
  const organization = setup && (
    await findOrganizationBySlug(kv, name) ?? await findOrganization(kv, name)
  );
  if (!setup || organization?.id !== setup.organizationId) {
    throw new ScimError(401, null, "This is not the provisioning token of this organization.");
  }
  currentScope().asker = { ...asker, kind: "scim", id: organization.id, label: "SCIM" };
  return {
    kv,
    sql,
    req,
    search: url.searchParams,
    organization,
    setup,
    base: `${baseUrl}/api/0/organizations/${organization.slug}/scim/v2`,
  };
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw new ScimError(404, null, "There is nothing at this address.");
  }
}

function oneOf(resources: readonly Json[], id: string): Response {
  const found = resources.find((resource) => resource.id === id);
  if (found === undefined) throw new ScimError(404, null, "There is nothing at this address.");
  return reply(found);
}

function ready(response: Response): Promise<Response> {
  return Promise.resolve(response);
}
