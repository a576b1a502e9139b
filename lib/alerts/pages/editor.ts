import type { Actor } from "../../accounts/authorize.ts";

/** Whose name a change bears; `""` for nobody's. */
export function editorOf(actor: Actor): string {
  return "user" in actor ? actor.user.email : "";
}
