import { addressProblem } from "../../accounts/accept_invite.ts";
import { findInvite } from "../../accounts/invites.ts";
import type { State } from "../define.ts";
import { readInviteToken } from "../invite_cookie.ts";

/**
 * Whether a link of an invitation that holds is open in this browser, for somebody of this address: then who comes from a
 * provider gets an account, and the page of the invitation asks whether to join with it.
 *
 * @param next where the browser goes after the sign-in: an invitation that somebody has left lets nobody in
 */
export async function hasInviteAt(
  { req, state: { services: { kv } } }: { readonly req: Request; readonly state: State },
  next: string,
  email: string | null,
): Promise<boolean> {
  const token = readInviteToken(req);
  if (token === null || email === null || next !== "/join") return false;
  const open = await findInvite(kv, token);
  return open !== null && addressProblem(open.invite, email) === null;
}
