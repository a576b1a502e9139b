import assert from "node:assert/strict";
import { arrive } from "@/lib/accounts/providers/arrival.ts";
import type { Provider } from "@/lib/accounts/providers/provider.ts";
import type { Profile } from "@/lib/accounts/providers/profile.ts";
import { provisionMember } from "@/lib/accounts/provisioning.ts";
import { setPassword } from "@/lib/accounts/password_reset.ts";
import { createOrganization } from "../../support/organizations.ts";
import { testKv } from "../../support/kv.ts";
import { PASSWORD, person } from "../../support/people.ts";

const PROVIDER: Provider = {
  id: "idp",
  kind: "oidc",
  preset: "oidc",
  sealedSecret: null,
  createdAt: new Date(),
  name: "IdP",
  isEnabled: true,
  issuer: "https://idp.example.com",
  clientId: "watchpost",
  clientAuth: "none",
  scopes: "openid email",
  clockSkewSec: 0,
  isTrusted: true,
  tellsVerifiedOnly: false,
  mayCreate: false,
  domains: [],
  requiredGroup: "",
  groupsClaim: "",
  needsGroup: false,
  rules: [],
  endsThere: false,
};

function profile(email: string, isEmailVerified = true): Profile {
  return {
    issuer: PROVIDER.issuer,
    subject: email,
    email,
    isEmailVerified,
    name: "",
    groups: [],
    hasMoreGroups: false,
    sid: null,
    authTime: null,
  };
}

Deno.test("an account that a directory made is signed in to by a trusted provider, as long as nobody else could have been", async () => {
  await using test = await testKv();
  const { kv } = test;
  const owner = await person(kv, "owner");
  const { id } = await createOrganization(kv, { name: "Acme", ownerId: owner.id });
  const made = await Promise.all(
    ["ann", "bob", "cid"].map((name) => provisionMember(kv, id, `${name}@example.com`, { name })),
  );
  const arrival = async (email: string, provider = PROVIDER, isVerified = true) =>
    (await arrive(kv, provider, profile(email, isVerified), { hasInvite: false })).kind;
  assert.equal(await arrival("ann@example.com", { ...PROVIDER, isTrusted: false }), "stranger");
  assert.equal(await arrival("ann@example.com", PROVIDER, false), "stranger");
  assert.equal(await arrival("ann@example.com"), "trusted");
  assert.equal(await arrival("ann@example.com"), "known");
  // Somebody has set a password, and has confirmed nothing.
  const [, bob] = made;
  assert.ok(bob);
  await setPassword(kv, bob.user, PASSWORD);
  assert.equal(await arrival("bob@example.com"), "stranger");
  assert.equal(await arrival("owner@example.com"), "stranger");
});
