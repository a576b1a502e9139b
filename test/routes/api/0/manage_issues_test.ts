import assert from "node:assert/strict";
import { errorEvent, hashOf } from "@/test/support/error_event.ts";
import { type TestApi, testApi } from "@/test/support/api_people.ts";

interface IssueAnswer {
  readonly id: string;
  readonly title: string;
  readonly isPublic: boolean;
  readonly shareId: string | null;
}

const LIST = "/organizations/acme/issues/";

async function withIssues(api: TestApi, ...groups: readonly string[]): Promise<string[]> {
  await api.services.writer.commit(api.project.id, {
    records: groups.map((group) =>
      errorEvent({ group, metadata: { type: "Error", value: group } })
    ),
    outcomes: [],
  });
  const { body } = await api.call<IssueAnswer[]>("owner", `${LIST}?query=`);
  return groups.map((group) => body.find(({ title }) => title === `Error: ${group}`)?.id ?? "");
}

async function titles(api: TestApi): Promise<string[]> {
  const { body } = await api.call<IssueAnswer[]>("owner", `${LIST}?query=`);
  return body.map(({ title }) => title).sort();
}

Deno.test("issues are deleted one by one and by list, by admins only", async () => {
  await using api = await testApi();
  const [a, b] = await withIssues(api, "alpha", "beta", "gamma");
  const del = { method: "DELETE" };
  assert.equal((await api.call("member", `/issues/${a}/`, del)).status, 403);
  assert.equal((await api.call("stranger", `/issues/${a}/`, del)).status, 404);
  assert.equal((await api.call("admin", `/organizations/acme/issues/${a}/`, del)).status, 202);
  assert.equal((await api.call("admin", `/issues/${a}/`)).status, 404);

  assert.equal((await api.call("admin", LIST, del)).status, 400);
  assert.equal((await api.call("member", `${LIST}?id=${b}`, del)).status, 403);
  assert.equal((await api.call("stranger", `${LIST}?id=${b}`, del)).status, 404);
  assert.equal((await api.call("admin", `${LIST}?id=${b}&id=999`, del)).status, 204);
  assert.deepEqual(await titles(api), ["Error: gamma"]);
  const ofProject = "/projects/acme/acme-shop/issues/?query=gamma";
  assert.equal((await api.call("admin", ofProject, del)).status, 204);
  assert.deepEqual(await titles(api), []);
});

Deno.test("a discard stands alone, needs the stronger permission and drops what comes", async () => {
  await using api = await testApi();
  const [a] = await withIssues(api, "alpha", "beta");
  const put = (body: unknown) => ({ method: "PUT", body });
  const path = `${LIST}?id=${a}`;
  assert.equal((await api.call("member", path, put({ discard: true }))).status, 403);
  const both = await api.call("admin", path, put({ discard: true, status: "resolved" }));
  assert.equal(both.status, 400);
  assert.equal((await api.call("admin", path, put({ discard: true }))).status, 204);
  await withIssues(api, "alpha");
  assert.deepEqual(await titles(api), ["Error: beta"]);
});

Deno.test("the groups of an issue are listed and taken out", async () => {
  await using api = await testApi();
  const [a, b] = await withIssues(api, "alpha", "beta");
  await api.call("member", `${LIST}?id=${a}&id=${b}`, { method: "PUT", body: { merge: 1 } });
  const path = `/organizations/acme/issues/${a}/hashes/`;
  const { body } = await api.call<{ id: string; latestEvent: { title: string } }[]>("viewer", path);
  assert.deepEqual(
    body.map(({ id, latestEvent }) => [id, latestEvent.title]).sort(),
    [[hashOf("alpha"), "Error: alpha"], [hashOf("beta"), "Error: beta"]].sort(),
  );
  const out = `${path}?id=${hashOf("beta")}`;
  assert.equal((await api.call("viewer", out, { method: "DELETE" })).status, 403);
  assert.equal((await api.call("member", out, { method: "DELETE" })).status, 202);
  assert.deepEqual(await titles(api), ["Error: alpha", "Error: beta"]);
  assert.equal((await api.call("member", out, { method: "DELETE" })).status, 400);
});

Deno.test("similar issues come with what they have in common", async () => {
  await using api = await testApi();
  const [a, b] = await withIssues(
    api,
    "cannot reach the printer",
    "cannot reach a printer",
    "else",
  );
  const { body } = await api.call<[IssueAnswer, Record<string, number | null>][]>(
    "viewer",
    `/issues/${a}/similar/`,
  );
  assert.deepEqual(body.map(([{ id }]) => id), [b]);
  const scores = body[0]?.[1] ?? {};
  assert.equal(scores["exception:type"], 1);
  assert.ok((scores["exception:message:character-shingles"] ?? 0) > 0.5);
});

Deno.test("an issue is public as long as it has a link, which everybody may follow", async () => {
  await using api = await testApi();
  const [a] = await withIssues(api, "alpha");
  const path = `/organizations/acme/issues/${a}/`;
  const put = (isPublic: boolean) =>
    api.call<IssueAnswer>("member", path, { method: "PUT", body: { isPublic } });
  const first = (await put(true)).body;
  assert.equal(first.isPublic, true);
  const second = (await put(true)).body;
  assert.notEqual(second.shareId, first.shareId);
  const shared = (id: string | null) => api.call<IssueAnswer>("nobody", `/shared/issues/${id}/`);
  assert.equal((await shared(first.shareId)).status, 404);
  const { status, body } = await shared(second.shareId);
  assert.equal(status, 200);
  assert.equal(body.title, "Error: alpha");
  const { body: [listed] } = await api.call<IssueAnswer[]>("viewer", LIST);
  assert.equal(listed?.shareId, second.shareId);
  assert.equal((await put(false)).body.shareId, null);
  assert.equal((await shared(second.shareId)).status, 404);
});
