import assert from "node:assert/strict";
import {
  idInSearch,
  issueListHref,
  parseIssueListParams,
  statusesOf,
} from "@/lib/errors/issue_list.ts";
import { EVERYTHING, parseScope } from "@/lib/ui/scope.ts";

const parse = (query: string) => parseIssueListParams(new URLSearchParams(query));

Deno.test("the list starts with what is unresolved, seen last on top", () => {
  assert.deepEqual(parse(""), {
    tab: "unresolved",
    query: "",
    sort: "last_seen",
    cursor: null,
    from: 1,
  });
});

Deno.test("unknown tabs, sorts and row numbers are as good as absent", () => {
  assert.deepEqual(parse("status=closed&sort=title&from=-3&cursor=&query=++"), parse(""));
  assert.equal(parse("from=51").from, 1);
  assert.equal(parse("cursor=c&from=1e99").from, 1);
  assert.equal(parse("cursor=c&from=51").from, 51);
});

Deno.test("only the tab of all statuses asks for no status", () => {
  assert.deepEqual(statusesOf("resolved"), ["resolved"]);
  assert.deepEqual(statusesOf("for_review"), ["unresolved"]);
  assert.equal(statusesOf("all"), undefined);
});

Deno.test("links of the list carry scope and search, and start at the first page", () => {
  const params = parse("query=a+b&sort=users&cursor=c&from=51");
  const scope = parseScope(new URLSearchParams("range=1h"));
  assert.equal(
    issueListHref("/i", scope, params, { tab: "all" }),
    "/i?range=1h&query=a+b&status=all&sort=users",
  );
  assert.equal(
    issueListHref("/i", EVERYTHING, params, { cursor: "d", from: 101, query: "" }),
    "/i?sort=users&cursor=d&from=101",
  );
  assert.equal(issueListHref("/i", EVERYTHING, parse("cursor=c&from=51")), "/i");
});

Deno.test("idInSearch() knows a pasted event or issue id from words", () => {
  const event = { kind: "event", id: "0123456789abcdef0123456789abcdef", isCertain: true };
  assert.deepEqual(idInSearch("0123456789abcdef0123456789abcdef", "shop"), event);
  assert.deepEqual(idInSearch("01234567-89AB-CDEF-0123-456789ABCDEF", "shop"), event);
  assert.deepEqual(idInSearch("#42", "shop"), { kind: "issue", id: "42", isCertain: true });
  assert.deepEqual(idInSearch("42", "shop"), { kind: "issue", id: "42", isCertain: false });
  assert.deepEqual(idInSearch("shop-1a", "shop"), {
    kind: "issue",
    id: "shop-1a",
    isCertain: true,
  });
  assert.equal(idInSearch("SHOP-1A", "web"), null);
  assert.equal(idInSearch("42 timeouts", "shop"), null);
  assert.equal(idInSearch("deadbeef", "shop"), null);
  assert.equal(idInSearch("9".repeat(19), "shop"), null);
});
