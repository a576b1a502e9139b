import assert from "node:assert/strict";
import fc from "fast-check";
import { LEVELS } from "@/lib/records/mod.ts";
import { parseIssueSearch } from "@/lib/errors/search/parse.ts";
import { conditionsOf, type IssueNode, termsOf } from "@/lib/errors/search/terms.ts";

const NOW = new Date("2026-11-21T00:00:00Z");
const HOUR_MS = 3_600_000;

/** The tree in short: `(a & b)`, `(a | b)`, `!a`, and of a term what tells it apart. */
function short(node: IssueNode): string {
  switch (node.kind) {
    case "and":
    case "or":
      return `(${node.nodes.map(short).join(node.kind === "and" ? " & " : " | ")})`;
    case "not":
      return `!${short(node.node)}`;
    case "text":
      return `${node.within === "message" ? "message " : ""}"${node.pattern.join("*")}"`;
    case "tag":
    case "column":
    case "release":
    case "error":
    case "stack":
    case "user": {
      const { kind, match, ...rest } = node;
      const name = Object.values(rest).join("");
      const values = match?.map((pattern) => pattern.map((part) => part.replaceAll("*", "\\*")));
      return `${kind} ${name}=${values?.map((parts) => parts.join("*")).join(",") ?? "?"}`;
    }
    case "time":
    case "seen": {
      const range = `${node.from?.toISOString() ?? ""}..${node.to?.toISOString() ?? ""}`;
      return `${node.kind === "seen" ? "seen" : node.column} ${range.replaceAll(":00.000Z", "")}`;
    }
    case "count":
      return `${node.column}${node.operator}${node.value}`;
    case "status":
      return node.statuses.join(",");
    default: {
      const { kind, ...rest } = node;
      return [kind, ...Object.values(rest).map(String)].join(" ");
    }
  }
}

function meaning(search: string): string {
  const { filter, problems } = parseIssueSearch(search, NOW);
  assert.deepEqual(problems, [], search);
  return short(filter);
}

function problemsOf(search: string) {
  return parseIssueSearch(search, NOW).problems;
}

Deno.test("bare words in a row are one phrase, quoted ones stand for themselves", () => {
  const cases: Record<string, string> = {
    "": "()",
    "  cannot   read\tproperty ": '"cannot read property"',
    '"read property" of "x y"': '("read property" & "of" & "x y")',
    '"a \\"b\\" c"': '"a "b" c"',
    "!not this": '"!not this"',
    "time*out": '"time*out"',
    "one level:error two three": '("one" & column level=error & "two three")',
    "this or that and more": '"this or that and more"',
  };
  for (const [search, expected] of Object.entries(cases)) assert.equal(meaning(search), expected);
});

Deno.test("titles and addresses that are pasted in are text", () => {
  const cases: Record<string, string> = {
    "TypeError: https://shop.example/x?y=z Shop::pay Error:":
      '"TypeError: https://shop.example/x?y=z Shop::pay Error:"',
    "e.parse (reading 'x')": '("e.parse" & "reading \'x\'")',
    "pay() failed": '"pay() failed"',
    "TypeError: a.b(c) is not a function": '"TypeError: a.b(c) is not a function"',
  };
  for (const [search, expected] of Object.entries(cases)) assert.equal(meaning(search), expected);
});

Deno.test("terms are joined by AND, which may be left out, and OR holds them apart", () => {
  const cases: Record<string, string> = {
    "a:1 b:2": "(tag a=1 & tag b=2)",
    "a:1 AND b:2": "(tag a=1 & tag b=2)",
    "a:1 OR b:2": "(tag a=1 | tag b=2)",
    "a:1 b:2 OR c:3": "((tag a=1 & tag b=2) | tag c=3)",
    "a:1 (b:2 OR c:3)": "(tag a=1 & (tag b=2 | tag c=3))",
    "(a:1 OR b:2) (c:3 OR d:4)": "((tag a=1 | tag b=2) & (tag c=3 | tag d=4))",
    "!(a:1 OR b:2)": "!(tag a=1 | tag b=2)",
    "!(!a:1)": "tag a=1",
    "((a:1))": "tag a=1",
    "one OR two words": '("one" | "two words")',
    "(a:1 OR b:2) timeout": '((tag a=1 | tag b=2) & "timeout")',
    "url:/a(b) x:1": "(tag url=/a(b) & tag x=1)",
    "(url:/a(b) OR x:1)": "(tag url=/a(b) | tag x=1)",
  };
  for (const [search, expected] of Object.entries(cases)) assert.equal(meaning(search), expected);
});

Deno.test("key:value is a tag, with quotes, negation, lists and wildcards", () => {
  const cases: Record<string, string> = {
    "browser:Firefox": "tag browser=Firefox",
    '!os:"Mac OS"': "!tag os=Mac OS",
    "url:/a:b*": "tag url=/a:b*",
    "url:/a\\*b": "tag url=/a\\*b",
    'x:"a\\*\\"\\\\"': 'tag x=a\\*"\\',
    'x:"C:\\new"': "tag x=C:\\new",
    'x:[a, b ,"c, d"]': "tag x=a,b,c, d",
    "!x:[a,b]": "!tag x=a,b",
    'x:[a, ""]': "(tag x=a | !tag x=?)",
    'x:""': "!tag x=?",
    '!x:""': "tag x=?",
    "x:[a]b": "tag x=[a]b",
    "x:>5": "tag x=>5",
    "tags[level]:x": "tag level=x",
    "flags[new-cart]:true": "tag new-cart=true",
    '"a key":x': "tag a key=x",
    'x:": "': "tag x=: ",
    'y:"//cdn"': "tag y=//cdn",
    "has:browser": "tag browser=?",
    "!has:plan": "!tag plan=?",
    "x:\uF00DContains\uF00Dab": "tag x=*ab*",
    "x:\uF00DStartsWith\uF00Dab": "tag x=ab*",
    'x:\uF00DEndsWith\uF00D"a b"': "tag x=*a b",
    "x:\uF00DDoesNotContain\uF00D[a,b]": "!tag x=*a*,*b*",
    "!x:\uF00DDoesNotStartWith\uF00Dab": "tag x=ab*",
    "x:\uF00DDoesNotEndWith\uF00Dab": "!tag x=*ab",
  };
  for (const [search, expected] of Object.entries(cases)) {
    assert.equal(meaning(search), expected, search);
  }
});

Deno.test("is: chooses statuses", () => {
  const statuses = (search: string) => parseIssueSearch(search).statuses;
  assert.equal(statuses("word"), undefined);
  assert.deepEqual(statuses("is:resolved"), ["resolved"]);
  assert.deepEqual(statuses("is:resolved is:ignored"), ["resolved", "ignored"]);
  assert.deepEqual(statuses("!is:resolved"), ["unresolved", "ignored"]);
  assert.deepEqual(statuses("!is:resolved !is:ignored"), ["unresolved"]);
  assert.deepEqual(statuses("is:archived"), ["ignored"]);
  assert.deepEqual(statuses("is:muted"), ["ignored"]);
  // Within an OR the search has its say about all of them.
  assert.deepEqual(statuses("is:resolved OR level:fatal"), ["unresolved", "resolved", "ignored"]);
  assert.equal(meaning("is:resolved OR level:fatal"), "(resolved | column level=fatal)");
  assert.equal(meaning("is:regressed"), "substatus regressed");
  // A substatus is of one status only; what it denies says nothing of it.
  assert.deepEqual(statuses("is:new"), ["unresolved"]);
  assert.deepEqual(statuses("is:forever"), ["ignored"]);
  assert.deepEqual(statuses("is:for_review"), ["unresolved"]);
  assert.equal(statuses("!is:new"), undefined);
  assert.deepEqual(statuses("is:resolved !is:new"), ["resolved"]);
  assert.deepEqual(statuses("is:forever OR a"), ["unresolved", "resolved", "ignored"]);
});

Deno.test("properties of the issue are no tags", () => {
  const cases: Record<string, string> = {
    "level:[fatal, error]": "column level=fatal,error",
    "LEVEL:Fatal": "column level=fatal",
    "platform:node": "column platform=node",
    "title:*Error*": "column title=*Error*",
    "event.type:csp": "column type=csp",
    "message:*pear*": 'message "pear"',
    "!message:pear": '!message "pear"',
    "!firstRelease:shop@2*": "!release first_release=shop@2*",
    "first-release:latest": "version latest first_release",
    "release:[latest, 1.0]": "(version latest release | tag release=1.0)",
    "release.version:>1.2": "version version > 1.2",
    "release.version:2.*": "version version_text 2.,",
    "release.stage:adopted": "version stage adopted",
    "timesSeen:>100 users_seen:<=5 userCount:1": "(times_seen>100 & users_seen<=5 & users_seen=1)",
    "timesSeen:>1.5k": "times_seen>1500",
    "timesSeen:[1, >2m]": "(times_seen=1 | times_seen>2000000)",
    "timesSeen:!=3": "times_seen!=3",
    "error.type:KeyError !error.value:*pear*": "(error type=KeyError & !error value=*pear*)",
    "has:error.type": "error type=?",
    "error.mechanism:excepthook": "tag mechanism=excepthook",
    "has:http.url": "tag url=?",
    "is:unhandled error.handled:true error.unhandled:1":
      "(tag handled=no & tag handled=yes & tag handled=no)",
    "user:id:7": "user id=7",
    'user:"email:x"': "user email=x",
    "!user.email:*@b.c": "!user email=*@b.c",
    "user:ann": "user =ann",
    "has:user.email": "user email=?",
    "sdk.name:sentry.python": "tag sdk=sentry.python/*",
    "sdk.version:2.*": "tag sdk=*/2.*",
    "trace:0AF7651916CD43DD8448EB211C80319C": "trace 0af7651916cd43dd8448eb211c80319c",
    "id:0af76519-16cd-43dd-8448-eb211c80319c": "event 0af7651916cd43dd8448eb211c80319c",
    "issue.id:[1, 2]": "(issue 1 | issue 2)",
    "project:shop": "project shop",
    "issue.category:error": "()",
    "issue.seer_last_run:-1d": "!()",
    "detector:1": "!()",
  };
  for (const [search, expected] of Object.entries(cases)) {
    assert.equal(meaning(search), expected, search);
  }
});

Deno.test("times are relative, a day, a moment or a comparison", () => {
  const cases: Record<string, string> = {
    "firstSeen:-24h": "first_seen 2026-11-20T00:00..",
    "age:-7d": "first_seen 2026-11-14T00:00..",
    "lastSeen:+2d": "last_seen ..2026-11-19T00:00:00.001Z",
    "firstSeen:<2026-11-01": "first_seen ..2026-11-01T00:00",
    "first_seen:>=2026-11-01T10:00:00": "first_seen 2026-11-01T10:00..",
    "firstSeen:>=2026-11-01T10:00+02:00": "first_seen 2026-11-01T08:00..",
    "firstSeen:2026-11-01": "first_seen 2026-11-01T00:00..2026-11-02T00:00",
    "firstSeen:2026-11-01T10:00": "first_seen 2026-11-01T09:55..2026-11-01T10:06",
    "firstSeen:>-1h": `first_seen ${iso(-HOUR_MS + 1)}..`,
    "timestamp:<=2026-11-01": "seen ..2026-11-01T00:00:00.001Z",
    "date:2026-11-01": "seen 2026-11-01T00:00..2026-11-02T00:00",
    "activeSince:-1w": "status_changed_at 2026-11-14T00:00..",
  };
  for (const [search, expected] of Object.entries(cases)) {
    assert.equal(meaning(search), expected, search);
  }
});

function iso(ms: number): string {
  return new Date(NOW.getTime() + ms).toISOString();
}

Deno.test("what makes no sense is named with its place, and the rest still holds", () => {
  const wrong = [
    "is:gone",
    "is:[unresolved, resolved]",
    "has:[a, b]",
    "level:loud",
    "level:",
    "timesSeen:many",
    "firstSeen:soon",
    "firstSeen:2026-13-01",
    "firstSeen:=-24h",
    "trace:7",
    "issue.id:x",
    "x:[a,,b]",
    "x:[]",
    "x:[a",
    "release.version:new",
    "release.stage:gone",
    "x:\uF00DResembles\uF00Dy",
    "( )",
    `x:${"y".repeat(201)}`,
  ];
  for (const part of wrong) {
    const search = part === "x:[a" ? `word ${part}` : `word  ${part} x:1`;
    const { filter, problems } = parseIssueSearch(search, NOW);
    assert.equal(problems.length, 1, search);
    const [problem] = problems;
    assert.equal(search.slice(problem?.start, problem?.end), part);
    assert.equal(problem?.part, part);
    assert.match(problem?.reason ?? "", /^[A-Z].*[^.]$/);
    assert.ok(short(filter).includes('"word"'));
  }
});

Deno.test("operators and parentheses without what belongs to them are named", () => {
  const cases: Record<string, string> = {
    "OR a:1": "OR",
    "a:1 OR": "OR",
    "a:1 OR OR b:1": "OR",
    "AND": "AND",
    "a:1 (b:1": "(",
    "a:1 ) b:1": ")",
    'a:1 "open': '"open',
    'a:"open': 'a:"open',
  };
  for (const [search, part] of Object.entries(cases)) {
    assert.deepEqual(problemsOf(search).map((problem) => problem.part), [part], search);
  }
});

Deno.test("a condition that makes no sense does not make an OR hold for everything", () => {
  const { filter } = parseIssueSearch("is:gone OR level:fatal");
  assert.equal(short(filter), "column level=fatal");
});

Deno.test("a search has bounds", () => {
  assert.equal(problemsOf("a:1 ".repeat(300)).length, 1);
  assert.equal(problemsOf("x".repeat(5_000)).length, 1);
  assert.equal(problemsOf(`${"(".repeat(60)}a:1${")".repeat(60)}`).length > 0, true);
});

Deno.test("any text is understood or named as a problem, without NUL and never as an error", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.stringMatching(/^[a-z:!"\\* \0.<>=+\-()[\],]{0,60}$/),
        fc.array(
          fc.constantFrom(
            "(",
            ")",
            "!",
            "OR",
            "AND",
            " ",
            "x:1",
            "is:",
            '"',
            "[",
            "]",
            ",",
            "\uF00D",
          ),
          { maxLength: 40 },
        ).map((parts) => parts.join("")),
      ),
      (search) => {
        const { filter, problems } = parseIssueSearch(search, NOW);
        const clean = search.replaceAll("\0", "").toWellFormed();
        for (const { part, start, end } of problems) assert.equal(clean.slice(start, end), part);
        assert.ok(!JSON.stringify(filter).includes("\\u0000"));
        assert.ok(
          [...termsOf(filter)].every((term) =>
            term.kind !== "text" || term.pattern.join("*") !== ""
          ),
        );
      },
    ),
    { numRuns: 3_000 },
  );
});

Deno.test("quoted values come out as they went in", () => {
  const value = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 })
    .filter((text) => !text.includes("\0"));
  const term = fc.record({
    key: fc.stringMatching(/^x[a-z0-9_.-]{0,20}$/),
    value,
    negated: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(term, { minLength: 1, maxLength: 10 }), (wanted) => {
      const search = wanted.map(({ key, value, negated }) =>
        `${negated ? "!" : ""}${key}:"${value.replaceAll(/[\\"*]/g, "\\$&")}"`
      ).join(" ");
      const { filter, problems } = parseIssueSearch(search, NOW);
      assert.deepEqual(problems, []);
      const found = conditionsOf(filter).map((node) => {
        const term = node.kind === "not" ? node.node : node;
        assert.ok(term.kind === "tag");
        return { key: term.key, value: term.match?.[0]?.[0], negated: node.kind === "not" };
      });
      assert.deepEqual(found, wanted.map((each) => ({ ...each })));
    }),
  );
});

Deno.test("every level can be searched for", () => {
  for (const level of LEVELS) assert.equal(meaning(`level:${level}`), `column level=${level}`);
});
