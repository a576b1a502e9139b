import assert from "node:assert/strict";
import { hasGroupOverage, profileOf } from "@/lib/accounts/providers/profile.ts";
import type { Provider } from "@/lib/accounts/providers/provider.ts";
import { STRICT } from "../../../support/provider_settings.ts";

const ISSUER = "https://id.example";

function read(claims: Record<string, unknown>, groupsClaim = "groups", issuer = ISSUER) {
  const provider: Provider = {
    ...STRICT,
    id: "test",
    kind: "oidc",
    preset: "oidc",
    sealedSecret: null,
    createdAt: new Date(0),
    groupsClaim,
  };
  return profileOf(provider, issuer, { sub: "s", ...claims });
}

Deno.test("groups are read from a claim by its name, dots included, or by a path", () => {
  const groupsAt = (claims: Record<string, unknown>, path: string) => read(claims, path).groups;
  assert.deepEqual(groupsAt({ groups: ["a", "b"] }, "groups"), ["a", "b"]);
  assert.deepEqual(groupsAt({ groups: "a" }, "groups"), ["a"]);
  assert.deepEqual(groupsAt({ "https://x.example/groups": ["a"] }, "https://x.example/groups"), [
    "a",
  ]);
  const keycloak = { resource_access: { watchpost: { roles: ["dev"] } } };
  assert.deepEqual(groupsAt(keycloak, "resource_access.watchpost.roles"), ["dev"]);
  assert.deepEqual(groupsAt(keycloak, "resource_access.other.roles"), []);
  assert.deepEqual(groupsAt({}, "__proto__.constructor.name"), []);
  assert.deepEqual(groupsAt({ groups: ["a"] }, ""), []);
  assert.deepEqual(groupsAt({ groups: [1, null, "", {}, "x".repeat(300), " a "] }, "groups"), [
    " a ",
  ]);
});

Deno.test("more groups than are read are noted", () => {
  const groups = Array.from({ length: 2_001 }, (_, n) => String(n));
  const profile = read({ groups });
  assert.equal(profile.groups.length, 2_000);
  assert.equal(profile.hasMoreGroups, true);
  assert.equal(hasGroupOverage({ _claim_names: { groups: "src1" } }), true);
  assert.equal(hasGroupOverage({ groups: [] }), false);
});

Deno.test("an address is verified only where the provider itself says so with the boolean, and Entra with its own claim", () => {
  const entra = "https://login.microsoftonline.com/tenant/v2.0";
  assert.equal(read({ email: "a@b.c", email_verified: true }).isEmailVerified, true);
  for (const value of ["true", 1, {}, null, undefined, false]) {
    assert.equal(
      read({ email: "a@b.c", email_verified: value }).isEmailVerified,
      false,
      String(value),
    );
  }
  assert.equal(read({ email: "a@b.c", xms_edov: true }, "groups", entra).isEmailVerified, true);
  assert.equal(read({ email: "a@b.c", xms_edov: true }).isEmailVerified, false);
  const lookAlike = "https://login.microsoftonline.com.evil.example/v2.0";
  assert.equal(
    read({ email: "a@b.c", xms_edov: true }, "groups", lookAlike).isEmailVerified,
    false,
  );
});

Deno.test("names and addresses that we could not keep are as if there were none", () => {
  assert.equal(read({ email: "Ann@Example.COM" }).email, "ann@example.com");
  for (const email of ["ann", "ann@", "a b@c.d", "a@b.c\n", "a@b.c,d@e.f", 7, ["a@b.c"]]) {
    const kept = read({ email }).email;
    assert.equal(kept === null || kept === "a@b.c", true, JSON.stringify(email));
  }
  assert.equal(read({ name: "Ann\u202eevil" }).name, "");
  assert.equal(read({ given_name: "Ann", family_name: "Lee" }).name, "Ann Lee");
  assert.equal(read({ name: "x".repeat(500) }).name.length, 64);
});

Deno.test("a subject is a text or a number, and no longer than the specification allows", () => {
  assert.equal(read({ sub: 583231 }).subject, "583231");
  for (const sub of [undefined, "", {}, null, "x".repeat(256)]) {
    assert.throws(() => read({ sub }), /tells no subject/);
  }
});
