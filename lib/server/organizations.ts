/** Who may create organizations on this instance. */
import { Denied, requireUser } from "../accounts/authorize.ts";
import type { User } from "../accounts/users.ts";
import type { Config } from "../core/config.ts";
import { t } from "../core/language/translate.ts";
import type { State } from "./define.ts";

/** Who runs the instance, and everybody with an account where the settings say so. */
export function mayCreateOrganizations(
  { organizationsBy }: Pick<Config, "organizationsBy">,
  { isInstanceAdmin }: Pick<User, "isInstanceAdmin">,
): boolean {
  return isInstanceAdmin || organizationsBy === "everybody";
}

/** @throws {Denied} 401 for who is not signed in, 403 for who may not create organizations */
export function requireCreator(state: Pick<State, "actor" | "services">): User {
  const user = requireUser(state);
  if (mayCreateOrganizations(state.services.config, user)) return user;
  throw new Denied(403, t("Only administrators of this instance can do this."));
}
