import assert from "node:assert/strict";
import { listKeys } from "@/lib/accounts/keys.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { createOrganization } from "../../support/organizations.ts";
import { errorEvent, newEventId } from "../../support/error_event.ts";
import { person } from "../../support/people.ts";
import { gzipSize } from "../../support/rendered.ts";
import { failure, shop } from "../../support/shop.ts";
import { type Answer, textOf } from "../../support/ui_app.ts";

const HOUR_MS = 3_600_000;
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

/** Ids of the issues that a list shows, from the top. */
const listed = ({ html }: Answer) =>
  [...html.matchAll(/class="row-link[^>]*title="Error: ([^"]*)"/g)].map(([, title]) => title);

/** Where the first link with this text leads. */
function linkTo(html: string, pattern: RegExp): string {
  const href = [...html.matchAll(/<a\b[^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs)]
    .find(([whole]) => pattern.test(whole))?.[1];
  assert.ok(href, `There is a link ${pattern}`);
  return href.replaceAll("&amp;", "&");
}

Deno.test("the list shows what broke, how often and where, the latest on top", async () => {
  await using app = await shop();
  await app.store(
    failure("old", { timestamp: ago(30), culprit: "cart.js in total" }),
    failure("new", { timestamp: ago(1), level: "fatal", user: "id:1" }),
    failure("new", { timestamp: ago(2), user: "id:2" }),
  );
  const answer = await app.owner.get(app.path);
  assert.equal(answer.status, 200);
  assert.deepEqual(listed(answer), ["new", "old"]);
  const text = textOf(answer.html);
  assert.match(text, /cart\.js in total/);
  assert.match(text, /fatal/);
  assert.match(text, /2 events ?2 users/);
  assert.match(text, /Showing 1–2 of 2/);
  assert.ok(await gzipSize(answer.html) < 60 * 1024);
});

Deno.test("each order is a link in the table's head", async () => {
  await using app = await shop();
  await app.store(
    failure("often", { timestamp: ago(30) }),
    failure("often", { timestamp: ago(31) }),
    failure("recent", { timestamp: ago(1), user: "id:1" }),
  );
  const { html } = await app.owner.get(app.path);
  assert.match(html, /aria-sort="descending"[^>]*><a[^>]*>Last seen/);
  const sorted = async (by: RegExp) => listed(await app.owner.get(linkTo(html, by)));
  assert.deepEqual(await sorted(/>Events/), ["often", "recent"]);
  assert.deepEqual(await sorted(/>Users/), ["recent", "often"]);
  assert.deepEqual(await sorted(/>First seen/), ["recent", "often"]);
});

Deno.test("a project without any event shows how to send the first one", async () => {
  await using app = await shop();
  const { html } = await app.owner.get(app.path);
  assert.match(textOf(html), /No errors yet.*Install @sentry\/node/);
  assert.equal(linkTo(html, /Open Setup/), `/projects/${app.projectId}/setup`);
});

Deno.test("a search without a match offers to clear it", async () => {
  await using app = await shop();
  await app.store(failure("one"));
  const { html } = await app.owner.get(`${app.path}?query=nothing&range=24h`);
  assert.match(textOf(html), /No issue matches/);
  assert.equal(linkTo(html, /Clear the search/), `${app.path}?range=24h`);
});

Deno.test("the scope narrows the list and goes along to every page of the section", async () => {
  await using app = await shop();
  await app.store(
    failure("here", { environment: "production", release: "web@1" }),
    failure("there", { environment: "staging", release: "web@2" }),
    failure("long ago", { timestamp: ago(24 * 10) }),
  );
  const scope = "environment=production&release=web%401&range=24h";
  const answer = await app.owner.get(`${app.path}?${scope}`);
  assert.deepEqual(listed(answer), ["here"]);
  const issue = linkTo(answer.html, /row-link/);
  assert.ok(issue.endsWith(`?${scope}`), issue);
  const page = await app.owner.get(issue);
  assert.equal(linkTo(page.html, />Issues</), `${app.path}?${scope}`);
  assert.ok(linkTo(page.html, /All events/).endsWith(`?${scope}`));
});

Deno.test("the search takes words and key:value, and lists what it does not understand", async () => {
  await using app = await shop();
  await app.store(
    failure("timeout of redis", { tags: [["browser", "Firefox 145"]] }),
    failure("timeout of postgres", { tags: [["browser", "Chrome 141"]] }),
  );
  const found = async (query: string) =>
    listed(await app.owner.get(`${app.path}?${new URLSearchParams({ query })}`)).sort();
  assert.deepEqual(await found("timeout"), ["timeout of postgres", "timeout of redis"]);
  assert.deepEqual(await found("timeout of redis"), ["timeout of redis"]);
  assert.deepEqual(await found("timeout redis"), [], "bare words are one phrase");
  assert.deepEqual(await found('"timeout" "redis"'), ["timeout of redis"]);
  assert.deepEqual(await found("browser:Firefox* OR postgres"), [
    "timeout of postgres",
    "timeout of redis",
  ]);
  assert.deepEqual(await found("browser:Firefox*"), ["timeout of redis"]);
  assert.deepEqual(await found("!browser:Firefox*"), ["timeout of postgres"]);

  const odd = await app.owner.get(`${app.path}?query=${encodeURIComponent('browser: "open')}`);
  assert.equal(odd.status, 200);
  assert.match(odd.html, /aria-invalid="true"/);
  assert.match(odd.html, /id="issue-search-problems"/);
  assert.match(textOf(odd.html), /No issue matches Something in the search is off/);
});

Deno.test("a key that no event has is named with those near it", async () => {
  await using app = await shop();
  await app.store(failure("timeout", { tags: [["browser", "Firefox 145"]] }));
  const told = async (query: string) => {
    const { html } = await app.owner.get(`${app.path}?${new URLSearchParams({ query })}`);
    return textOf(/<ul id="issue-search-problems".*?<\/ul>/s.exec(html)?.[0] ?? "");
  };
  assert.match(
    await told("brwoser:Firefox"),
    /has the key brwoser; similar ones: browser/,
  );
  assert.match(await told("has:zzzz"), /has the key zzzz/);
  assert.equal(await told("browser:Opera user.email:x level:fatal is:unhandled browser:*"), "");
});

for (const sdk of ["python-2.68.0", "browser-11.12.0", "node-11.12.0"]) {
  Deno.test(`every value on the page of an event of ${sdk} that is a link leads to its issue`, async () => {
    await using app = await shop();
    const keys = await listKeys(app.services.kv, app.projectId);
    const body = await Deno.readFile(
      new URL(`../../fixtures/sentry/${sdk}/unhandled.envelope`, import.meta.url),
    );
    const sent = await app.handle(
      new Request(
        `http://localhost:8000/api/${app.projectId}/envelope/?sentry_key=${keys[0]?.publicKey}`,
        { method: "POST", body },
      ),
    );
    assert.equal(sent.status, 200);
    const { html } = await app.owner.get(linkTo((await app.owner.get(app.path)).html, /row-link/));
    const links = [...html.matchAll(/href="([^"]*\/issues\?[^"]*query=[^"]*)"/g)]
      .map(([, href = ""]) => href.replaceAll("&amp;", "&"));
    const queries = links.map((href) =>
      new URL(href, "http://localhost").searchParams.get("query") ?? ""
    );
    for (const key of ["user.email", "user", "release", "handled", "mechanism", "runtime.name"]) {
      const isThere = queries.some((query) => query.startsWith(`${key}:`));
      assert.ok(isThere || sdk !== "python-2.68.0", `${key} is a link`);
    }
    for (const [place, href] of links.entries()) {
      const list = await app.owner.get(href);
      assert.match(list.html, /class="row-link/, `${queries[place]} finds the issue`);
      assert.doesNotMatch(list.html, /issue-search-problems/, `${queries[place]} is understood`);
    }
  });
}

Deno.test("an event or issue id in the search leads straight to it", async () => {
  await using app = await shop();
  const eventId = newEventId();
  await app.store(failure("one", { eventId }));
  const [, issueId = ""] = linkTo((await app.owner.get(app.path)).html, /row-link/).split(
    "/issues/",
  );
  const jump = async (query: string) =>
    (await app.owner.get(`${app.path}?range=1h&query=${encodeURIComponent(query)}`)).location;
  assert.equal(await jump(eventId), `${app.path}/${issueId}/events/${eventId}?range=1h`);
  assert.equal(await jump(`#${issueId}`), `${app.path}/${issueId}?range=1h`);
  assert.equal(await jump(issueId), `${app.path}/${issueId}?range=1h`);
  assert.equal(await jump(newEventId()), null);
  assert.equal(await jump("#99999"), null);
});

Deno.test("a number that some issue speaks of is searched for and not taken for an id", async () => {
  await using app = await shop();
  await app.store(failure("first"), failure("second"), failure("status 1 is not known"));
  const answer = await app.owner.get(`${app.path}?query=1`);
  assert.equal(answer.location, null);
  assert.deepEqual(listed(answer), ["status 1 is not known"]);
});

Deno.test("chosen issues are resolved together; the list comes back as it was and says so", async () => {
  await using app = await shop();
  await app.store(failure("a"), failure("b"), failure("c"));
  const here = `${app.path}?query=a&range=24h`;
  const { html } = await app.owner.get(app.path);
  const ids = [...html.matchAll(/name="issue" value="(\d+)"/g)].map(([, id]) => id ?? "");
  const [first = "", second = ""] = ids;
  const answer = await app.owner.post(here, [
    ["action", "resolve"],
    ["issue", first],
    ["issue", second],
    ["issue", "nonsense"],
  ]);
  assert.deepEqual([answer.status, answer.location], [303, here]);
  assert.match(textOf((await app.owner.get(app.path)).html), /2 issues resolved\./);
  const resolved = await app.owner.get(`${app.path}?status=resolved`);
  assert.equal(listed(resolved).length, 2);
  assert.match(
    textOf(resolved.html),
    /Unresolved ?1 For review ?1 Assigned to me ?0 Resolved ?2 Archived ?0 All ?3/,
  );
});

Deno.test("the inbox has what nobody has reviewed, and a tab has what is assigned to who looks", async () => {
  await using app = await shop();
  await app.store(failure("a"), failure("b"), failure("c"));
  const tab = async (name: string) => await app.owner.get(`${app.path}?status=${name}`);
  const { html } = await tab("for_review");
  assert.deepEqual(listed({ html } as Answer).sort(), ["a", "b", "c"]);
  const idOf = (group: string) =>
    new RegExp(`issues/(\\d+)[^>]*title="Error: ${group}"`).exec(html)?.[1] ?? "";
  const does = async (fields: Record<string, string>) => {
    await app.owner.post(app.path, fields);
    return textOf((await app.owner.get(app.path)).html);
  };
  assert.match(await does({ action: "review", issue: idOf("a") }), /1 issue reviewed\./);
  assert.match(await does({ action: "review", issue: idOf("a") }), /nothing to review/);
  await does({ action: "assign", assignee: "olga@example.com", issue: idOf("b") });

  const review = await tab("for_review");
  assert.deepEqual(listed(review).sort(), ["b", "c"]);
  assert.match(textOf(review.html), /For review ?2 Assigned to me ?1/);
  assert.deepEqual(listed(await tab("assigned")), ["b"]);
  assert.deepEqual(listed(await app.owner.get(`${app.path}?query=assigned:me`)), ["b"]);
  // What the search says of the status is stronger than the tab.
  assert.deepEqual(listed(await app.owner.get(`${app.path}?status=assigned&query=is:new`)).sort(), [
    "a",
    "b",
    "c",
  ]);
  const empty = await app.owner.get(`${app.path}?status=assigned&query=zzz`);
  assert.match(textOf(empty.html), /No issue matches/);
});

Deno.test("the search box completes people, teams and releases", async () => {
  await using app = await shop();
  await app.store(failure("a", { release: "shop@1.0" }));
  const complete = async (key: string, prefix = "") => {
    const search = new URLSearchParams({ key, prefix });
    return JSON.parse((await app.owner.get(`${app.path}/completions?${search}`)).html);
  };
  assert.deepEqual(await complete("assigned"), [
    "me",
    "my_teams",
    "none",
    "olga@example.com",
    "#everyone",
  ]);
  assert.deepEqual(await complete("assigned", "#e"), ["#everyone"]);
  assert.deepEqual(await complete("bookmarks", "m"), ["me"]);
  assert.deepEqual(await complete("firstRelease"), ["latest", "shop@1.0"]);
  assert.deepEqual(await complete("issue.priority", "h"), ["high"]);
  assert.ok((await complete("is", "for")).includes("for_review"));
});

Deno.test("a form without issues, or with an unknown action, changes nothing and says why", async () => {
  await using app = await shop();
  await app.store(failure("a"));
  const told = async (fields: Record<string, string>) => {
    await app.owner.post(app.path, fields);
    return textOf((await app.owner.get(app.path)).html);
  };
  assert.match(await told({ action: "resolve" }), /Choose at least one issue first\./);
  assert.match(await told({ action: "explode", issue: "1" }), /nothing that can be done/);
  assert.match(await told({ action: "constructor", issue: "1" }), /nothing that can be done/);
  assert.equal(listed(await app.owner.get(app.path)).length, 1);
});

Deno.test("issues of nobody's and of other projects are not told to be resolved", async () => {
  await using app = await shop();
  await app.store(failure("ours"));
  const { sql, writer } = app.services;
  await writer.commit("77", { records: [errorEvent(failure("theirs"))], outcomes: [] });
  const [theirs] = await sql<{ id: string }[]>`select id from issues where project_id = 77`;
  assert.ok(theirs);
  for (const issue of [theirs.id, "999999"]) {
    await app.owner.post(app.path, { action: "resolve", issue });
    const text = textOf((await app.owner.get(app.path)).html);
    assert.match(text, /Nothing changed: this project has no such issue\./, issue);
  }
  const open = await sql`select from issues where status = 'unresolved'`;
  assert.equal(open.count, 2);
});

Deno.test("long lists are read page by page, there and back", async () => {
  await using app = await shop();
  await app.store(
    ...Array.from(
      { length: 55 },
      (_, index) => failure(`n${index}`, { timestamp: ago(1 + index) }),
    ),
  );
  const first = await app.owner.get(app.path);
  assert.match(textOf(first.html), /Showing 1–50 of 55/);
  const second = await app.owner.get(linkTo(first.html, /rel="next"/));
  assert.match(textOf(second.html), /Showing 51–55 of 55/);
  assert.deepEqual(listed(second), ["n50", "n51", "n52", "n53", "n54"]);
  const back = await app.owner.get(linkTo(second.html, /rel="prev"/));
  assert.deepEqual(listed(back), listed(first));
});

Deno.test("the issue page shows its newest event, and leads to all others", async () => {
  await using app = await shop();
  const ids = [newEventId(), newEventId(), newEventId()];
  const [oldest = "", middle = "", newest = ""] = ids;
  await app.store(
    failure("boom", { eventId: oldest, timestamp: ago(3), release: "web@1" }),
    failure("boom", { eventId: middle, timestamp: ago(2) }),
    failure("boom", { eventId: newest, timestamp: ago(1), release: "web@2" }),
  );
  const issue = linkTo((await app.owner.get(app.path)).html, /row-link/);
  const page = await app.owner.get(issue);
  const text = textOf(page.html);
  assert.match(text, /boom.*First seen 3 h ago ?in web@1.*Last seen 1 h ago ?in web@2/);
  assert.match(text, /checkout/);
  const shownId = ({ html }: Answer) => /id="event-id"[^>]*>([^<]*)</.exec(html)?.[1];
  assert.equal(shownId(page), newest);
  assert.doesNotMatch(page.html, /<a[^>]*aria-label="Newer event"/);

  const older = await app.owner.get(linkTo(page.html, /Older event/));
  assert.equal(shownId(older), middle);
  const last = await app.owner.get(linkTo(older.html, /Oldest event/));
  assert.equal(shownId(last), oldest);
  assert.equal(shownId(await app.owner.get(linkTo(last.html, /Newer event/))), middle);
  assert.equal(shownId(await app.owner.get(linkTo(last.html, /Newest event/))), newest);

  const all = await app.owner.get(linkTo(page.html, /All events/));
  const [name = ""] = /<li[^>]*><svg[^>]*>.*?<\/svg><span aria-current="page"[^>]*>([^<]*)</s
    .exec(page.html)?.slice(1) ?? [];
  assert.match(name, /-1$/);
  assert.equal(
    linkTo(all.html, new RegExp(`>${name}<`)),
    issue,
    "by the name that it has elsewhere",
  );
  for (const id of ids) assert.match(all.html, new RegExp(`events/${id}"`));
});

Deno.test("how the stack is shown lives in the URL and goes along to the next event", async () => {
  await using app = await shop();
  await app.store(failure("boom", { timestamp: ago(2) }), failure("boom", { timestamp: ago(1) }));
  const issue = linkTo((await app.owner.get(app.path)).html, /row-link/);
  const page = await app.owner.get(`${issue}?frames=all&order=oldest`);
  assert.match(page.html, /aria-current="true"[^>]*>All frames/);
  assert.match(linkTo(page.html, /Older event/), /\?frames=all&order=oldest$/);
  assert.equal(linkTo(page.html, />In app</), `${issue}?order=oldest#exception`);
});

Deno.test("an issue is resolved from one of its events, and the page stays on that event", async () => {
  await using app = await shop();
  const eventId = newEventId();
  await app.store(failure("boom", { eventId, timestamp: ago(2) }), failure("boom"));
  const issue = linkTo((await app.owner.get(app.path)).html, /row-link/);
  const back = `${issue}/events/${eventId}?range=24h`;
  const { html } = await app.owner.get(back);
  assert.match(html, new RegExp(`<form method="post" action="${issue}"`));
  const answer = await app.owner.post(issue, { action: "resolve", back });
  assert.equal(answer.location, back);
  const text = textOf((await app.owner.get(back)).html);
  assert.match(text, /1 issue resolved\./);
  assert.match(text, /resolved Unresolve/);
  const elsewhere = await app.owner.post(issue, { action: "ignore", back: "//evil.example/" });
  assert.equal(elsewhere.location, issue);
});

Deno.test("a resolved issue that happens again is back and marked", async () => {
  await using app = await shop();
  await app.store(failure("boom", { timestamp: ago(2) }));
  const issue = linkTo((await app.owner.get(app.path)).html, /row-link/);
  await app.owner.post(issue, { action: "resolve" });
  assert.deepEqual(listed(await app.owner.get(app.path)), []);
  await app.store(failure("boom", { timestamp: new Date() }));
  const list = await app.owner.get(app.path);
  assert.deepEqual(listed(list), ["boom"]);
  assert.match(textOf(list.html), /regressed/);
});

Deno.test("the raw event comes as it was stored, and can do nothing in a browser", async () => {
  await using app = await shop();
  const event = failure("<script>alert(1)</script>");
  await app.store(event);
  const issue = linkTo((await app.owner.get(app.path)).html, /row-link/);
  const answer = await app.owner.get(`${issue}/events/latest/json`);
  assert.equal(answer.html, event.payload);
  assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  assert.equal(answer.headers.get("cache-control"), "private, no-store");
  assert.match(answer.headers.get("content-security-policy") ?? "", /sandbox/);
});

Deno.test("values of a tag complete as JSON", async () => {
  await using app = await shop();
  await app.store(
    failure("a", { tags: [["browser", "Firefox 145"]] }),
    failure("b", { tags: [["browser", "Chrome 141"]] }),
  );
  const values = async (query: string) =>
    JSON.parse((await app.owner.get(`${app.path}/completions?${query}`)).html);
  assert.deepEqual(await values("key=browser&prefix=Fire"), ["Firefox 145"]);
  assert.deepEqual((await values("key=browser")).sort(), ["Chrome 141", "Firefox 145"]);
  assert.deepEqual(await values("key=nothing"), []);
  assert.deepEqual(await values("key=is&prefix=re"), ["resolved", "regressed"]);
});

Deno.test("what does not exist in this project is not found, whatever the id looks like", async () => {
  await using app = await shop();
  await app.store(failure("mine"));
  const issue = linkTo((await app.owner.get(app.path)).html, /row-link/);
  const other = await createProject(app.services.kv, {
    organizationId: app.organization.id,
    name: "Other",
    platform: "go",
  });
  const f = async (path: string) => assert.equal((await app.owner.get(path)).status, 404, path);
  await f(issue.replace(app.path, `/projects/${other.id}/issues`));
  await f(`${app.path}/99999`);
  const { html } = await app.owner.get(`${app.path}/99999`);
  assert.match(textOf(html), /There is no such issue in this project/);
  const { html: ofEvent } = await app.owner.get(`${issue}/events/${newEventId()}`);
  assert.match(textOf(ofEvent), /This event does not exist/);
  await f(`${app.path}/${"9".repeat(30)}`);
  await f(`${app.path}/abc`);
  await f(`${app.path}/-1`);
  await f(`${app.path}/1%00`);
  await f(`${issue}/events/nonsense`);
  await f(`${issue}/events/${newEventId()}`);
  await f(`${issue}/events/${newEventId()}/json`);
  await f("/projects/999/issues");
});

Deno.test("viewers read and cannot change; strangers see nothing; nobody is asked to sign in", async () => {
  await using app = await shop();
  await app.store(failure("boom"));
  const issue = linkTo((await app.owner.get(app.path)).html, /row-link/);
  const pages = [
    app.path,
    issue,
    `${issue}/events`,
    `${issue}/events/latest`,
    `${issue}/events/latest/json`,
    `${app.path}/completions?key=level`,
  ];
  const { visitor: viewer } = await app.member("viewer");
  const stranger = app.visitor();
  const { email, id } = await person(app.services.kv, "stranger");
  await createOrganization(app.services.kv, { name: "Elsewhere", ownerId: id });
  await stranger.signIn(email);
  for (const path of pages) {
    const { status, html } = await viewer.get(path);
    assert.equal(status, 200, path);
    assert.doesNotMatch(html, /value="resolve"|name="issue"/, path);
    assert.equal((await stranger.get(path)).status, 404, path);
    const asked = await app.visitor().get(path);
    assert.match(asked.location ?? "", /^\/sign-in\?next=/, path);
  }
  for (const path of [app.path, issue]) {
    const fields = { action: "resolve", issue: "1" };
    assert.equal((await viewer.post(path, fields)).status, 403);
    assert.equal((await stranger.post(path, fields)).status, 404);
  }
  const { visitor: member } = await app.member("member");
  assert.equal((await member.post(issue, { action: "resolve" })).status, 303);
});
