/** Issues as the API tells of them: lists, counts, details, discussion, tags and files. */
import assert from "node:assert/strict";
import { replaceOwners } from "@/lib/errors/ownership/issue_owners.ts";
import { apiApp } from "@/test/support/api_app.ts";
import { attachRemote } from "@/lib/errors/links/link_actions.ts";
import type { ErrorEvent } from "@/lib/records/mod.ts";
import { errorEvent, newEventId } from "@/test/support/error_event.ts";
import { attachmentRecord, feedbackRecord } from "@/test/support/records.ts";
import { type ActorName, ADMIN_TOKEN, type TestApi, testApi } from "@/test/support/api_people.ts";

type Json = Readonly<Record<string, unknown>>;

interface IssueAnswer extends Json {
  readonly id: string;
  readonly title: string;
  readonly shortId: string;
  readonly stats?: Readonly<Record<string, readonly (readonly [number, number])[]>>;
}

interface Entry extends Json {
  readonly id: string;
  readonly type: string;
  readonly user: { readonly id: string } | null;
  readonly data: { readonly text?: string };
}

const LIST = "/organizations/acme/issues/";

async function commit(api: TestApi, ...records: Parameters<typeof errorEvent>[0][]) {
  await api.services.writer.commit(api.project.id, {
    records: records.map(errorEvent),
    outcomes: [],
  });
}

async function list(api: TestApi, search = "", actor: ActorName = "viewer") {
  const answer = await api.call<IssueAnswer[]>(actor, `${LIST}${search}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer;
}

function get<T>(api: TestApi, path: string, actor: ActorName = "viewer") {
  return api.call<T>(actor, path);
}

async function onlyId(api: TestApi): Promise<string> {
  const { body } = await list(api, "?query=");
  return body[0]?.id ?? "";
}

Deno.test("an issue in a list tells what the team made of it", async () => {
  await using api = await testApi();
  await commit(api, { group: "alpha" });
  const id = await onlyId(api);
  await api.call("member", `/issues/${id}/notes/`, { method: "POST", body: { text: "Mine" } });
  await api.call("member", `/issues/${id}/`, {
    method: "PUT",
    body: { assignedTo: "#everyone", priority: "medium", hasSeen: true },
  });
  const linking = { projectId: api.project.id, issueId: id, by: "", userId: null };
  await attachRemote(api.services, linking, "https://example.com/OPS-7");
  const { body: [issue] } = await list(api, "?expand=sentryAppIssues&expand=nothing", "member");
  assert.deepEqual(
    [issue?.numComments, issue?.priority, issue?.hasSeen, issue?.isSubscribed],
    [1, "medium", true, true],
  );
  assert.deepEqual(issue?.assignedTo, { type: "team", id: api.organization.id, name: "everyone" });
  assert.equal((issue?.annotations as Json[])[0]?.url, "https://example.com/OPS-7");
  assert.equal((issue?.sentryAppIssues as Json[])[0]?.webUrl, "https://example.com/OPS-7");
  assert.equal((await list(api)).body[0]?.hasSeen, false, "seen by one is not seen by another");
});

Deno.test("a list leaves out and adds what it is asked to", async () => {
  await using api = await testApi();
  const eventId = newEventId();
  await api.services.writer.commit(api.project.id, {
    records: [errorEvent({ eventId }), attachmentRecord({ eventId })],
    outcomes: [],
  });
  const keys = async (search: string) => Object.keys((await list(api, search)).body[0] ?? {});
  const whole = await keys("");
  for (const name of ["stats", "lifetime", "filtered", "isUnhandled", "title"]) {
    assert.ok(whole.includes(name), name);
  }
  assert.ok(!(await keys("?collapse=unhandled")).includes("isUnhandled"));
  const bare = await keys("?collapse=stats");
  for (const name of ["stats", "lifetime", "filtered"]) assert.ok(!bare.includes(name), name);
  assert.ok(!(await keys("?groupStatsPeriod=")).includes("stats"));
  const { body: [base] } = await get<IssueAnswer[]>(
    api,
    "/organizations/acme/issues-stats/?groups=" + await onlyId(api),
  );
  assert.deepEqual([base?.count, base?.title], ["1", undefined]);
  const { body: [expanded] } = await list(
    api,
    "?expand=inbox&expand=owners&expand=latestEventHasAttachments",
  );
  assert.deepEqual(
    [expanded?.owners, expanded?.latestEventHasAttachments, (expanded?.inbox as Json).reason],
    [[], true, 0],
  );
});

Deno.test("whom rules and commits suggest for an issue is told in lists that ask for it, and of one issue", async () => {
  await using api = await testApi();
  await commit(api, { group: "alpha" }, { group: "beta" });
  const { body } = await list(api, "?query=alpha");
  const id = body[0]?.id ?? "";
  await api.services.sql.begin((tx) =>
    replaceOwners(tx, api.project.id, id, [
      { kind: "user", id: api.owner.id, source: "suspect", reason: "abc1", isTold: true },
      { kind: "team", id: "7", source: "rule", reason: "path:src/* #shop", isTold: true },
    ], new Date())
  );
  const owners = [
    ["suspectCommit", `user:${api.owner.id}`],
    ["ownershipRule", "team:7"],
  ];
  const told = (issue: Json | undefined) =>
    (issue?.owners as Json[] | undefined)?.map(({ type, owner }) => [type, owner]);
  const listed = (await list(api, "?expand=owners")).body;
  assert.deepEqual(listed.filter((issue) => issue.id === id).map(told), [owners]);
  assert.deepEqual(listed.filter((issue) => issue.id !== id).map(told), [[]]);
  assert.equal(told(body[0]), undefined);
  assert.deepEqual(told((await get<Json>(api, `/issues/${id}/`)).body), owners);
});

Deno.test("the sparkline of a list has the hours of a day, the days of two weeks, or those of its range", async () => {
  await using api = await testApi();
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await commit(api, {}, {}, { timestamp: yesterday, receivedAt: yesterday });
  const points = async (search: string) => {
    const [issue] = (await list(api, search)).body;
    const [name, all] = Object.entries(issue?.stats ?? {})[0] ?? ["", []];
    return [name, all.length, all.reduce((sum, [, n]) => sum + n, 0)];
  };
  assert.deepEqual(await points(""), ["24h", 24, 2]);
  assert.deepEqual(await points("?groupStatsPeriod=14d"), ["14d", 14, 3]);
  const [name, length, sum] = await points("?groupStatsPeriod=auto&statsPeriod=48h");
  assert.deepEqual([name, sum], ["auto", 3]);
  assert.ok(Number(length) >= 48 && Number(length) <= 50);
  assert.equal((await get(api, `${LIST}?groupStatsPeriod=1y`)).status, 400);
});

Deno.test("a list tells how many issues there are, warns of unknown orders, and has at most a hundred on a page", async () => {
  await using api = await testApi();
  await commit(api, ...Array.from({ length: 104 }, (_, n) => ({ group: `group ${n}` })));
  const { body, headers } = await list(api, "?limit=10000&sort=great");
  assert.equal(body.length, 100);
  assert.deepEqual([headers.get("x-hits"), headers.get("x-max-hits")], ["104", "1000"]);
  assert.match(headers.get("warning") ?? "", /^299 watchpost/);
  const found = await list(api, "?query=%22group+99%22");
  assert.deepEqual([found.headers.get("x-hits"), found.headers.get("warning")], ["1", null]);
  const counts = await get(
    api,
    "/organizations/acme/issues-count/?query=is:unresolved&query=is:resolved&query=%22group+99%22",
  );
  assert.deepEqual(counts.body, { "is:unresolved": 100, "is:resolved": 0, '"group 99"': 1 });
});

Deno.test("a list of a hundred issues asks the store no more than a list of one", async () => {
  await using api = await testApi();
  await commit(api, ...Array.from({ length: 100 }, (_, n) => ({ group: `group ${n}` })));
  let calls = 0;
  const sql = new Proxy(api.services.sql, {
    apply(target, self, args) {
      calls++;
      return Reflect.apply(target, self, args);
    },
  });
  const send = apiApp({ ...api.services, sql });
  const asked = async (limit: number) => {
    calls = 0;
    const response = await send(`/api/0${LIST}?limit=${limit}&expand=inbox&expand=owners`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    const rows: unknown[] = await response.json();
    assert.equal(rows.length, limit);
    return calls;
  };
  const [few, many] = [await asked(2), await asked(100)];
  assert.ok(many <= few, `${many} for a hundred, ${few} for two`);
});

Deno.test("the id of an event and a short id lead to their issue", async () => {
  await using api = await testApi();
  const eventId = newEventId();
  await commit(api, { eventId, group: "alpha" }, { group: "beta" });
  const { body, headers } = await list(api, `?query=${eventId.toUpperCase()}&project=-1`);
  assert.equal(headers.get("x-sentry-direct-hit"), "1");
  assert.deepEqual(body.map((issue) => [issue.title, issue.matchingEventId]), [
    ["Error: alpha", eventId],
  ]);
  const short = body[0]?.shortId ?? "";
  const named = await list(api, `?query=${short}&shortIdLookup=1`);
  assert.deepEqual([named.body.length, named.headers.get("x-sentry-direct-hit")], [1, "1"]);
  const none = await list(api, `?query=${newEventId()}`);
  assert.deepEqual([none.body, none.headers.get("x-sentry-direct-hit")], [[], null]);
  const group = await list(api, `?group=${body[0]?.id}&query=beta`);
  assert.deepEqual(group.body.map(({ title }) => title), ["Error: alpha"]);
  const found = await get<Json>(api, `/organizations/acme/eventids/${eventId}/`);
  assert.deepEqual(
    [found.body.projectSlug, found.body.groupId, found.body.eventId],
    ["acme-shop", body[0]?.id, eventId],
  );
  assert.equal((await get(api, `/organizations/acme/eventids/${newEventId()}/`)).status, 404);
  assert.equal(
    (await get(api, `/organizations/other/eventids/${eventId}/`, "stranger")).status,
    404,
  );
});

Deno.test("one issue comes with its activity, people, releases, tags and figures", async () => {
  await using api = await testApi();
  await commit(
    api,
    { release: "shop@1.0", tags: [["plan", "gold"]], timestamp: new Date(Date.now() - 1_000) },
    { release: "shop@1.1", tags: [["plan", "free"]] },
  );
  const id = await onlyId(api);
  await api.call("member", `/issues/${id}/`, {
    method: "PUT",
    body: { hasSeen: true, isSubscribed: true, status: "resolved" },
  });
  const { body } = await get<Json>(api, `/issues/${id}/`);
  const activity = body.activity as Entry[];
  assert.deepEqual(activity.map(({ type, user }) => [type, user !== null]), [
    ["set_resolved", true],
    ["first_seen", false],
  ]);
  const names = (people: unknown) => (people as Json[]).map(({ email }) => email);
  assert.deepEqual(names(body.participants), ["member@example.com"]);
  assert.deepEqual(names(body.seenBy), ["member@example.com"]);
  assert.equal((body.firstRelease as Json).version, "shop@1.0");
  assert.equal((body.lastRelease as Json).version, "shop@1.1");
  assert.deepEqual((body.tags as Json[]).find(({ key }) => key === "plan"), {
    key: "plan",
    name: "Plan",
    totalValues: 2,
  });
  const ends = await get<Json>(api, `/issues/${id}/first-last-release/`);
  assert.equal((ends.body.lastRelease as Json).version, "shop@1.1");
  const { body: { currentRelease } } = await get<Json>(api, `/issues/${id}/current-release/`);
  assert.equal(((currentRelease as Json).release as Json).version, "shop@1.1");
  assert.equal((await get(api, `/groups/${id}/`)).status, 200);
  const people = await get<Json[]>(api, `/organizations/acme/issues/${id}/participants/`);
  assert.deepEqual(names(people.body), ["member@example.com"]);
});

Deno.test("people comment, change and delete what they wrote, and nothing of others", async () => {
  await using api = await testApi();
  await commit(api, {});
  const id = await onlyId(api);
  const notes = `/organizations/acme/issues/${id}/notes/`;
  const send = (actor: ActorName, method: string, path: string, text?: unknown) =>
    api.call<Entry>(actor, path, { method, ...text === undefined ? {} : { body: { text } } });
  const first = await send("member", "POST", notes, "It is the **printer**.");
  assert.deepEqual([first.status, first.body.type, first.body.data.text], [
    201,
    "note",
    "It is the **printer**.",
  ]);
  for (const text of ["It is the **printer**.", "  ", undefined, 7, "x".repeat(5_000), "\u0000"]) {
    assert.equal((await send("member", "POST", notes, text)).status, 400, String(text));
  }
  assert.equal((await send("admin", "PUT", `${notes}${first.body.id}/`, "No")).status, 404);
  assert.equal((await send("admin", "DELETE", `${notes}${first.body.id}/`)).status, 404);
  assert.equal((await send("bootstrap", "POST", notes, "Nobody says this")).status, 403);
  assert.equal((await send("member", "POST", notes, "a \ud800 b")).body.data.text, "a \ufffd b");
  const changed = await send("member", "PUT", `${notes}${first.body.id}/`, "It is the ink.");
  assert.equal(changed.body.data.text, "It is the ink.");
  for (const text of ["b", "c"]) await send("admin", "POST", notes, text);
  const page = await get<Entry[]>(api, `${notes}?per_page=2`);
  assert.deepEqual(page.body.map(({ data }) => data.text), ["c", "b"]);
  const cursor = /cursor="(\d+)"$/.exec(page.headers.get("link") ?? "")?.[1];
  const rest = await get<Entry[]>(api, `/issues/${id}/comments/?per_page=2&cursor=${cursor}`);
  assert.deepEqual(rest.body.map(({ data }) => data.text), ["a \ufffd b", "It is the ink."]);
  assert.match(rest.headers.get("link") ?? "", /rel="next"; results="false"/);
  assert.equal((await send("member", "DELETE", `${notes}${first.body.id}/`)).status, 204);
  const { body: { activity } } = await get<{ activity: Entry[] }>(api, `/issues/${id}/activities/`);
  assert.deepEqual(activity.map(({ type }) => type), ["note", "note", "note", "first_seen"]);
  assert.equal(activity.at(-1)?.id, "0");
  for (const note of ["0", "x", "9".repeat(30)]) {
    assert.equal((await send("member", "DELETE", `${notes}${note}/`)).status, 404, note);
  }
});

Deno.test("the activity of an organization is that of its projects, with their issues, page by page", async () => {
  await using api = await testApi();
  await commit(api, { group: "alpha" }, { group: "beta" });
  for (const priority of ["low", "medium"]) {
    await api.call("member", `${LIST}?query=`, { method: "PUT", body: { priority } });
  }
  const path = "/organizations/acme/activity/";
  const read = (search: string) =>
    get<(Entry & { issue: IssueAnswer; project: Json })[]>(api, path + search);
  const { body, headers } = await read("?per_page=3");
  assert.deepEqual(body.map(({ type }) => type), ["set_priority", "set_priority", "set_priority"]);
  assert.ok(body.every(({ issue, project }) => issue.title !== "" && project.slug === "acme-shop"));
  const cursor = /cursor="(\d+)"$/.exec(headers.get("link") ?? "")?.[1];
  assert.equal((await read(`?per_page=3&cursor=${cursor}`)).body.length, 1);
  const { body: other } = await get<Entry[]>(api, "/organizations/other/activity/", "stranger");
  assert.deepEqual(other, []);
});

Deno.test("the tags of an issue are counted by value, alone or together", async () => {
  await using api = await testApi();
  await commit(
    api,
    ...["gold", "gold", "free"].map((value): Partial<ErrorEvent> => ({ tags: [["plan", value]] })),
  );
  const id = await onlyId(api);
  const { body } = await get<Json[]>(api, `/issues/${id}/tags/`);
  assert.deepEqual(body.map(({ key }) => key), ["environment", "level", "plan", "release"]);
  const one = (await get<Json>(api, `/issues/${id}/tags/plan/`)).body;
  assert.deepEqual([one.key, one.name, one.totalValues, one.uniqueValues], ["plan", "Plan", 3, 2]);
  const [top] = one.topValues as Json[];
  assert.deepEqual([top?.value, top?.count], ["gold", 2]);
  assert.match(String(top?.lastSeen), /Z$/);
  const values = async (search: string) =>
    (await get<Json[]>(api, `/issues/${id}/tags/plan/values/${search}`)).body.map(({ value }) =>
      value
    );
  assert.deepEqual(await values("?sort=count"), ["gold", "free"]);
  assert.deepEqual(await values("?query=FR"), ["free"]);
  assert.deepEqual(await values("?sort=count&limit=1&cursor=0:1:0"), ["free"]);
  const release = await get<Json>(api, `/issues/${id}/tags/sentry:release/`);
  assert.equal(release.body.key, "release");
  assert.deepEqual(
    (await get<Json[]>(api, `/issues/${id}/tags/?key=plan&key=level`)).body.length,
    2,
  );
  for (const key of ["nothing", "%00", "__proto__"]) {
    assert.equal((await get(api, `/issues/${id}/tags/${key}/`)).status, 404, key);
  }
});

Deno.test("the events of an issue are searched by their tags, properties and words", async () => {
  await using api = await testApi();
  await commit(
    api,
    { tags: [["plan", "gold"]], release: "shop@1.0", title: "Error: first" },
    { tags: [["plan", "free"]], release: "shop@1.1", title: "Error: second" },
  );
  const id = await onlyId(api);
  for (const full of ["", "&full=true"]) {
    const titles = async (query: string) => {
      const search = `?query=${encodeURIComponent(query)}${full}`;
      const { body } = await get<Json[]>(api, `/issues/${id}/events/${search}`);
      return body.map(({ title }) => title);
    };
    assert.deepEqual(await titles("plan:gold"), ["Error: first"]);
    assert.deepEqual(await titles("release:shop@1.1 OR second"), ["Error: second"]);
    assert.deepEqual(await titles("!plan:gold has:plan"), ["Error: second"]);
    assert.deepEqual((await titles("")).length, 2);
    assert.deepEqual(await titles("plan:none"), []);
  }
  assert.equal((await get(api, `/issues/${id}/events/?query=timestamp:x`)).status, 400);
});

Deno.test("what people wrote about an issue, and the files that came with it, are listed and downloaded", async () => {
  await using api = await testApi();
  const eventId = newEventId();
  const file = attachmentRecord({ eventId, filename: "screen.png" });
  await api.services.objects.put(file.blob.key, new TextEncoder().encode("picture"));
  await api.services.writer.commit(api.project.id, {
    records: [errorEvent({ eventId }), file, feedbackRecord({ eventId, message: "It broke" })],
    outcomes: [],
  });
  const id = await onlyId(api);
  const { body: reports } = await get<Json[]>(api, `/issues/${id}/user-reports/`);
  assert.deepEqual(reports.map(({ comments, eventID }) => [comments, eventID]), [
    ["It broke", eventId],
  ]);
  assert.equal((await get<Json>(api, `/issues/${id}/`)).body.userReportCount, 1);
  const { body: files } = await get<Json[]>(api, `/issues/${id}/attachments/`);
  assert.deepEqual(files.map(({ name, event_id }) => [name, event_id]), [["screen.png", eventId]]);
  const ofEvent = `/projects/acme/acme-shop/events/${eventId}/attachments/`;
  assert.deepEqual((await get<Json[]>(api, ofEvent)).body, files);
  assert.deepEqual((await get(api, `${ofEvent}${files[0]?.id}/`)).body, files[0]);
  assert.equal((await get(api, `${ofEvent}${newEventId()}/`)).status, 404);
});

Deno.test("the figures of an issue are told hour by hour or day by day, of a time that makes sense", async () => {
  await using api = await testApi();
  await commit(api, {}, {});
  const path = `/issues/${await onlyId(api)}/stats/`;
  const { body } = await get<[number, number][]>(api, path);
  assert.ok(body.length === 24 || body.length === 25);
  assert.equal(body.reduce((sum, [, n]) => sum + n, 0), 2);
  const since = Math.floor(Date.now() / 1000) - 7 * 86_400;
  const days = await get<[number, number][]>(api, `${path}?since=${since}&resolution=1d`);
  assert.ok(days.body.length === 7 || days.body.length === 8);
  for (
    const search of ["since=x", "since=-1", "since=1e300", "since=0", "resolution=1y"]
  ) {
    assert.equal((await get(api, `${path}?${search}`)).status, 400, search);
  }
});

Deno.test("what nobody here does is told as JSON", async () => {
  await using api = await testApi();
  await commit(api, {});
  const { status, body } = await get<Json>(api, `/issues/${await onlyId(api)}/autofix/`);
  assert.deepEqual([status, typeof body.detail], [404, "string"]);
});
