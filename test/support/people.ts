import { createUser, type User } from "../../lib/accounts/users.ts";

export const PASSWORD = "four unrelated words indeed";

/** An account without any membership: `person(kv, "ann")` has the mail `ann@example.com`. */
export function person(kv: Deno.Kv, name: string): Promise<User> {
  return createUser(kv, { name, email: `${name}@example.com`, password: PASSWORD });
}
