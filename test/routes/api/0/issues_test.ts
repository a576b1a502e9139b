import assert from "node:assert/strict";
import { apiApp } from "../../../support/api_app.ts";
import { type ActorName, type TestApi, testApi } from "../../../support/api_people.ts";
import { errorEnvelope } from "../../../support/envelopes.ts";
import { authHeader } from "../../../support/test_intake.ts";
import type { World } from "../../../support/ingest_world.ts";

interface IssueAnswer {
  readonly id: string;
  readonly shortId: string;
  readonly title: string;
  readonly status: string;
  readonly count: string;
  readonly project: { id: string; slug: string };
  readonly permalink: string;
  readonly stats?: { "24h": [number, number][] };
}

interface EventAnswer {
  readonly eventID: string;
  readonly groupID: string;
  readonly projectID: string;
  readonly title: string;
  readonly entries: { type: string; data: { values: { type: string }[] } }[];
  readonly tags: { key: string; value: string }[];
  readonly nextEventID: string | null;
  readonly previousEventID: string | null;
}

/** Sends an error to a world's project and returns its event id. */
async function report(api: TestApi, message: string, world: World = api): Promise<string> {
  const { eventId, body } = errorEnvelope(message);
  const response = await apiApp(api.services)(`/api/${world.project.id}/envelope/`, {
    method: "POST",
    headers: authHeader(world.serverKey),
    // The type decides about the group, so each message gets an issue of its own.
    body: body.replaceAll("PrinterError", `${message.replaceAll(" ", "")}Error`),
  });
  assert.equal(response.status, 200);
  await response.body?.cancel();
  return eventId;
}

async function issues(
  api: TestApi,
  search = "",
  actor: ActorName = "viewer",
): Promise<IssueAnswer[]> {
  const { status, body } = await api.call<IssueAnswer[]>(
    actor,
    `/projects/acme/acme-shop/issues/${search}`,
  );
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function onlyIssue(api: TestApi): Promise<IssueAnswer> {
  const [issue] = await issues(api);
  assert.ok(issue);
  return issue;
}

Deno.test("issues are listed as Sentry's clients expect them", async () => {
  await using api = await testApi();
  await report(api, "Out of paper");
  await report(api, "Out of paper");
  const issue = await onlyIssue(api);
  assert.equal(issue.title, "OutofpaperError: Out of paper");
  assert.equal(issue.count, "2");
  assert.equal(issue.status, "unresolved");
  assert.equal(issue.shortId, `ACME-SHOP-${issue.id}`);
  assert.deepEqual([issue.project.id, issue.project.slug], [api.project.id, "acme-shop"]);
  assert.equal(
    issue.permalink,
    `http://localhost:8000/projects/${api.project.id}/issues/${issue.id}`,
  );
  assert.equal(issue.stats?.["24h"].length, 24);
  assert.equal(issue.stats?.["24h"].at(-1)?.[1], 2);
});

Deno.test("issues are listed through the organization, for one project at a time", async () => {
  await using api = await testApi();
  await report(api, "One");
  const list = (search: string) =>
    api.call<IssueAnswer[]>("viewer", `/organizations/acme/issues/${search}`);
  for (const search of ["", "?project=-1", `?project=${api.project.id}`, "?project=acme-shop"]) {
    const { status, body } = await list(search);
    assert.equal(status, 200, search);
    assert.deepEqual(body.map(({ title }) => title), ["OneError: One"], search);
  }
  assert.equal((await list(`?project=${api.otherWorld.project.id}`)).status, 404);
  assert.equal((await list("?project=1&project=2")).status, 400);
});

Deno.test("issues are searched, filtered and sorted", async () => {
  await using api = await testApi();
  await report(api, "Ink");
  await report(api, "Paper");
  await report(api, "Ink");
  const titles = async (search: string) => (await issues(api, search)).map(({ title }) => title);
  assert.deepEqual(await titles("?query=paper"), ["PaperError: Paper"]);
  assert.deepEqual(await titles("?query=nothing"), []);
  assert.deepEqual(await titles("?sort=freq"), ["InkError: Ink", "PaperError: Paper"]);
  assert.deepEqual(await titles("?sort=new"), ["PaperError: Paper", "InkError: Ink"]);
  assert.deepEqual(await titles("?environment=nowhere"), []);
  assert.deepEqual(await titles("?statsPeriod=24h&query=ink"), ["InkError: Ink"]);
  assert.equal(
    (await api.call("viewer", "/projects/acme/acme-shop/issues/?statsPeriod=x")).status,
    400,
  );
});

Deno.test("a list goes on where its Link header says, and back", async () => {
  await using api = await testApi();
  for (const message of ["A", "B", "C"]) await report(api, message);
  const path = "/projects/acme/acme-shop/issues/?limit=2&sort=new";
  const first = await api.call<IssueAnswer[]>("viewer", path);
  assert.deepEqual(first.body.map(({ title }) => title), ["CError: C", "BError: B"]);
  const { next, previous } = linksOf(first.headers);
  assert.equal(previous?.results, "false");
  assert.equal(next?.results, "true");
  const second = await api.call<IssueAnswer[]>("viewer", pathOf(next?.url));
  assert.deepEqual(second.body.map(({ title }) => title), ["AError: A"]);
  assert.equal(linksOf(second.headers).next?.results, "false");
  const back = await api.call<IssueAnswer[]>(
    "viewer",
    pathOf(linksOf(second.headers).previous?.url),
  );
  assert.deepEqual(back.body, first.body);
});

function linksOf(
  headers: Headers,
): Record<string, { url: string; results: string; cursor: string }> {
  const links = (headers.get("link") ?? "").matchAll(
    /<([^>]*)>; rel="(\w+)"; results="(\w+)"; cursor="([^"]*)"/g,
  );
  return Object.fromEntries(
    [...links].map((
      [, url = "", rel = "", results = "", cursor = ""],
    ) => [rel, { url, results, cursor }]),
  );
}

function pathOf(url = ""): string {
  const { pathname, search } = new URL(url);
  return pathname.replace("/api/0", "") + search;
}

Deno.test("an issue is read and its status changed", async () => {
  await using api = await testApi();
  await report(api, "Out of paper");
  const { id } = await onlyIssue(api);
  for (const path of [`/issues/${id}/`, `/organizations/acme/issues/${id}/`]) {
    const { status, body } = await api.call<IssueAnswer>("viewer", path);
    assert.equal(status, 200);
    assert.equal(body.id, id);
    for (
      const [sent, stored] of [["resolved", "resolved"], ["ignored", "ignored"], [
        "resolvedInNextRelease",
        "resolved",
      ], ["unresolved", "unresolved"]]
    ) {
      const changed = await api.call<IssueAnswer>("member", path, {
        method: "PUT",
        body: { status: sent },
      });
      assert.equal(changed.status, 200);
      assert.equal(changed.body.status, stored);
    }
  }
  const wrong = await api.call("member", `/issues/${id}/`, {
    method: "PUT",
    body: { status: "gone" },
  });
  assert.equal(wrong.status, 400);
});

Deno.test("an issue of somebody else is not found, by whatever address", async () => {
  await using api = await testApi();
  await report(api, "Secret", api.otherWorld);
  const [secret] =
    (await api.call<IssueAnswer[]>("stranger", "/projects/other/other-shop/issues/")).body;
  assert.ok(secret);
  for (
    const path of [
      `/issues/${secret.id}/`,
      `/organizations/acme/issues/${secret.id}/`,
      `/issues/${secret.id}/events/`,
      `/issues/${secret.id}/events/latest/`,
    ]
  ) {
    assert.equal((await api.call("owner", path)).status, 404, path);
  }
  assert.equal(
    (await api.call("bootstrap", `/organizations/acme/issues/${secret.id}/`)).status,
    404,
  );
  assert.equal((await api.call("bootstrap", `/issues/${secret.id}/`)).status, 200);
  for (const id of ["0", "999999999", "abc", "1;drop", "9".repeat(40)]) {
    assert.equal((await api.call("owner", `/issues/${id}/`)).status, 404, id);
  }
});

Deno.test("many issues are changed at once, by id or by search", async () => {
  await using api = await testApi();
  for (const message of ["A", "B", "C"]) await report(api, message);
  const path = "/projects/acme/acme-shop/issues/";
  const put = (search: string, body: unknown) =>
    api.call("member", path + search, { method: "PUT", body });
  const [first, second] = await issues(api, "?sort=new");
  const byId = await put(`?id=${first?.id}&id=${second?.id}`, { status: "resolved" });
  assert.equal(byId.status, 200);
  assert.deepEqual(byId.body, { status: "resolved", statusDetails: {} });
  assert.deepEqual((await issues(api)).map(({ title }) => title), ["AError: A"]);
  assert.equal((await put("?status=resolved", { status: "ignored" })).status, 200);
  assert.equal((await issues(api, "?query=is:ignored")).length, 2);
  assert.equal((await put("?query=nothing", { status: "resolved" })).status, 204);
});

Deno.test("a bulk update changes no issue of another project", async () => {
  await using api = await testApi();
  await report(api, "Secret", api.otherWorld);
  const path = "/projects/other/other-shop/issues/";
  const [secret] = (await api.call<IssueAnswer[]>("stranger", path)).body;
  await api.call("owner", `/projects/acme/acme-shop/issues/?id=${secret?.id}`, {
    method: "PUT",
    body: { status: "resolved" },
  });
  assert.equal((await api.call<IssueAnswer[]>("stranger", path)).body[0]?.status, "unresolved");
});

Deno.test("the events of an issue are listed, and found by id, latest and oldest", async () => {
  await using api = await testApi();
  const oldest = await report(api, "A");
  const latest = await report(api, "A");
  const { id } = await onlyIssue(api);
  const list = await api.call<EventAnswer[]>("viewer", `/issues/${id}/events/`);
  assert.deepEqual(list.body.map(({ eventID }) => eventID), [latest, oldest]);
  const read = async (name: string) =>
    (await api.call<EventAnswer>("viewer", `/issues/${id}/events/${name}/`)).body;
  assert.equal((await read("latest")).eventID, latest);
  assert.equal((await read("recommended")).eventID, latest);
  const first = await read("oldest");
  assert.equal(first.eventID, oldest);
  assert.deepEqual([first.groupID, first.projectID], [id, api.project.id]);
  assert.deepEqual([first.nextEventID, first.previousEventID], [latest, null]);
  assert.deepEqual(first.entries.map(({ type }) => type), ["exception"]);
  assert.equal(first.entries[0]?.data.values[0]?.type, "AError");
  assert.equal((await read(oldest)).eventID, oldest);
  assert.equal((await api.call("viewer", `/organizations/acme/issues/${id}/events/`)).status, 200);
});

Deno.test("an event is found through its project, whatever the spelling of its id", async () => {
  await using api = await testApi();
  const eventId = await report(api, "A");
  const hyphenated = eventId.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  for (const name of [eventId, eventId.toUpperCase(), hyphenated]) {
    const { status, body } = await api.call<EventAnswer>(
      "viewer",
      `/projects/acme/acme-shop/events/${name}/`,
    );
    assert.equal(status, 200, name);
    assert.equal(body.eventID, eventId);
  }
  for (const name of ["latest", "0".repeat(32), "x", "'"]) {
    assert.equal(
      (await api.call("viewer", `/projects/acme/acme-shop/events/${name}/`)).status,
      404,
    );
  }
});

Deno.test("an event of another issue or project is not found", async () => {
  await using api = await testApi();
  const other = await report(api, "B");
  const secret = await report(api, "Secret", api.otherWorld);
  await report(api, "A");
  const [a] = await issues(api, "?query=AError");
  for (const eventId of [other, secret]) {
    assert.equal((await api.call("viewer", `/issues/${a?.id}/events/${eventId}/`)).status, 404);
  }
  assert.equal(
    (await api.call("viewer", `/projects/acme/acme-shop/events/${secret}/`)).status,
    404,
  );
});

Deno.test("PUT merges the issues that the ids name, and old ids lead to the whole", async () => {
  await using api = await testApi();
  await report(api, "Out of paper");
  await report(api, "Out of paper");
  await report(api, "Out of ink");
  const [one, other] = await issues(api);
  const path = `/projects/acme/acme-shop/issues/?id=${one?.id}&id=${other?.id}`;
  const { status, body } = await api.call<{ merge: { parent: string; children: string[] } }>(
    "member",
    path,
    { method: "PUT", body: { merge: 1 } },
  );
  assert.equal(status, 200);
  const { parent, children: [child] } = body.merge;
  assert.deepEqual([parent, child].sort(), [one?.id, other?.id].sort());
  assert.equal((await issues(api)).length, 1);
  const { body: whole } = await api.call<IssueAnswer>("viewer", `/issues/${child}/`);
  assert.equal(whole.id, parent);
  assert.equal(whole.count, "3");
});
