import { setIssueStatus } from "../../support/issue_status.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Sql } from "@/lib/store/database.ts";
import { parseIssueSearch } from "@/lib/errors/search/parse.ts";
import { countIssues } from "@/lib/errors/issue_hits.ts";
import {
  findIssue,
  ISSUE_SORTS,
  type IssueQuery,
  type IssueSort,
  listIssues,
} from "@/lib/errors/issues.ts";
import { errorEvent } from "../../support/error_event.ts";
import { testDatabase } from "../../support/database.ts";
import { testWriter } from "../../support/writer.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function ago(ms: number): Date {
  return new Date(Date.now() - ms);
}

function query(fields: Partial<IssueQuery> & { search?: string } = {}): IssueQuery {
  const { search = "", ...rest } = fields;
  const { filter, statuses } = parseIssueSearch(search);
  return {
    projectId: "1",
    filter,
    ...statuses === undefined ? {} : { statuses },
    environments: [],
    releases: [],
    start: ago(14 * DAY_MS),
    end: new Date(Date.now() + 60_000),
    sort: "last_seen",
    cursor: null,
    limit: 100,
    ...rest,
  };
}

async function titles(sql: Sql, fields: Parameters<typeof query>[0] = {}): Promise<string[]> {
  const { rows } = await listIssues(sql, query(fields));
  return rows.map(({ title }) => title.replace("Error: ", "")).sort();
}

/** Stores events of a project; `times` repeats one. */
async function happen(
  sql: Sql,
  projectId: string,
  events: (Parameters<typeof errorEvent>[0] & { times?: number })[],
): Promise<void> {
  await using writer = testWriter(sql);
  await writer.store(
    projectId,
    ...events.flatMap(({ times = 1, ...fields }) =>
      Array.from({ length: times }, () => errorEvent(fields))
    ),
  );
}

Deno.test("listIssues() tells what an issue is and how often it happened in scope", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const now = new Date();
  const at = (ms: number, environment: string, user: string) => ({
    timestamp: new Date(now.getTime() - ms),
    environment,
    user,
  });
  await happen(sql, "1", [
    at(20 * DAY_MS, "production", "id:1"),
    at(3 * DAY_MS, "production", "id:2"),
    at(2 * HOUR_MS, "production", "id:2"),
    at(2 * HOUR_MS, "staging", "id:3"),
    at(0, "production", "id:1"),
  ]);

  const { rows: [row], ...cursors } = await listIssues(sql, query());

  assert.deepEqual(cursors, { nextCursor: null, previousCursor: null });
  assert.ok(row);
  const { id, firstSeen, lastSeen, sparkline, ...rest } = row;
  assert.equal(firstSeen.getTime(), now.getTime() - 20 * DAY_MS);
  assert.equal(lastSeen.getTime(), now.getTime());
  assert.equal(sparkline.length, 24);
  assert.deepEqual([sparkline.at(-1), sparkline.at(-3)], [1, 2]);
  assert.deepEqual(rest, {
    projectId: "1",
    type: "error",
    title: "Error: group",
    culprit: "",
    level: "error",
    platform: "node",
    metadata: { type: "Error", value: "group" },
    status: "unresolved",
    substatus: "new",
    number: 1,
    timesSeen: 5,
    usersSeen: 3,
    firstRelease: "shop@1.0",
    lastRelease: "shop@1.0",
    mergedInto: null,
    countInScope: 4,
  });
  const [inProduction] = (await listIssues(sql, query({ environments: ["production"] }))).rows;
  assert.equal(inProduction?.countInScope, 3);
  assert.equal(inProduction?.sparkline.at(-3), 1);
  const { countInScope: _c, sparkline: _s, ...issue } = row;
  assert.deepEqual(await findIssue(sql, "1", id), issue);
  assert.equal(await findIssue(sql, "2", id), null);
});

Deno.test("listIssues() finds what happened within the scope, of one project", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await happen(sql, "1", [
    { group: "now", release: "2.0" },
    { group: "now in staging", environment: "staging", release: "2.0" },
    { group: "last week", timestamp: ago(7 * DAY_MS) },
    { group: "last month", timestamp: ago(30 * DAY_MS) },
    { group: "both", timestamp: ago(7 * DAY_MS), environment: "staging", release: "1.0" },
    { group: "both", timestamp: ago(HOUR_MS), environment: "production", release: "2.0" },
  ]);
  await happen(sql, "2", [{ group: "of another project" }]);

  const everything = ["both", "last week", "now", "now in staging"];
  assert.deepEqual(await titles(sql), everything);
  for (const sort of ["first_seen", "events", "users"] as const) {
    assert.deepEqual(await titles(sql, { sort }), everything, sort);
  }
  assert.deepEqual(await titles(sql, { start: ago(DAY_MS) }), ["both", "now", "now in staging"]);
  const past = { start: ago(10 * DAY_MS), end: ago(5 * DAY_MS) };
  for (const sort of ["last_seen", "events"] as const) {
    assert.deepEqual(await titles(sql, { ...past, sort }), ["both", "last week"], sort);
    const staged = { ...past, sort, environments: ["staging"] };
    assert.deepEqual(await titles(sql, staged), ["both"], sort);
    const released = { ...past, sort, releases: ["2.0"] };
    assert.deepEqual(await titles(sql, released), [], sort);
  }
  const inStaging = { environments: ["staging"] };
  assert.deepEqual(await titles(sql, inStaging), ["both", "now in staging"]);
  assert.deepEqual(await titles(sql, { ...inStaging, releases: ["2.0"], sort: "events" }), [
    "now in staging",
  ]);
  assert.deepEqual(await titles(sql, { environments: ["none"] }), []);
  assert.deepEqual(await titles(sql, { projectId: "3" }), []);
});

Deno.test("listIssues() finds what the search box asks for", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  await happen(sql, "1", [
    {
      group: "100% of it",
      level: "fatal",
      user: "id:7",
      tags: [["os", "Mac OS"], ["handled", "no"]],
      facts: [["user.email", "ann@b.c"], ["user.ip", "10.0.0.7"], ["error.type", "CauseError"]],
    },
    {
      group: "1000 of it",
      platform: "php",
      release: "3.1",
      tags: [["os", "Linux"]],
      texts: [
        "0the cart has no wheels",
        "1pay\nshop/cart.py\nshop.cart\n/srv/shop/cart.py\n",
        "277",
      ],
      times: 3,
    },
    { group: "old_er", timestamp: ago(9 * DAY_MS), user: "email:a@b.c", traceId },
    { group: "gone", culprit: "In Shop", transaction: "/pay", tags: [["url", "/a\\b*"]] },
  ]);
  const [gone] = (await listIssues(sql, query({ search: "gone" }))).rows;
  await setIssueStatus(sql, "1", [gone?.id ?? ""], "resolved");
  await happen(sql, "1", [{ group: "gone", culprit: "In Shop" }]);

  const cases: Record<string, string[]> = {
    "": ["100% of it", "1000 of it", "gone", "old_er"],
    "OF IT": ["100% of it", "1000 of it"],
    "100%": ["100% of it"],
    "d_e": ["old_er"],
    "in shop": ["gone"],
    "level:fatal": ["100% of it"],
    "!level:fatal platform:node": ["gone", "old_er"],
    'os:"Mac OS"': ["100% of it"],
    "os:*": ["100% of it", "1000 of it"],
    "!has:os": ["gone", "old_er"],
    "os:l*x": ["1000 of it"],
    "os:[Linux, Amiga]": ["1000 of it"],
    "os:Linux OR level:fatal": ["100% of it", "1000 of it"],
    "!(os:Linux OR level:fatal)": ["gone", "old_er"],
    'os:""': ["gone", "old_er"],
    "message:gon": ["gone"],
    "!message:it": ["gone", "old_er"],
    "title:*IT": ["100% of it", "1000 of it"],
    "release:latest": ["1000 of it"],
    "release.version:>=3": ["1000 of it"],
    "release.version:<2": ["100% of it", "gone", "old_er"],
    "release.package:shop": ["100% of it", "gone", "old_er"],
    "release.version:3.*": ["1000 of it"],
    "firstRelease:latest": ["1000 of it"],
    "project:1": ["100% of it", "1000 of it", "gone", "old_er"],
    "project:other": [],
    "is:resolved OR os:Linux": ["1000 of it"],
    "detector:1": [],
    "No Wheels": ["1000 of it"],
    "Shop/Cart.py": ["1000 of it"],
    "!(wheels)": ["100% of it", "gone", "old_er"],
    "stack.function:Pay": ["1000 of it"],
    "stack.function:p*": ["1000 of it"],
    "stack.function:cart": [],
    "stack.module:shop.cart stack.filename:*.py": ["1000 of it"],
    "stack.abs_path:/srv/*": ["1000 of it"],
    "stack.package:x": [],
    "stack.lineno:77": ["1000 of it"],
    "!stack.lineno:77": ["100% of it", "gone", "old_er"],
    "has:stack.module": ["1000 of it"],
    "release:3*": ["1000 of it"],
    "environment:production transaction:/pay": ["gone"],
    'url:"/a\\\\b*"': ["gone"],
    "firstRelease:3.1": ["1000 of it"],
    "timesSeen:>2": ["1000 of it"],
    "usersSeen:1 firstSeen:-24h": ["100% of it"],
    "firstSeen:+24h": ["old_er"],
    "user:id:7": ["100% of it"],
    "user.email:*@b.c": ["100% of it", "old_er"],
    "!user:id:7 !user.email:a@b.c": ["1000 of it", "gone"],
    "user.email:ann@b.c": ["100% of it"],
    "user.email:a*@b.c": ["100% of it", "old_er"],
    "user:ann@b.c": ["100% of it"],
    "ann@b.c": ["100% of it"],
    "a@b.c": ["old_er"],
    "10.0.0.7": ["100% of it"],
    "user.ip:10.0.0.8": [],
    "is:unhandled": ["100% of it"],
    "error.type:CauseError": ["100% of it"],
    "error.type:Error !has:os": ["gone", "old_er"],
    [`trace:${traceId}`]: ["old_er"],
    "is:regressed": ["gone"],
    "is:unresolved !is:regressed": ["100% of it", "1000 of it", "old_er"],
    "is:resolved": [],
  };
  for (const sort of ["last_seen", "events"] as const) {
    for (const [search, expected] of Object.entries(cases)) {
      assert.deepEqual(await titles(sql, { search, sort }), expected, `${search} by ${sort}`);
    }
  }
});

Deno.test("listIssues() and countIssues() answer whatever is typed into the search box", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await happen(sql, "1", [{ group: "some" }]);
  const word = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom(
      "level:error",
      "user:*",
      "has:os",
      "timesSeen:>99999999999",
      "firstSeen:-9999w",
    ),
    fc.constantFrom("'; drop table issues; --", "%", "_", "\\", '"\\"', "os:\\", "a:*\\*"),
  );
  const scope = fc.record({
    environments: fc.array(fc.string({ unit: "binary", maxLength: 5 }), { maxLength: 2 }),
    releases: fc.array(fc.string({ unit: "binary", maxLength: 5 }), { maxLength: 2 }),
    cursor: fc.option(fc.string({ maxLength: 40 })),
    sort: fc.constantFrom<IssueSort>(...ISSUE_SORTS),
  });

  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 5 }), scope, async (words, fields) => {
      const asked = query({ ...fields, search: words.join(" ") });
      const { rows } = await listIssues(sql, asked);
      const counts = await countIssues(sql, asked);
      assert.ok(rows.length <= 1 && counts.resolved === 0);
    }),
    { numRuns: 60 },
  );
});

for (const sort of ISSUE_SORTS) {
  Deno.test(`pages by ${sort} lead through all issues, forth and back`, async () => {
    await using database = await testDatabase();
    const { sql } = database;
    await happen(
      sql,
      "1",
      Array.from({ length: 23 }, (_, i) => ({
        group: `issue ${i}`,
        // Equal values, too: then the id decides.
        timestamp: ago((i % 7) * HOUR_MS),
        times: 1 + i % 4,
        user: i % 3 === 0 ? null : `id:${i}`,
      })),
    );
    const whole = (await listIssues(sql, query({ sort }))).rows.map(({ id }) => id);
    assert.equal(whole.length, 23);

    const forth: string[][] = [];
    let cursor: string | null = null;
    let lastPrevious: string | null = null;
    do {
      const page = await listIssues(sql, query({ sort, cursor, limit: 5 }));
      forth.push(page.rows.map(({ id }) => id));
      assert.equal(page.previousCursor === null, forth.length === 1);
      cursor = page.nextCursor;
      lastPrevious = page.previousCursor;
    } while (cursor !== null);
    const back: string[][] = [];
    cursor = lastPrevious;
    while (cursor !== null) {
      const page = await listIssues(sql, query({ sort, cursor, limit: 5 }));
      back.unshift(page.rows.map(({ id }) => id));
      cursor = page.previousCursor;
    }

    assert.deepEqual(forth.flat(), whole);
    assert.deepEqual(forth.map(({ length }) => length), [5, 5, 5, 5, 3]);
    assert.deepEqual(back, forth.slice(0, -1));
  });
}

Deno.test("issues are sorted by what is going on now, the new before the known", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const at = (days: number, group: string, times: number) => ({
    group,
    times,
    timestamp: ago(days * DAY_MS),
  });
  await happen(sql, "1", [
    at(6, "was loud", 40),
    at(0.01, "known", 8),
    at(13, "known", 1),
    at(0.01, "fresh", 8),
    at(0.01, "quiet", 1),
  ]);
  const { rows } = await listIssues(sql, query({ sort: "trends" }));
  assert.deepEqual(rows.map(({ title }) => title.replace("Error: ", "")), [
    "fresh",
    "known",
    "quiet",
    "was loud",
  ]);
});

Deno.test("the inbox begins with what got its state last", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await happen(sql, "1", ["a", "b", "c"].map((group) => ({ group })));
  await sql`
    update issues set substatus_since = now() - interval '1 hour' * (ascii(right(title, 1)) % 3)
  `;
  const { rows } = await listIssues(sql, query({ sort: "inbox" }));
  assert.deepEqual(rows.map(({ title }) => title.replace("Error: ", "")), ["c", "a", "b"]);
});

Deno.test("the next page by time goes on where the last one ended, whatever arrives meanwhile", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const groups = Array.from({ length: 6 }, (_, i) => ({
    group: `issue ${i}`,
    timestamp: ago(i * HOUR_MS),
  }));
  await happen(sql, "1", groups);
  const sort = "first_seen";

  const first = await listIssues(sql, query({ sort, limit: 3 }));
  await happen(sql, "1", [{ group: "new" }, { group: "issue 5" }]);
  const second = await listIssues(sql, query({ sort, limit: 3, cursor: first.nextCursor }));

  const shown = [...first.rows, ...second.rows].map(({ title }) => title);
  assert.deepEqual(shown, groups.map(({ group }) => `Error: ${group}`));
});

Deno.test("a cursor that is not ours asks for the first page", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await happen(sql, "1", [{ group: "a" }, { group: "b" }]);
  const { nextCursor } = await listIssues(sql, query({ limit: 1 }));
  const first = (await listIssues(sql, query())).rows;

  // No year of Postgres' calendar.
  const yearZero = btoa('[1,"0000-01-01T00:00:00.000Z","3"]').replaceAll("=", "");
  const strange = [
    ...["", "x", "💥", "a".repeat(5_000), btoa("[1]"), btoa('[1,"2","3"]'), "%00", yearZero],
  ];
  for (const cursor of strange) {
    assert.deepEqual((await listIssues(sql, query({ cursor }))).rows, first, cursor);
  }
  // A cursor of another sort is of no use either.
  const page = await listIssues(sql, query({ sort: "users", cursor: nextCursor }));
  assert.equal(page.rows.length, 2);
});

Deno.test("countIssues() counts what listIssues() lists, by status", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await happen(
    sql,
    "1",
    Array.from({ length: 9 }, (_, i) => ({
      group: `issue ${i}`,
      environment: i % 2 === 0 ? "production" : "staging",
    })),
  );
  const ids = (await listIssues(sql, query())).rows.map(({ id }) => id);
  assert.equal(await setIssueStatus(sql, "1", ids.slice(0, 4), "resolved"), 4);
  assert.equal(await setIssueStatus(sql, "1", [...ids.slice(3, 6), "999999"], "ignored"), 3);
  assert.equal(await setIssueStatus(sql, "1", ids.slice(3, 6), "ignored"), 0, "they were already");
  assert.equal(await setIssueStatus(sql, "2", ids, "resolved"), 0, "they are of another project");

  const counts = { unresolved: 3, resolved: 3, ignored: 3, for_review: 3, assigned: 0 };
  assert.deepEqual(await countIssues(sql, query()), counts);
  for (const environment of ["production", "staging"]) {
    const asked = query({ environments: [environment] });
    const { rows } = await listIssues(sql, asked);
    const expected = { unresolved: 0, resolved: 0, ignored: 0 };
    for (const { status } of rows) expected[status]++;
    const { for_review: review, assigned: _, ...counted } = await countIssues(sql, asked);
    assert.deepEqual(counted, expected);
    assert.equal(review, expected.unresolved);
  }
});
