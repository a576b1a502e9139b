/** Long answers of pages end when the session does, or the right to them. */
import type { Actor } from "../accounts/authorize.ts";
import { readSession } from "../accounts/sessions.ts";
import { type HeldRight, heldRight } from "../core/held_right.ts";
import type { State } from "./define.ts";

/** What is asked again: the part of a page's context that tells who asks, and for what. */
interface Asking {
  readonly params: Record<string, string>;
  readonly state: Pick<State, "services" | "sessionToken" | "actor">;
}

/**
 * The right of who asks for a page, as its gate gave it.
 *
 * @param gate throws when the actor may not have the page any more: `requireProject` and the like
 */
export function rightToPage(
  { params, state }: Asking,
  gate: (ctx: Asking) => Promise<unknown>,
): HeldRight {
  return heldRight(async () => {
    const actor = await actorNow(state);
    if (actor === null) return false;
    await gate({ params, state: { ...state, actor } });
    return true;
  });
}

/** Who the session stands for by now, or null when it has ended. */
async function actorNow(
  { services: { kv }, sessionToken }: Asking["state"],
): Promise<Actor | null> {
  const live = sessionToken ? await readSession(kv, sessionToken) : null;
  return live && { kind: "user", user: live.user, isStrong: live.session.isStrong ?? false };
}
