/** Who may create organizations on this instance. */
import { authorize, requireUser } from "../accounts/authorize.ts";
import type { User } from "../accounts/users.ts";
import type { Config } from "../core/config.ts";
import type { State } from "./define.ts";

/** Who runs the instance, and everybody with an account where the settings say so. */
export function mayCreateOrganizations(
  { organizationsBy }: Pick<Config, "organizationsBy">,
  { isInstanceAdmin }: Pick<User, "isInstanceAdmin">,
): boolean {
  return isInstanceAdmin || organizationsBy === "everybody";
}

/** @throws {Denied} 401 for who is not signed in, 403 for who may not create organizations */
export async function requireCreator(state: Pick<State, "actor" | "services">): Promise<User> {
  const user = requireUser(state);
  const { kv, config } = state.services;
  if (config.organizationsBy === "admins") {
    await authorize(kv, state.actor, { instance: true }, "instance:admin");
  }
  return user;
}
