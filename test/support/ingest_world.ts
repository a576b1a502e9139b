import { listKeys } from "../../lib/accounts/keys.ts";
import type { Organization } from "../../lib/accounts/organizations.ts";
import { createOrganization } from "./organizations.ts";
import { createProject, type Project } from "../../lib/accounts/projects.ts";
import type { User } from "../../lib/accounts/users.ts";
import { person } from "./people.ts";

/** An owner, an organization and a project with its two keys. */
export interface World {
  readonly owner: User;
  readonly organization: Organization;
  readonly project: Project;
  /** Public keys. */
  readonly serverKey: string;
  readonly browserKey: string;
}

/** Makes `World` in an empty control store. */
export async function makeWorld(kv: Deno.Kv, name = "acme"): Promise<World> {
  const owner = await person(kv, `${name}-owner`);
  const organization = await createOrganization(kv, { name, ownerId: owner.id });
  const project = await createProject(kv, {
    organizationId: organization.id,
    name: `${name} shop`,
    platform: "node",
  });
  const keys = await listKeys(kv, project.id);
  const keyOf = (type: string) => keys.find((key) => key.type === type)?.publicKey ?? "";
  return {
    owner,
    organization,
    project,
    serverKey: keyOf("server"),
    browserKey: keyOf("browser"),
  };
}
