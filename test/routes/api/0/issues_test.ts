import assert from "node:assert/strict";
import { listKeys } from "@/lib/accounts/keys.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { apiApp } from "@/test/support/api_app.ts";
import { type ActorName, type TestApi, testApi } from "@/test/support/api_people.ts";
import { errorEnvelope } from "@/test/support/envelopes.ts";
import { authHeader } from "@/test/support/test_intake.ts";
import type { World } from "@/test/support/ingest_world.ts";

interface IssueAnswer {
  readonly id: string;
  readonly shortId: string;
  readonly title: string;
  readonly status: string;
  readonly count: string;
  readonly project: { id: string; slug: string };
  readonly permalink: string;
  readonly metadata: Record<string, string>;
  readonly isUnhandled: boolean;
  readonly lifetime?: { count: string };
  readonly stats?: { "24h": [number, number][]; "30d"?: [number, number][] };
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
async function report(
  api: TestApi,
  message: string,
  world: World = api,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const { eventId, body } = errorEnvelope(message, fields);
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
  assert.equal(issue.shortId, "ACME-SHOP-1");
  assert.deepEqual([issue.project.id, issue.project.slug], [api.project.id, "acme-shop"]);
  assert.equal(
    issue.permalink,
    `http://localhost:8000/projects/${api.project.id}/issues/${issue.id}`,
  );
  assert.equal(issue.stats?.["24h"].length, 24);
  assert.equal(issue.stats?.["24h"].at(-1)?.[1], 2);
});

Deno.test("issues are listed through the organization, of one project or of all", async () => {
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
  assert.equal((await list("?project=1&project=2")).status, 404);

  const second = await secondWorld(api);
  await report(api, "Two", second);
  await report(api, "Three");
  const inBoth = ["ThreeError: Three", "TwoError: Two", "OneError: One"];
  const titles = (issues: readonly IssueAnswer[]) => issues.map(({ title }) => title);
  const named = `?project=${api.project.id}&project=${second.project.id}`;
  for (const search of ["?sort=new", "?project=-1&sort=new", `${named}&sort=new`]) {
    assert.deepEqual(titles((await list(search)).body), inBoth, search);
  }
  assert.deepEqual((await list("?sort=new")).body[1]?.project.slug, second.project.slug);
  const page = await list("?sort=new&limit=2");
  assert.deepEqual(titles(page.body), inBoth.slice(0, 2));
  const rest = await api.call<IssueAnswer[]>("viewer", pathOf(linksOf(page.headers).next?.url));
  assert.deepEqual(titles(rest.body), inBoth.slice(2));
  const back = pathOf(linksOf(rest.headers).previous?.url);
  assert.deepEqual(titles((await api.call<IssueAnswer[]>("viewer", back)).body), titles(page.body));

  const [three, two] = page.body;
  const update = (body: unknown) =>
    api.call("member", `/organizations/acme/issues/?id=${three?.id}&id=${two?.id}`, {
      method: "PUT",
      body,
    });
  assert.equal((await update({ merge: true })).status, 400);
  assert.equal((await update({ status: "resolved" })).status, 200);
  assert.deepEqual(titles((await list("")).body), ["OneError: One"]);
});

/** Another project of the same organization. */
async function secondWorld(api: TestApi): Promise<World> {
  const { kv } = api.services;
  const organizationId = api.organization.id;
  const project = await createProject(kv, { organizationId, name: "Depot", platform: "node" });
  const key = (await listKeys(kv, project.id)).find(({ type }) => type === "server");
  assert.ok(key);
  return { ...api, project, serverKey: key.publicKey };
}

Deno.test("an issue counts the events of the environments and the time that are asked for", async () => {
  await using api = await testApi();
  await report(api, "Ink", api, { environment: "production" });
  await report(api, "Ink", api, { environment: "production" });
  await report(api, "Ink", api, { environment: "staging" });
  const counts = async (search: string) => {
    const [listed] = await issues(api, search);
    const { body: one } = await api.call<IssueAnswer>("viewer", `/issues/${listed?.id}/${search}`);
    return [listed?.count, one.count, listed?.lifetime?.count];
  };
  assert.deepEqual(await counts(""), ["3", "3", "3"]);
  assert.deepEqual(await counts("?environment=production"), ["2", "2", "3"]);
  assert.deepEqual(await counts("?environment=staging&statsPeriod=24h"), ["1", "1", "3"]);
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
  await report(api, "Out of paper", api, { release: "shop@1.0" });
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
  assert.deepEqual(byId.body, { status: "resolved", statusDetails: {}, substatus: null });
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
  for (const list of ["/projects/acme/acme-shop/issues/", "/organizations/acme/issues/"]) {
    const body = { status: "resolved" };
    const answer = await api.call("owner", `${list}?id=${secret?.id}`, { method: "PUT", body });
    assert.equal(answer.status, 204, list);
  }
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

Deno.test("events and issues have the shape that Sentry's clients read", async () => {
  await using api = await testApi();
  const tags = { browser: "curl 7.88.1" };
  const user = { id: 7, email: "ann@example.com" };
  const mechanism = { type: "generic", handled: false };
  const error = await report(api, "Ink", api, {
    tags,
    user,
    exception: {
      values: [{
        type: "InkError",
        value: "Ink",
        mechanism,
        stacktrace: { frames: [{ function: "print", filename: "printer.js", in_app: true }] },
      }],
    },
  });
  const message = await report(api, "Paper is low", api, {
    exception: undefined,
    message: "Paper is low",
  });
  const [ofMessage, ofError] = await issues(api, "?sort=new");
  assert.deepEqual([ofMessage?.metadata, ofMessage?.isUnhandled], [
    { title: "Paper is low" },
    false,
  ]);
  assert.deepEqual([ofError?.metadata, ofError?.isUnhandled], [
    { type: "InkError", value: "Ink", filename: "printer.js", function: "print" },
    true,
  ]);
  const read = async (path: string) => (await api.call<EventShape>("viewer", path)).body;
  const whole = await read(`/projects/acme/acme-shop/events/${error}/`);
  const { body: [listed] } = await api.call<EventShape[]>(
    "viewer",
    `/issues/${ofError?.id}/events/`,
  );
  const { body: [full] } = await api.call<EventShape[]>(
    "viewer",
    `/issues/${ofError?.id}/events/?full=true`,
  );
  assert.deepEqual(full, { ...whole, nextEventID: null, previousEventID: null });
  for (const event of [whole, listed]) {
    const browser = event?.tags.find(({ key }) => key === "browser");
    assert.deepEqual(browser, { key: "browser", value: "curl 7.88.1" });
    assert.ok(event?.tags.every(({ value }) => typeof value === "string"));
    assert.equal(event?.user.id, "7");
    assert.equal(event?.user.username, null);
  }
  assert.equal(whole.user.email, "ann@example.com");
  assert.equal(whole.location, "printer.js");
  assert.deepEqual(whole._meta.tags, {});
  assert.equal(whole._meta.message, null);
  assert.match(whole.groupingConfig.id, /^watchpost:\d+$/);
  assert.match(whole.fingerprints[0] ?? "", /^[0-9a-f]{32}$/);
  assert.match(whole.dateCreated, /Z$/);
  const text = await read(`/projects/acme/acme-shop/events/${message}/`);
  assert.deepEqual([text.metadata, text.location], [{ title: "Paper is low" }, null]);
  const { body: detail } = await api.call<IssueAnswer>("viewer", `/issues/${ofError?.id}/`);
  assert.equal(detail.stats?.["30d"]?.reduce((sum, [, count]) => sum + count, 0), 1);
});

/** What Grafana's plugin, sentry-mcp and the command-line tools read of an event. */
interface EventShape {
  readonly tags: readonly { readonly key: string; readonly value: string }[];
  readonly user: Readonly<Record<string, string | null>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly location: string | null;
  readonly groupingConfig: { readonly id: string };
  readonly fingerprints: readonly string[];
  readonly dateCreated: string;
  readonly _meta: Readonly<Record<string, unknown>>;
}

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
