import { permissionAsked } from "../accounts/authorize.ts";
import { HttpError } from "fresh";
import { Denied } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import type { User } from "../accounts/users.ts";
import type { State } from "./define.ts";

/**
 * Who runs the instance. To everybody else its pages do not exist.
 *
 * @throws {Denied} 401 for who is not signed in
 * @throws {HttpError} 404
 */
export function requireInstanceAdmin({ actor }: Pick<State, "actor">): User {
  permissionAsked("instance:admin");
  if (actor.kind === "nobody") throw new Denied(401, t("Sign in first."));
  if (actor.kind === "user" && actor.user.isInstanceAdmin) return actor.user;
  throw new HttpError(404, t("There is no such page."));
}
