import assert from "node:assert/strict";
import { convertCodeowners } from "@/lib/errors/ownership/codeowners.ts";
import { ruleMatcher } from "@/lib/errors/ownership/match.ts";
import { indexPaths } from "@/lib/errors/ownership/path_index.ts";
import { parseRules, readOwner, ruleText } from "@/lib/errors/ownership/rules.ts";
import { type OwnedSubject, subjectOf, subjectOfText } from "@/lib/errors/ownership/subject.ts";
import type { NormalizedEvent } from "@/lib/formats/sentry/normalized_event.ts";
import { globBudget } from "@/lib/core/matchers.ts";
import { inTime } from "../../../support/time_budget.ts";

const EVENT = {
  platform: "javascript",
  environment: "production",
  tags: [["area", "checkout"]],
  user: { id: "7", email: "kim@acme.example", data: { plan: "pro" } },
  request: { url: "https://shop.example/cart/7" },
  exception: {
    values: [{
      stacktrace: {
        frames: [
          { filename: "./src/main.ts", in_app: true },
          { filename: "../../pages/home.ts", in_app: true },
          {
            filename: "src\\Cart\\total.ts",
            abs_path: "/app/src/Cart/total.ts",
            module: "cart.total",
          },
        ],
      },
    }],
  },
} as unknown as NormalizedEvent;

function matching(raw: string, subject: OwnedSubject = subjectOf(EVENT)): string[] {
  return ruleMatcher(parseRules(raw).rules, [])(subject).rules.map(({ pattern }) => pattern);
}

Deno.test("rules look at paths, modules, the address, tags and the user, without regard to case", () => {
  const yes = (rule: string) => assert.equal(matching(`${rule} #shop`).length, 1, rule);
  const no = (rule: string) => assert.equal(matching(`${rule} #shop`).length, 0, rule);
  yes("src/cart/total.ts");
  yes("path:*/total.ts");
  yes("path:*total*");
  yes("path:src\\cart\\*");
  yes("path:/app/*");
  yes("path:SRC/main.ts");
  yes("path:pages/home.ts");
  no("path:src/cart");
  no("path:otal.ts");
  yes("module:cart.*");
  no("module:cart");
  yes("url:https://shop.example/*");
  no("url:*/basket*");
  yes("tags.area:check*");
  no("tags.area:cart");
  yes("tags.environment:production");
  yes("tags.user.email:*@acme.example");
  yes("tags.user.plan:pro");
  no("tags.none:*");
});

Deno.test("the last rule that matches stands first", () => {
  assert.deepEqual(matching("* #a\nsrc/* #b\nlib/* #c\nsrc/cart/* #d"), [
    "src/cart/*",
    "src/*",
    "*",
  ]);
});

Deno.test("the folder of a Java file is that of its package", () => {
  const event = {
    platform: "java",
    exception: {
      values: [{
        stacktrace: { frames: [{ filename: "Cart.java", module: "com.acme.Cart", in_app: true }] },
      }],
    },
  } as unknown as NormalizedEvent;
  assert.deepEqual(matching("com/acme/* #shop", subjectOf(event)), ["com/acme/*"]);
});

Deno.test("lines of CODEOWNERS match as in .gitignore", () => {
  const f = (pattern: string, yes: string[], no: string[]) => {
    const index = indexPaths([pattern]);
    const matches = (path: string) => index.matching([path], globBudget()).length === 1;
    for (const path of yes) assert.ok(matches(path), `${pattern} does not match ${path}`);
    for (const path of no) assert.ok(!matches(path), `${pattern} matches ${path}`);
  };
  f("*", ["a.ts", "a/b.ts"], []);
  f("*.ts", ["a.ts", "x/y/a.d.ts"], ["a.tsx", "ts"]);
  f("cart", ["cart", "a/cart/b.ts", "a/cart"], ["cart.ts", "a/carts/b"]);
  f("cart/", ["cart/a.ts", "x/cart/y/a.ts"], ["x/cart", "carts/a"]);
  f("/cart", ["cart", "cart/a.ts"], ["x/cart"]);
  f("/src/cart/", ["src/cart/a.ts", "/src/cart/x/a.ts"], ["src/cart", "x/src/cart/a.ts"]);
  f("src/cart", ["src/cart", "src/cart/a"], ["x/src/cart"]);
  f("/src/*", ["src/a.ts"], ["src/x/a.ts", "src"]);
  f("/src/**", ["src/a.ts", "src/x/y/a.ts"], ["src", "lib/a"]);
  f("**/logs", ["logs/a", "x/logs", "x/y/logs/z"], ["x/log"]);
  f("/a/**/b", ["a/b", "a/x/b/c", "a/x/y/b"], ["b", "x/a/b"]);
  f("**/a/*.ts", ["a/x.ts", "z/a/x.ts"], ["a/b/x.ts"]);
  f("/apps/*/src/", ["apps/x/src/a.ts"], ["apps/src/a.ts", "apps/x/y/src/a"]);
  f("te?t.ts", ["test.ts", "x/text.ts"], ["tet.ts"]);
  f("*cart*", ["my-cart.ts", "x/carts/y"], ["car"]);
  f("build-*/", ["build-x/a", "y/build-1/b"], ["build-x"]);
});

const TEAM = readOwner("#shop");

Deno.test("a CODEOWNERS file becomes rules, and what does not is listed with its reason", () => {
  const { rules, dropped, unknown } = convertCodeowners(
    [
      "# comment",
      "* @acme/shop",
      "/src/cart/ @acme/shop @stranger # the cart",
      "lib\\ old/ @acme/shop",
      "!lib @acme/shop",
      "[Section] @acme/shop",
      "*.[jt]s @acme/shop",
      "/x#y @acme/shop",
      "/alone",
      "/src/b.ts @stranger",
      "web/src//deep @acme/shop",
    ].join("\n"),
    { stackRoot: "app:///src", sourceRoot: "src/" },
    (name) => name === "@acme/shop" ? TEAM : null,
  );
  assert.deepEqual(rules.map(ruleText), [
    "codeowners:* #shop",
    "codeowners:/src/cart/ #shop",
    "codeowners:/web/src/deep #shop",
  ]);
  assert.deepEqual(unknown, ["@stranger"]);
  assert.deepEqual(dropped.map(({ line }) => line), [4, 5, 6, 7, 8, 9, 10]);
  for (const { reason } of dropped) assert.match(reason, /^[A-Z].*\.$/);
  assert.match(dropped.at(-1)?.reason ?? "", /Nobody here is @stranger/);
});

Deno.test("the stack root stands where the source root stood, once, and only at the start", () => {
  const f = (path: string, stackRoot: string, sourceRoot: string, expected: string) => {
    const { rules } = convertCodeowners(`${path} x`, { stackRoot, sourceRoot }, () => TEAM);
    assert.equal(rules[0]?.pattern, expected);
  };
  f("/web/src/cart/", "src/", "web/src/", "/src/cart/");
  f("/web/web/x.ts", "", "web", "/web/x.ts");
  f("/server/x.ts", "src", "web", "/server/x.ts");
  f("/website/x.ts", "src", "web", "/website/x.ts");
  f("/x.ts", "/app/", "", "/app/x.ts");
  f("web/", "src", "web", "web/");
  f("*.ts", "src", "web", "*.ts");
  f("**/cart", "src", "web", "**/cart");
});

Deno.test("rules of the project win over lines of CODEOWNERS", () => {
  const { rules: lines } = convertCodeowners(
    "* x\n/src/ x",
    { stackRoot: "", sourceRoot: "" },
    () => TEAM,
  );
  const matcher = ruleMatcher(parseRules("src/* #a").rules, lines);
  assert.deepEqual(
    matcher(subjectOfText("src/cart.ts")).rules.map(({ pattern }) => pattern),
    ["src/*", "/src/", "*"],
  );
});

Deno.test("a hundred thousand hostile lines on a stack of five hundred files end within two seconds", () => {
  const lines = Array.from(
    { length: 100_000 },
    (_, place) => `/*a*a*a*a*a*a*b${place}/**/x*/**/y*z x`,
  );
  const { rules } = convertCodeowners(
    lines.join("\n"),
    { stackRoot: "", sourceRoot: "" },
    () => TEAM,
  );
  const hostile = parseRules(`path:${"*a".repeat(400)}*b #shop\n`.repeat(100)).rules;
  const paths = Array.from({ length: 500 }, (_, place) => `${"a".repeat(100)}/`.repeat(8) + place);
  const { isCut } = inTime(
    2_000,
    () => ruleMatcher(hostile, rules)({ paths, modules: [], urls: [], tags: [] }),
  );
  assert.ok(isCut);
});

Deno.test("a hundred thousand usual lines cost little for each event", () => {
  const lines = Array.from({ length: 100_000 }, (_, place) => `/src/part${place}/ x`);
  const { rules } = convertCodeowners(
    lines.join("\n"),
    { stackRoot: "", sourceRoot: "" },
    () => TEAM,
  );
  const matcher = ruleMatcher([], rules);
  const paths = Array.from({ length: 100 }, (_, place) => `src/part${place * 7}/deep/file.ts`);
  const found = inTime(200, () => matcher({ paths, modules: [], urls: [], tags: [] }));
  assert.equal(found.rules.length, 100);
  assert.equal(found.rules[0]?.pattern, "/src/part693/");
  assert.ok(!found.isCut);
});

Deno.test("lines that look at each character of a name again and again end within two seconds", () => {
  const lines = Array.from({ length: 3_000 }, (_, place) => `**/*${"a".repeat(480)}b*${place} x`);
  const { rules } = convertCodeowners(
    lines.join("\n"),
    { stackRoot: "", sourceRoot: "" },
    () => TEAM,
  );
  const paths = Array.from({ length: 500 }, (_, place) => `${"a".repeat(990)}${place}`);
  const found = inTime(
    2_000,
    () => ruleMatcher([], rules)({ paths, modules: [], urls: [], tags: [] }),
  );
  assert.ok(found.isCut);
});
