import { Denied } from "../../lib/core/errors.ts";
import { conflict, keyOf, untilCommitted } from "../../lib/accounts/kv.ts";
import { checkName } from "../../lib/accounts/names.ts";
import { addOrganization, type Organization } from "../../lib/accounts/organizations.ts";

/**
 * Makes an organization with its first owner.
 *
 * @throws {InvalidInput} for a malformed name
 * @throws {Denied} 404 when there is no such user
 */
export async function createOrganization(
  kv: Deno.Kv,
  { name, ownerId }: { name: string; ownerId: string },
): Promise<Organization> {
  const checked = checkName("name", name);
  return await untilCommitted("create the organization", async () => {
    const owner = await kv.get(keyOf.user(ownerId));
    if (owner.value === null) throw new Denied(404, "There is no such person.");
    const { atomic, organization } = await addOrganization(kv, kv.atomic().check(owner), {
      name: checked,
      ownerId,
      // As those that were there before the setting: tests of intake look at what is sent.
      settings: {},
    });
    return (await atomic.commit()).ok ? organization : conflict;
  });
}
