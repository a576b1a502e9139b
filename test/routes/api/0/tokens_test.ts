import assert from "node:assert/strict";
import { createApiToken } from "@/lib/accounts/api_tokens.ts";
import { createKey } from "@/lib/accounts/keys.ts";
import { addMember, setRole } from "@/lib/accounts/members.ts";
import { apiApp } from "@/test/support/api_app.ts";
import { testApi } from "@/test/support/api_people.ts";
import { errorEnvelope } from "@/test/support/envelopes.ts";
import { person } from "@/test/support/people.ts";
import { authHeader } from "@/test/support/test_intake.ts";

async function answer(response: Response) {
  return { status: response.status, body: await response.json() };
}

Deno.test("an ingest key is no API token, and an API token no ingest key", async () => {
  await using api = await testApi();
  const { kv } = api.services;
  const send = apiApp(api.services);
  const key = await createKey(kv, { projectId: api.project.id, name: "Key", type: "server" });
  for (const text of [key.publicKey, `${key.publicKey}${key.publicKey}`]) {
    const headers = { authorization: `Bearer ${text}` };
    assert.deepEqual(await answer(await send("/api/0/organizations/acme/", { headers })), {
      status: 401,
      body: { detail: "Invalid token" },
    });
  }
  const { token } = await createApiToken(kv, {
    name: "API",
    organizationId: api.organization.id,
    userId: api.owner.id,
    scopes: ["project:read", "project:write"],
  });
  const { body } = errorEnvelope("Not mine");
  for (const headers of [authHeader(token), { authorization: `Bearer ${token}` }]) {
    const response = await send(`/api/${api.project.id}/envelope/`, {
      method: "POST",
      headers,
      body,
    });
    await response.body?.cancel();
    assert.ok(response.status === 401 || response.status === 403, String(response.status));
  }
});

Deno.test("a token does no more than its maker may now, from the next request on", async () => {
  await using api = await testApi();
  const { kv } = api.services;
  const send = apiApp(api.services);
  const by = { role: "owner", userId: api.owner.id } as const;
  const admin = await person(kv, "soon-less");
  await addMember(kv, by, api.organization.id, admin.id, "admin");
  const { token } = await createApiToken(kv, {
    name: "Admin",
    organizationId: api.organization.id,
    userId: admin.id,
    scopes: ["project:read", "project:write"],
  });
  const put = async () => {
    const response = await send("/api/0/projects/acme/acme-shop/", {
      method: "PUT",
      headers: { authorization: `Bearer ${token}` },
      body: "{}",
    });
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await put(), 200);
  await setRole(kv, by, api.organization.id, admin.id, "viewer");
  assert.equal(await put(), 403);
});
