/** The document of the management API. */
import assert from "node:assert/strict";
import { documentedPath } from "@/lib/api/openapi.ts";
import { API_ROUTES } from "@/lib/server/app.tsx";
import { checkAnswer } from "@/test/support/api_answers.ts";
import { testApi } from "@/test/support/api_people.ts";

interface Operation {
  readonly summary: string;
  readonly security: readonly { readonly token: readonly string[] }[];
  readonly parameters: readonly { readonly name: string; readonly required: boolean }[];
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

Deno.test("every address and method of the management API is in its document, with its scope", async () => {
  await using api = await testApi();
  const { status, body } = await api.call<Document>("nobody", "/openapi.json");
  assert.equal(status, 200);
  assert.equal(body.openapi, "3.1.0");
  const told = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, summary }]) => {
      assert.notEqual(summary, "");
      return `${method} ${path} ${security[0]?.token ?? ""}`;
    })
  );
  const kept = Object.entries(API_ROUTES).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { scope }]) =>
      `${method.toLowerCase()} ${documentedPath(path)} ${scope ?? ""}`
    )
  );
  assert.deepEqual(told, kept);
});

Deno.test("the document tells which parameters an address takes, and which it must have", async () => {
  await using api = await testApi();
  const { body } = await api.call<Document>("nobody", "/openapi.json");
  const query = body.paths["/projects/{organization}/{project}/metrics/query/"]?.get;
  const required = query?.parameters.filter((each) => each.required).map(({ name }) => name);
  assert.deepEqual(required, ["organization", "project", "metric"]);
});

Deno.test("an answer that is not as the document says is noticed by the tests of the API", () => {
  const answer = { version: "0", auth: null, user: null };
  checkAnswer("GET", "/api/0/", 200, answer);
  assert.throws(() => checkAnswer("GET", "/api/0/", 200, { ...answer, more: 1 }), /more/);
  assert.throws(() => checkAnswer("GET", "/api/0/", 200, { ...answer, version: 0 }), /version/);
});
