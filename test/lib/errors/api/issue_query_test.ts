import assert from "node:assert/strict";
import { ApiError } from "@/lib/api/route.ts";
import { readInterval, readLimit } from "@/lib/api/lists.ts";
import { readIssueQuery, sortWarning } from "@/lib/errors/api/issue_query.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
const RETENTION_DAYS = 90;

function query(search: string) {
  return readIssueQuery(new URLSearchParams(search), RETENTION_DAYS, NOW);
}

function interval(search: string): [start: string, end: string] {
  const { start, end } = readInterval(new URLSearchParams(search), RETENTION_DAYS, NOW);
  return [start.toISOString(), end.toISOString()];
}

Deno.test("readIssueQuery() lists unresolved issues, newest first, unless told otherwise", () => {
  const { start: _, end: __, ...rest } = query("");
  assert.deepEqual(rest, {
    filter: { kind: "and", nodes: [] },
    statuses: ["unresolved"],
    environments: [],
    releases: [],
    sort: "last_seen",
    cursor: null,
    limit: 25,
  });
});

Deno.test("readIssueQuery() lists all statuses for an empty query", () => {
  assert.equal(query("query=").statuses, undefined);
  assert.deepEqual(query("query=is:resolved").statuses, ["resolved"]);
  assert.deepEqual(query("query=&status=ignored").statuses, ["ignored"]);
});

Deno.test("readIssueQuery() understands Sentry's words for the orders, and lists the newest first for others", () => {
  const sorts = ["date", "new", "inbox", "freq", "recommended", "user"]
    .map((name) => query(`sort=${name}`).sort);
  assert.deepEqual(sorts, ["last_seen", "first_seen", "inbox", "events", "trends", "users"]);
  for (const name of ["age", "__proto__", "constructor", ""]) {
    assert.equal(query(`sort=${name}`).sort, "last_seen", name);
  }
});

Deno.test("sortWarning() tells of an order that there is none of, and never repeats what a client sent", () => {
  const warning = (search: string) => sortWarning(new URLSearchParams(search));
  assert.equal(warning("sort=freq"), null);
  assert.equal(warning(""), null);
  assert.match(warning("sort=%0d%0aset-cookie:x") ?? "", /^299 watchpost "Unknown sort[^\r\n]*"$/);
});

Deno.test("readIssueQuery() takes the words of older clients for archived issues", () => {
  assert.deepEqual(query("query=&status=muted").statuses, ["ignored"]);
  assert.equal(query("query=&status=gone").statuses, undefined);
});

Deno.test("readIssueQuery() takes several environments and a cursor", () => {
  const { environments, cursor } = query("environment=a&environment=b&environment=&cursor=xyz");
  assert.deepEqual(environments, ["a", "b"]);
  assert.equal(cursor, "xyz");
});

Deno.test("readIssueQuery() refuses a query that it does not understand, naming the part", () => {
  assert.throws(() => query(`query=${encodeURIComponent("is:great")}`), /is:great/);
});

Deno.test("readInterval() takes a period back from now", () => {
  const [start, end] = interval("statsPeriod=24h");
  assert.equal(start, "2026-11-19T12:00:00.000Z");
  assert.ok(
    end > NOW.toISOString(),
    "clocks that go ahead by a minute are no reason to hide an event",
  );
  assert.equal(interval("statsPeriod=2w")[0], "2026-11-06T12:00:00.000Z");
});

Deno.test("readInterval() takes a start and an end, in UTC unless they say otherwise", () => {
  assert.deepEqual(interval("start=2026-11-01T10:00:00&end=2026-11-02T10:00:00%2B02:00"), [
    "2026-11-01T10:00:00.000Z",
    "2026-11-02T08:00:00.000Z",
  ]);
});

Deno.test("readInterval() never goes back behind the retention", () => {
  assert.deepEqual(interval("start=1990-01-01"), interval(""));
  assert.deepEqual(interval("statsPeriod=9999d"), interval(""));
});

Deno.test("readInterval() ends a day from now at most, and begins before", () => {
  assert.deepEqual(interval("end=9999-12-31T23:59:59Z"), interval(""));
  assert.throws(() => interval("start=2999-01-01&end=2999-02-01"), ApiError);
});

Deno.test("readInterval() refuses what is no period and no date", () => {
  for (const search of ["statsPeriod=x", "statsPeriod=0d", "statsPeriod=5", "start=x", "end=?"]) {
    assert.throws(() => interval(search), ApiError, search);
  }
  assert.throws(() => interval("start=2026-11-02&end=2026-11-01"), ApiError);
});

Deno.test("readLimit() keeps pages between 1 and 100 rows", () => {
  const limits = ["10", "0", "-5", "1000", "x", "", "2.7", null].map(readLimit);
  assert.deepEqual(limits, [10, 25, 25, 100, 25, 25, 2, 25]);
});
