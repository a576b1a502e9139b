import { Denied } from "../core/denied.ts";
import type { User } from "./users.ts";
import type { State } from "../server/define.ts";

/**
 * The person who is signed in, for pages that belong to no project and no organization.
 *
 * @throws {Denied} 401 for everybody else
 */
export function requireUser({ actor }: State): User {
  if (actor.kind !== "user") throw new Denied(401, "Sign in first.");
  return actor.user;
}
