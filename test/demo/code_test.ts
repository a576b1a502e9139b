import assert from "node:assert/strict";
import { Random } from "../../demo/chance.ts";
import { errors, program } from "../../demo/code.ts";

const stacksOf = program(
  `
serve:
  1 handle @ APP/layer.js:152
    +route
    0 json
      9 stringify @ APP/response.js:1020
GET /cart:
  2 showCart @ APP/show.ts:21:7
    +query 22
GET /cart 5.3.0:
  4 showCart @ APP/show.ts:22
query:
  3* parseRow
`,
  { APP: "/app/src" },
);

/** Each stack as `outer>inner weight`. */
function told(release?: string): string[] {
  const run = { route: "GET /cart", ...(release !== undefined && { release }) };
  return stacksOf("serve", run).map(({ frames, weight }) =>
    `${frames.map(({ name }) => name).join(">")} ${weight}`
  );
}

Deno.test("a program's stacks are those of its lines, with the blocks that they name", () => {
  assert.deepEqual(told(), [
    "handle 1",
    "handle>showCart 2",
    "handle>showCart>parseRow 66",
    "handle>json>stringify 9",
  ]);
  assert.deepEqual(stacksOf("GET /cart")[0]?.frames, [
    { name: "showCart", file: "/app/src/show.ts", line: 21, column: 7 },
  ]);
});

Deno.test("a block for a release stands in place of the usual one", () => {
  assert.deepEqual(told("5.3.0"), ["handle 1", "handle>showCart 4", "handle>json>stringify 9"]);
  assert.deepEqual(told("5.2.0"), told());
});

Deno.test("an error has its functions with source and variables, and the errors that caused it", () => {
  const [error, cause] = errors(`
PaymentError: no answer: 502
  charge @ /app/src/charge.ts:64:11
    | for (;;) {
    >   throw new PaymentError();
    | }
    = attempt 3 of 3
caused by SocketError: closed
  onEnd @ node:undici:7`);
  assert.deepEqual(error, {
    type: "PaymentError",
    message: "no answer: 502",
    frames: [{
      name: "charge",
      file: "/app/src/charge.ts",
      line: 64,
      column: 11,
      before: ["for (;;) {"],
      code: "  throw new PaymentError();",
      after: ["}"],
      vars: { attempt: "3 of 3" },
    }],
  });
  assert.deepEqual([cause?.type, cause?.frames[0]?.file], ["SocketError", "node:undici"]);
});

Deno.test("gaps in texts are filled, and nothing else is touched", () => {
  const random = new Random(1);
  const code = "for (let n = 1; n <= MAX; n++) {\n  a || b;\n}\nf<T>() => x";
  const filled = random.filled({ a: ["<3..9>", "<x|y>"], b: "<hex8>", code });
  assert.match(filled.a[0] ?? "", /^[3-9]$/);
  assert.match(filled.a[1] ?? "", /^[xy]$/);
  assert.match(filled.b, /^[0-9a-f]{8}$/);
  assert.equal(filled.code, code);
});
