import assert from "node:assert/strict";
import { applyCompletion, tokenAt } from "@/lib/ui/search_completion.ts";

/** `|` stands for the caret. */
function at(marked: string) {
  const caret = marked.indexOf("|");
  const { key, prefix } = tokenAt(marked.replace("|", ""), caret);
  return { key, prefix };
}

function completed(marked: string, whole: string): string {
  const caret = marked.indexOf("|");
  const text = marked.replace("|", "");
  const token = tokenAt(text, caret);
  const result = applyCompletion(text, {
    token,
    text: whole,
    label: whole,
    isValue: token.key !== null,
  });
  return `${result.text.slice(0, result.caret)}|${result.text.slice(result.caret)}`;
}

Deno.test("tokenAt() tells whether a key or a value is being typed", () => {
  assert.deepEqual(at("env|"), { key: null, prefix: "env" });
  assert.deepEqual(at("!env|"), { key: null, prefix: "env" });
  assert.deepEqual(at("timeout |"), { key: null, prefix: "" });
  assert.deepEqual(at("timeout environment:pro|"), { key: "environment", prefix: "pro" });
  assert.deepEqual(at("!browser:|"), { key: "browser", prefix: "" });
  assert.deepEqual(at("|"), { key: null, prefix: "" });
});

Deno.test("tokenAt() takes a quoted value as one, blanks included", () => {
  assert.deepEqual(at('release:"web 1.|'), { key: "release", prefix: "web 1." });
  assert.deepEqual(at('"two words" bro|'), { key: null, prefix: "bro" });
});

Deno.test("applyCompletion() puts a key in and leaves the caret behind its colon", () => {
  assert.equal(completed("timeout env|", "environment"), "timeout environment:|");
  assert.equal(completed("!env|", "environment"), "!environment:|");
  assert.equal(completed("en|v:prod x", "environment"), "environment:|prod x");
});

Deno.test("applyCompletion() puts a value in, quoted where it must be, and goes on behind it", () => {
  assert.equal(completed("environment:pro|", "production"), "environment:production |");
  assert.equal(
    completed("environment:pro| timeout", "production"),
    "environment:production| timeout",
  );
  assert.equal(completed("a:|b", 'say "hi"'), 'a:"say \\"hi\\"" |');
  assert.equal(completed('release:"web 1|', "web 1.0"), 'release:"web 1.0" |');
});

Deno.test("values inside of lists are completed one by one", () => {
  assert.deepEqual(at("assigned:[an|"), { key: "assigned", prefix: "an" });
  assert.deepEqual(at("!os:[Linux, Mac|]"), { key: "os", prefix: "Mac" });
  assert.deepEqual(at('os:["Mac OS", |'), { key: "os", prefix: "" });
  assert.deepEqual(at('os:["a, b|'), { key: "os", prefix: "a, b" });
  assert.deepEqual(at("os:[a, b] bro|"), { key: null, prefix: "bro" });
  assert.equal(completed("assigned:[me, an|", "ann@b.c"), "assigned:[me, ann@b.c|");
  assert.equal(completed("os:[a, M|, c] x", "Mac OS"), 'os:[a, "Mac OS"|, c] x');
  assert.equal(completed("os:[M|] x", "a,b"), 'os:["a,b"|] x');
});
