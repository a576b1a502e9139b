/** How a person can sign in, so that nobody takes their last way away. */
import { listIdentities } from "../../accounts/providers/identities.ts";
import { hasPassword } from "../../accounts/prove_again.ts";

/** Whether a person can sign in without a passkey: with a password, or by a provider. */
export async function hasOtherWayIn(kv: Deno.Kv, userId: string): Promise<boolean> {
  return await hasPassword(kv, userId) || (await listIdentities(kv, userId)).length > 0;
}
