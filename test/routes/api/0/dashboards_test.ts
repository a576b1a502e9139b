import assert from "node:assert/strict";
import { toDocument } from "@/lib/dashboards/document.ts";
import { EVERYTHING } from "@/test/lib/dashboards/panels.ts";
import { testApi } from "@/test/support/api_people.ts";

const PATH = "/projects/acme/acme-shop/dashboards/";
const DOCUMENT = toDocument({ name: "All", content: EVERYTHING });

interface Answer {
  readonly id: string;
  readonly title: string;
  readonly version: number;
  readonly panelCount: number;
  readonly dashboard: unknown;
  readonly detail?: string;
}

Deno.test("a dashboard is made, read, changed and deleted by the API", async () => {
  await using api = await testApi();
  const made = await api.call<Answer>("member", PATH, {
    method: "POST",
    body: { dashboard: DOCUMENT },
  });
  assert.equal(made.status, 201);
  assert.deepEqual(made.body.dashboard, DOCUMENT);
  const one = `${PATH}${made.body.id}/`;
  const changed = await api.call<Answer>("member", one, {
    method: "PUT",
    body: { version: 1, dashboard: { ...DOCUMENT, name: "Less", panels: [] } },
  });
  assert.deepEqual([changed.status, changed.body.version], [200, 2]);
  const listed = await api.call<Answer[]>("viewer", PATH);
  assert.deepEqual(listed.body.map(({ title, panelCount }) => [title, panelCount]), [["Less", 0]]);
  assert.equal((await api.call<Answer>("viewer", one)).body.version, 2);
  assert.equal((await api.call("member", one, { method: "DELETE" })).status, 204);
  assert.equal((await api.call("viewer", one)).status, 404);
});

Deno.test("a change of an older version is refused with the present one", async () => {
  await using api = await testApi();
  const init = { method: "POST", body: { dashboard: DOCUMENT } };
  const { body: { id } } = await api.call<Answer>("member", PATH, init);
  const change = { method: "PUT", body: { version: 1, dashboard: DOCUMENT } };
  assert.equal((await api.call("member", `${PATH}${id}/`, change)).status, 200);
  const late = await api.call<Answer>("member", `${PATH}${id}/`, change);
  assert.equal(late.status, 409);
  assert.match(late.body.detail ?? "", /at version 2, not 1/);
});

Deno.test("what is no dashboard is told in sentences", async () => {
  await using api = await testApi();
  const send = async (body: unknown) => {
    const answer = await api.call("member", PATH, { method: "POST", body });
    assert.equal(answer.status, 400, JSON.stringify(body));
    return JSON.stringify(answer.body);
  };
  assert.match(await send({}), /This field is required/);
  assert.match(await send({ dashboard: { ...DOCUMENT, name: "" } }), /name must not be empty/);
  assert.match(await send({ dashboard: [] }), /The dashboard is wrong/);
  assert.match(await send({ dashboard: { ...DOCUMENT, extra: 1 } }), /mean nothing here/);
  const other = await api.call("stranger", PATH);
  assert.equal(other.status, 404);
});
