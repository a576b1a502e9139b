import { findInvite } from "../../accounts/invites.ts";
import type { State } from "../define.ts";

/**
 * Whether a link of an invitation that holds is open in this browser: then who comes from a provider gets an account, and
 * the page of the invitation asks whether to join with it.
 *
 * @param next where the browser goes after the sign-in
 */
export async function hasInviteAt(
  { state: { services: { kv } } }: { readonly state: State },
  next: string,
): Promise<boolean> {
  const { pathname, searchParams } = new URL(next, "http://localhost");
  const token = searchParams.get("invite");
  if (pathname !== "/join" || token === null) return false;
  return await findInvite(kv, token) !== null;
}
