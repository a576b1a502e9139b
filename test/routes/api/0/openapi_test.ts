/** The document of the management API. */
import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import {
  type ApiDocument,
  type ApiOperation,
  documentedPath,
  type JsonSchema,
} from "@/lib/api/openapi.ts";
import { TAGS } from "@/lib/api/tags.ts";
import { API_ROUTES } from "@/lib/server/api_table.ts";
import { checkAnswer } from "@/test/support/api_answers.ts";
import { testApi } from "@/test/support/api_people.ts";

async function readDocument(): Promise<ApiDocument> {
  await using api = await testApi();
  const { status, body } = await api.call<ApiDocument>("nobody", "/openapi.json");
  assert.equal(status, 200);
  return body;
}

const document = await readDocument();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    name: `${method.toUpperCase()} ${path}`,
  }))
);

// That every answer is as described is held by the walk in access_test.ts, which asks each of them.

Deno.test("the document is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone({ ...document }));
  assert.ok(valid, JSON.stringify(errors));
  assert.equal(document.openapi, "3.1.0");
});

Deno.test("every address and method of the management API is in its document, with its scope", () => {
  const told = operations.map(({ name, security }) => `${name} ${security[0]?.userToken ?? ""}`);
  const kept = Object.entries(API_ROUTES).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { scope }]) =>
      `${method} ${documentedPath(path)} ${scope ?? ""}`
    )
  );
  assert.deepEqual(told, kept);
});

Deno.test("every operation has a name of its own, its noun and a summary", () => {
  for (const { name, tags, summary } of operations) {
    assert.ok(summary, name);
    assert.ok(tags.length === 1 && Object.keys(TAGS).includes(tags[0] ?? ""), name);
  }
  const ids = operations.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length);
  const used = new Set(operations.flatMap(({ tags }) => tags));
  assert.deepEqual(Object.keys(TAGS).filter((tag) => !used.has(tag)), []);
});

Deno.test("every parameter and every property says what it is", () => {
  for (const { name, parameters } of operations) {
    const silent = parameters.filter(({ description }) => !description).map(({ name }) => name);
    assert.deepEqual(silent, [], name);
  }
  assert.deepEqual([...silentProperties(document)], []);
});

function* silentProperties(value: unknown, path = ""): Iterable<string> {
  if (typeof value !== "object" || value === null) return;
  const { type, properties } = value as JsonSchema;
  for (const [name, { description }] of Object.entries(type === "object" ? properties ?? {} : {})) {
    if (!description) yield `${path}/${name}`;
  }
  for (const [name, each] of Object.entries(value)) {
    yield* silentProperties(each, `${path}/${name}`);
  }
}

Deno.test("every operation tells its refusals, in one of two shapes", () => {
  for (const { name, security, responses } of operations) {
    const statuses = Object.keys(responses).map(Number);
    assert.ok(statuses.includes(503), name);
    if (security.length > 0) assert.ok(statuses.includes(401) && statuses.includes(403), name);
    if (name.includes("{")) assert.ok(statuses.includes(404), name);
  }
  const shapes = new Set(
    Object.values(document.components.responses).map(({ content }) => JSON.stringify(content)),
  );
  assert.equal(shapes.size, 2);
});

Deno.test("tokens of organizations are named where they are enough, and nowhere else", () => {
  const kinds = new Map(operations.map(({ name, security }) => [name, kindsOf(security)]));
  assert.equal(kinds.get("GET /openapi.json/"), "");
  assert.equal(kinds.get("PUT /issues/{issue}/"), "userToken");
  assert.equal(
    kinds.get("POST /organizations/{organization}/releases/"),
    "userToken organizationToken",
  );
});

function kindsOf(security: ApiOperation["security"]): string {
  return security.flatMap((each) => Object.keys(each)).join(" ");
}

Deno.test("the document tells which parameters an address takes, and which it must have", () => {
  const query = document.paths["/projects/{organization}/{project}/metrics/query/"]?.get;
  const required = query?.parameters.filter((each) => each.required).map(({ name }) => name);
  assert.deepEqual(required, ["organization", "project", "metric"]);
});

Deno.test("an answer that is not as the document says is noticed by the tests of the API", () => {
  const answer = { version: "0", auth: null, user: null };
  checkAnswer("GET", "/api/0/", 200, answer);
  assert.throws(() => checkAnswer("GET", "/api/0/", 200, { ...answer, more: 1 }), /more/);
  assert.throws(() => checkAnswer("GET", "/api/0/", 200, { ...answer, version: 0 }), /version/);
  assert.throws(() => checkAnswer("GET", "/api/0/", 418, answer), /418/);
  assert.throws(() => checkAnswer("GET", "/api/0/", 503, answer), /version/);
});
