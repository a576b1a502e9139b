import { keyOf } from "./kv_keys.ts";
import { checkName } from "./names.ts";
import { conflict, untilCommitted } from "./until_committed.ts";
import type { User } from "./users.ts";

/**
 * Changes what a person is called.
 *
 * @returns the changed user, or null when there is none of this id
 * @throws {InvalidInput} for a malformed name
 */
export async function renameUser(kv: Deno.Kv, userId: string, name: string): Promise<User | null> {
  const checked = checkName("name", name);
  return await untilCommitted<User | null>("rename the user", async () => {
    const entry = await kv.get<User>(keyOf.user(userId));
    if (entry.value === null) return null;
    const renamed = { ...entry.value, name: checked };
    return (await kv.atomic().check(entry).set(entry.key, renamed).commit()).ok
      ? renamed
      : conflict;
  });
}
