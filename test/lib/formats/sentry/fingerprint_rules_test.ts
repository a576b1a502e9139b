import assert from "node:assert/strict";
import { checkRules, compileRules, RuleError } from "@/lib/formats/sentry/fingerprint_rules.ts";
import { inTime } from "@/test/support/time_budget.ts";
import { normalized } from "./decode.ts";

const EVENT = normalized({
  platform: "python",
  logger: "shop.orders",
  level: "error",
  release: "shop@1.0",
  tags: { plan: "team" },
  exception: {
    values: [{
      type: "DatabaseUnavailable",
      value: "connection refused by db-1",
      stacktrace: {
        frames: [
          { function: "handle", module: "django.core", in_app: false },
          { function: "pay", module: "shop.orders", in_app: true },
        ],
      },
    }],
  },
});

const fingerprint = (rules: string) => compileRules(rules).match(EVENT)?.fingerprint ?? null;

Deno.test("a rule matches by type, value, message, logger, level, tags and release", () => {
  for (
    const matcher of [
      "error.type:DatabaseUnavailable",
      "type:database*",
      'value:"connection refused*"',
      'message:"*refused*"',
      "logger:shop.*",
      "level:error",
      "tags.plan:team",
      "release:shop@*",
      "!level:warning",
      "family:other",
      "type:Database* level:error",
    ]
  ) {
    assert.deepEqual(fingerprint(`${matcher} -> down`), ["down"], matcher);
  }
  for (
    const matcher of ["type:Other", "!level:error", "tags.plan:free", "level:error type:Other"]
  ) {
    assert.equal(fingerprint(`${matcher} -> down`), null, matcher);
  }
});

Deno.test("what is said of the stack holds for one frame", () => {
  assert.deepEqual(fingerprint("stack.function:pay app:yes -> x"), ["x"]);
  assert.equal(fingerprint("stack.function:handle app:yes -> x"), null);
  assert.deepEqual(fingerprint("stack.module:django.* app:no -> x"), ["x"]);
});

Deno.test("the first rule that matches wins, and comments and blank lines are none", () => {
  const rules = "# ours\n\ntype:Other -> a\ntype:Database* -> b, {{ default }}\ntype:* -> c";
  assert.deepEqual(fingerprint(rules), ["b", "{{ default }}"]);
  assert.equal(compileRules(rules).match(EVENT)?.line, 4);
});

Deno.test("fingerprints may be quoted, and parted by commas or blanks", () => {
  assert.deepEqual(fingerprint('type:* -> "system down", {{ transaction }} x'), [
    "system down",
    "{{ transaction }}",
    "x",
  ]);
});

Deno.test("rules that cannot be read name their line", () => {
  const problem = (text: string) => {
    try {
      checkRules(text);
      return null;
    } catch (error) {
      assert.ok(error instanceof RuleError);
      return error.message;
    }
  };
  assert.equal(problem("type:* -> a\n# x"), null);
  assert.match(problem("type:* -> a\nno arrow") ?? "", /^Line 2: .*->/);
  assert.match(problem("-> a") ?? "", /^Line 1: There is no matcher/);
  assert.match(problem("type:* ->") ?? "", /no fingerprint/);
  assert.match(problem("teapot:x -> a") ?? "", /"teapot" is nothing/);
  assert.match(problem("app:maybe -> a") ?? "", /yes or no/);
  assert.match(problem('type:* -> a title="x"') ?? "", /Titles/);
});

Deno.test("lines that cannot be read do not keep the others from working", () => {
  assert.deepEqual(fingerprint("nonsense\ntype:* -> ok"), ["ok"]);
});

Deno.test("two hundred rules on the largest event end in a fifth of a second, and then none applies", () => {
  const values = Array.from({ length: 20 }, () => ({
    type: "Deep",
    stacktrace: {
      frames: Array.from({ length: 250 }, (_, n) => ({ function: "ab".repeat(50) + n })),
    },
  }));
  const event = normalized({ exception: { values } });
  const rules = `function:*${"ab".repeat(9)}b* -> slow\n`.repeat(199);
  const match = (text: string) => inTime(200, () => compileRules(text).match(event));
  assert.equal(match(`${rules}type:Deep -> late`), null);
  assert.deepEqual(match(`type:Deep -> early\n${rules}`)?.fingerprint, ["early"]);
});
