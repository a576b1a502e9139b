/** Addresses that are open to strangers, directories and trackers, with values that no store takes. */
import assert from "node:assert/strict";
import { enableScim } from "@/lib/accounts/scim_token.ts";
import { apiApp } from "@/test/support/api_app.ts";
import { testApi } from "@/test/support/api_people.ts";
import { everyPage } from "@/test/support/every_page.ts";
import { DATES, FIELD_VALUES } from "@/test/support/hostile_values.ts";
import { changedAnywhere } from "@/test/support/sample_body.ts";
import { identityProvider } from "@/test/support/identity_provider.ts";
import { LOCAL_PROVIDERS, setUp } from "@/test/support/provider_settings.ts";
import { acme } from "@/test/support/ui_app.ts";

/** Longer than any key of Deno KV, of another kind than it seems, and what URLs escape. */
const PARTS = ["x".repeat(3_000), "a%00b", "%ED%A0%80", "9".repeat(25), "__proto__", "..%2f", "%"];
const TEXTS = ["x".repeat(3_000), "a\0b", "\ud800", "9".repeat(25), "AQ", "AQAA".repeat(20), "("];

Deno.test("whatever a directory says, SCIM ends in no error of ours", async (t) => {
  await using api = await testApi();
  const { token } = await enableScim(api.services.kv, api.organization.id, {
    role: "member",
    createdBy: "Olga",
  });
  const send = apiApp(api.services);
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await send(`/api/0/organizations/acme/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
      ...body === undefined ? {} : { body: JSON.stringify(body) },
    });
    const text = await answer.text();
    const said = JSON.stringify(body)?.slice(0, 1_000);
    assert.ok(answer.status < 500, `${method} ${path.slice(0, 200)} ${said}: ${answer.status}`);
    const isJson = answer.headers.get("content-type")?.includes("json");
    return { status: answer.status, id: isJson ? String(JSON.parse(text).id) : "" };
  };
  const user = {
    userName: "ann@example.com",
    externalId: "e-1",
    displayName: "Ann Lee",
    name: { formatted: "Ann Lee", givenName: "Ann", familyName: "Lee" },
    emails: [{ value: "ann@example.com", type: "work", primary: true }],
    active: true,
    roles: [{ value: "viewer", primary: true }],
  };
  const { id, status } = await ask("POST", "/Users", user);
  assert.equal(status, 201);
  const group = { displayName: "Team", externalId: "g-1", members: [{ value: id }] };
  const team = await ask("POST", "/Groups", group);
  assert.equal(team.status, 201);
  const patches = (path: string, value: unknown) =>
    ["add", "replace", "remove"].map((op) => ({ Operations: [{ op, path, value }] }));
  const bodies: readonly (readonly [method: string, path: string, body: unknown])[] = [
    ["POST", "/Users", user],
    ["PUT", `/Users/${id}`, user],
    ...patches("displayName", "Ann").map((body) => ["PATCH", `/Users/${id}`, body] as const),
    ["POST", "/Groups", group],
    ["PUT", `/Groups/${team.id}`, group],
    ...patches("members", [{ value: id }])
      .map((body) => ["PATCH", `/Groups/${team.id}`, body] as const),
  ];
  for (const [method, path, body] of bodies) {
    await t.step(`${method} ${path.split("/")[1]}`, async () => {
      for (const value of [...FIELD_VALUES, ...TEXTS]) {
        for (const changed of changedAnywhere(body, value)) await ask(method, path, changed);
      }
    });
  }
  await t.step("addresses and parameters", async () => {
    for (const part of PARTS) {
      for (const method of ["GET", "DELETE"]) {
        for (const list of ["Users", "Groups", "Schemas"]) await ask(method, `/${list}/${part}`);
      }
      await ask("GET", `/${part}`);
    }
    for (const text of TEXTS) {
      const filter = `userName eq ${JSON.stringify(text)}`;
      for (const name of ["filter", "startIndex", "count", "attributes", "excludedAttributes"]) {
        await ask("GET", `/Users?${new URLSearchParams({ [name]: text })}`);
      }
      for (const list of ["Users", "Groups"]) {
        await ask("GET", `/${list}?${new URLSearchParams({ filter })}`);
      }
    }
  });
});

Deno.test("whatever a part of an address says, and however long it is, it ends in no error of ours", async (t) => {
  await using app = await acme();
  const pages = (await everyPage(app)).map(({ pattern, path }) => ({ pattern, path }));
  const open = [
    ...["", "/json", "/feed.xml", "/badge.svg", "/logo", "/confirm", "/unsubscribe"]
      .map((part) => ({ pattern: `/status/[page]${part}`, path: `/status/acme${part}` })),
    { pattern: "/status/[page]/badges/[badge]", path: "/status/acme/badges/a.svg" },
    { pattern: "/share/issue/[share]", path: "/share/issue/1" },
    { pattern: "/api/0/shared/issues/[share]", path: "/api/0/shared/issues/1/" },
    { pattern: "/api/0/projects/[o]/[p]", path: "/api/0/projects/acme/shop/" },
    { pattern: "/hooks/[project]/[connection]", path: "/hooks/1/1" },
    { pattern: "/js/[file]", path: "/js/a.js" },
  ];
  const stranger = app.visitor();
  for (const { pattern, path } of [...open, ...pages]) {
    const [pathname = ""] = path.split("?");
    for (const [place, name] of pattern.split("/").entries()) {
      if (!name.startsWith("[")) continue;
      await t.step(`${pattern}, ${name}`, async () => {
        for (const part of PARTS) {
          const address = pathname.split("/").with(place, part).join("/");
          for (const visitor of [stranger, app.owner]) {
            const { status } = await visitor.get(address);
            assert.ok(status < 500, `${status} ${address.slice(0, 200)}`);
          }
        }
      });
    }
  }
});

Deno.test("whatever strangers send to what is open to them, it ends in no error of ours", async (t) => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  await everyPage(app);
  await setUp(app.services, idp, { mayCreate: true });
  const fields: Readonly<Record<string, readonly string[]>> = {
    "/status/acme": ["token"],
    "/status/acme/json": ["token"],
    "/status/acme/subscribe": ["email"],
    "/status/acme/confirm": ["subscription"],
    "/status/acme/unsubscribe": ["subscription"],
    "/sign-in/with/test": ["next", "again"],
    "/sign-in/with/test/callback": ["state", "code", "iss", "error", "device_id"],
    "/sign-in/with/test/back-channel-logout": ["logout_token"],
    "/email/verify": ["token"],
    "/email/undo": ["token"],
    "/reset-password": ["token", "password"],
    "/join/acme": ["token"],
    "/sign-in": ["email", "password", "next"],
    "/sign-up": ["email", "name", "password", "token"],
    "/forgot-password": ["email"],
  };
  for (const [path, names] of Object.entries(fields)) {
    await t.step(path, async () => {
      for (const name of names) {
        for (const text of [...TEXTS, ...DATES, ""]) {
          const visitor = app.visitor();
          const search = new URLSearchParams({ [name]: text });
          for (
            const sent of [visitor.get(`${path}?${search}`), visitor.post(path, { [name]: text })]
          ) {
            const { status } = await sent;
            // 503: so many passwords wait.
            assert.ok(status < 500, `${status} ${path} ${name} ${text.slice(0, 100)}`);
          }
        }
      }
    });
  }
});
