import assert from "node:assert/strict";
import fc from "fast-check";
import { parseStack } from "@/lib/formats/stack_text/parse_stack.ts";
import { inTime } from "@/test/support/time_budget.ts";

const LANGUAGES = ["nodejs", "python", "java", "go", "php", "ruby", "dotnet", ""];
const SIZE = 65_536;
/** Milliseconds for one text of this size. */
const MAX_MS = 60;

/** Each is repeated until the text is as long as one may be. */
const PARTS: readonly string[] = [
  ...[
    " ",
    "\n",
    "\t",
    "a",
    "(",
    ")",
    "()",
    ":1",
    ":1:",
    "1: ",
    " in ",
    ") in ",
    "at ",
    "#0 ",
    "|",
    "/",
  ],
  ...[
    "    at a (",
    "\tat a.b(",
    'File "',
    '  File "a", line 1',
    "in `",
    "in 'a' ",
    ":1:in '",
    "a/",
    "a.",
  ],
  ...[
    "<a>",
    " ---> ",
    "+-",
    "| ",
    "a@http://",
    "[cause]:",
    "Caused by: ",
    "... 1 more\n",
    "^~",
    " \n",
  ],
  ...["\tat a.b(C.java:1)\n", "    at a (b:1:1)\n", "a()\n\tb:1\n", "#0 a(1): b\n", "    ~^\n"],
  ...["   at A.B() in /a:line 1\n", "a:1:in 'b'\n", "a.rb:1:in 'b': c (D)\n", "x in y:1\n"],
];
const STARTS = [
  "",
  "    at ",
  "\tat ",
  "#0 ",
  '  File "',
  "goroutine 1 [running]:\n",
  "a.rb:1:in '",
];

Deno.test("no text takes long to read, whatever it repeats", () => {
  for (
    const [part, start] of PARTS.flatMap((part) => STARTS.map((start) => [part, start] as const))
  ) {
    const text = start + part.repeat(Math.ceil(SIZE / part.length));
    for (const each of [text, text.replaceAll(/(.{900})/g, "$1\n")]) {
      for (const language of LANGUAGES) {
        const what = `${language}: ${JSON.stringify([start, part])}`;
        inTime(MAX_MS, () => parseStack(each, language), what);
      }
    }
  }
});

Deno.test("whatever text comes, frames come back in a bounded number", () => {
  const line = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.constantFrom(
      ...[
        "    at f (/a.js:1:2)",
        "\tat a.B.c(D.java:1)",
        "Caused by: x: y",
        "\t... 7 more",
        "#0 /a(1): b()",
      ],
      ...[
        "main.a()",
        "\t/a.go:1 +0x1",
        '  File "a", line 1, in b',
        "Traceback (most recent call last):",
      ],
      ...["/a.rb:1:in 'b': c (D)", "   at A.B() in /a.cs:line 1", " ---> x: y", "\tSuppressed: a"],
      ...["   --- End of inner exception stack trace ---", "\t... 999999 more", "#1 {main}"],
    ),
  );
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 40 }),
      fc.constantFrom(...LANGUAGES),
      (lines, language) => {
        for (const { type, value, frames } of parseStack(lines.join("\n"), language)) {
          assert.equal(typeof type + typeof value, "stringstring");
          assert.ok(frames.length <= 1_000);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
