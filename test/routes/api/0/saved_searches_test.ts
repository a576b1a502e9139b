/** Saved, pinned and recent searches by the API. */
import assert from "node:assert/strict";
import { type ActorName, type TestApi, testApi } from "@/test/support/api_people.ts";

interface Search {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly sort: string;
  readonly visibility: string;
  readonly isPinned: boolean;
}

const OF = "/organizations/acme";

function send<T>(
  api: TestApi,
  method: string,
  path: string,
  body?: unknown,
  as: ActorName = "member",
) {
  return api.call<T>(as, `${OF}/${path}/`, { method, ...body === undefined ? {} : { body } });
}

Deno.test("searches are saved, listed, changed and deleted in Sentry's shape", async () => {
  await using api = await testApi();
  const mine = { type: 0, name: "Mine", query: "assigned:me", sort: "recommended" };
  const { status, body } = await send<Search>(api, "POST", "searches", mine);
  assert.equal(status, 200);
  assert.deepEqual({ ...body, id: "", dateCreated: "" }, {
    ...mine,
    id: "",
    sort: "trends",
    visibility: "owner",
    dateCreated: "",
    isGlobal: false,
    isPinned: false,
  });
  const names = async (as: ActorName, search = "") => {
    const { body } = await api.call<Search[]>(as, `${OF}/searches/${search}`);
    return body.map(({ name }) => name);
  };
  assert.deepEqual(await names("member", "?type=0"), ["Mine"]);
  assert.deepEqual(await names("member", "?type=1"), []);
  assert.deepEqual(await names("admin"), []);
  const path = `searches/${body.id}`;
  const shared = { ...mine, name: "Ours", visibility: "organization" };
  assert.equal((await send(api, "PUT", path, shared, "admin")).status, 404);
  assert.equal((await send<Search>(api, "PUT", path, shared)).body.visibility, "organization");
  assert.deepEqual(await names("bootstrap"), ["Ours"]);
  assert.equal((await send<Search>(api, "PUT", path, shared, "admin")).status, 200);
  assert.equal((await send(api, "DELETE", path)).status, 204);
  assert.equal((await send(api, "DELETE", path)).status, 404);
});

Deno.test("a pinned search is listed first, and marked where it is a saved one", async () => {
  await using api = await testApi();
  const list = async () => (await api.call<Search[]>("member", `${OF}/searches/`)).body;
  const pin = { type: 0, query: "is:new", sort: "nonsense" };
  assert.equal((await send(api, "PUT", "pinned-searches", pin)).status, 201);
  const [pinned] = await list();
  assert.deepEqual([pinned?.visibility, pinned?.isPinned, pinned?.sort], [
    "owner_pinned",
    true,
    "date",
  ]);
  await send(api, "POST", "searches", { name: "New ones", query: "is:new" });
  assert.deepEqual((await list()).map(({ name, isPinned }) => [name, isPinned]), [[
    "New ones",
    true,
  ]]);
  assert.deepEqual((await api.call<Search[]>("owner", `${OF}/searches/`)).body, []);
  assert.equal((await send(api, "DELETE", "pinned-searches", { type: 0 })).status, 204);
  assert.deepEqual((await list()).map(({ isPinned }) => isPinned), [false]);
});

Deno.test("recent searches are remembered for whom they are of", async () => {
  await using api = await testApi();
  const search = { type: 0, query: "level:fatal" };
  assert.equal((await send(api, "POST", "recent-searches", search)).status, 201);
  assert.equal((await send(api, "POST", "recent-searches", search)).status, 204);
  await send(api, "POST", "recent-searches", { query: "cart" });
  const recent = async (as: ActorName, params: string) =>
    (await api.call<Search[]>(as, `${OF}/recent-searches/${params}`)).body.map(({ query }) =>
      query
    );
  assert.deepEqual(await recent("member", "?type=0&limit=10"), ["cart", "level:fatal"]);
  assert.deepEqual(await recent("member", "?query=LEVEL"), ["level:fatal"]);
  assert.deepEqual(await recent("owner", ""), []);
  assert.deepEqual(await recent("bootstrap", ""), []);
});

Deno.test("what cannot be kept is refused in words, whatever it is", async () => {
  await using api = await testApi();
  const bodies = [
    {},
    { name: 7, query: "a" },
    { name: "a", query: "x".repeat(1_001) },
    { name: " ", query: "a" },
    { name: "a", query: "a", type: 1 },
    { name: "a", query: "a", visibility: "world" },
    [],
    "nonsense",
  ];
  for (const body of bodies) {
    assert.equal((await send(api, "POST", "searches", body)).status, 400, JSON.stringify(body));
  }
  const odd = { name: "a\0b\ud800", query: "\0is:new\udfff" };
  assert.equal((await send(api, "POST", "searches", odd)).status, 200);
  assert.equal((await send(api, "PUT", "pinned-searches", odd)).status, 201);
  assert.equal((await send(api, "POST", "recent-searches", odd)).status, 201);
  for (const limit of ["0", "1e9", "x"]) {
    const { status } = await api.call("member", `${OF}/recent-searches/?limit=${limit}`);
    assert.equal(status, 400, limit);
  }
  const nul = await api.call("member", `${OF}/recent-searches/?query=%00`);
  assert.equal(nul.status, 200);
});
