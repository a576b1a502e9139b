/** Addresses that take files, with forms that no browser and no tool sends. */
import assert from "node:assert/strict";
import { API_ROUTES } from "@/lib/server/api_table.ts";
import { hostileUploads, type Upload } from "@/test/support/hostile_uploads.ts";
import { apiApp } from "@/test/support/api_app.ts";
import { ADMIN_TOKEN, testApi } from "@/test/support/api_people.ts";
import { everyPage } from "@/test/support/every_page.ts";
import { knownAddresses } from "@/test/support/known_addresses.ts";
import { formsOf } from "@/test/support/page_forms.ts";
import { acme } from "@/test/support/ui_app.ts";

/** Of one request, on a machine that does other things. */
const MAX_MS = 2_000;

async function tried(
  address: string,
  send: (upload: Upload) => Promise<Response>,
  field: string,
): Promise<void> {
  for (const upload of hostileUploads(field)) {
    const began = performance.now();
    const answer = await send(upload);
    const text = await answer.text();
    const took = performance.now() - began;
    assert.ok(answer.status < 500, `${address}, ${upload.what}: ${answer.status} ${text}`);
    assert.ok(took < MAX_MS, `${address}, ${upload.what}: ${took} ms`);
  }
}

Deno.test("whatever a form with files is like, an address of the API answers it at once, and with no error of ours", async (t) => {
  await using api = await testApi();
  const send = apiApp(api.services);
  const addresses = Object.entries(API_ROUTES).flatMap(([pattern, methods]) =>
    Object.entries(methods).flatMap(([method, { upload }]) =>
      upload === undefined ? [] : Object.keys(upload.shape).map((field) => ({
        field,
        method,
        path: `/api/0${pattern.replace(":organization", "acme").replace(":project", "acme-shop")}/`,
      }))
    )
  );
  assert.ok(addresses.length > 3);
  for (const { path, method, field } of addresses) {
    await t.step(`${path} ${field}`, () =>
      tried(path, ({ type, body }) =>
        send(path, {
          method,
          body,
          headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": type },
        }), field));
  }
  await t.step("/ingest", () =>
    tried("/ingest", ({ type, body }) =>
      send("/ingest?name=shop.cpu", {
        method: "POST",
        body,
        headers: { authorization: `Bearer ${api.serverKey}`, "content-type": type },
      }), "profile"));
});

Deno.test("whatever a form with files is like, a page answers it at once, and with no error of ours", async (t) => {
  await using app = await acme();
  const forms = new Map<string, string>();
  for (const [pathname, addresses] of await knownAddresses(app, await everyPage(app))) {
    for (const [search, { html }] of addresses) {
      for (const { path, fields } of formsOf(html, `${pathname}?${search}`)) {
        const file = fields.find(({ type }) => type === "file");
        if (file !== undefined) forms.set(path.split("?")[0] ?? "", file.name);
      }
    }
  }
  assert.ok(forms.size > 3, [...forms.keys()].join());
  for (const [path, field] of forms) {
    await t.step(path, () =>
      tried(path, ({ type, body }) => {
        const cookie = [...app.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const headers = { cookie, "content-type": type, "sec-fetch-site": "same-origin" };
        const url = new URL(path, "http://localhost:8000");
        return app.handle(new Request(url, { method: "POST", body, headers }));
      }, field));
  }
});
