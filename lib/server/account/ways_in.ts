/** How a person can sign in, so that nobody takes their last way away. */
import { hasPassword } from "../../accounts/prove_again.ts";

/** Whether a person can sign in without a passkey. */
export async function hasOtherWayIn(kv: Deno.Kv, userId: string): Promise<boolean> {
  return await hasPassword(kv, userId);
}
