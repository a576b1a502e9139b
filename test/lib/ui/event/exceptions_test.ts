import assert from "node:assert/strict";
import { exceptionsOf, isUnhandled } from "../../../../lib/ui/event/exceptions.ts";

const of = (...values: unknown[]) => exceptionsOf({ platform: "node", exception: { values } });

Deno.test("exceptionsOf() puts the outermost exception first and calls the next its cause", () => {
  const chain = of(
    { type: "ConnectionError", value: "refused", mechanism: { source: "cause", parent_id: 0 } },
    { type: "CheckoutError", value: "failed", mechanism: { exception_id: 0 } },
  );
  assert.deepEqual(chain.map(({ type, link }) => [type, link]), [
    ["CheckoutError", null],
    ["ConnectionError", { isCause: true, via: "cause" }],
  ]);
});

Deno.test("exceptionsOf() tells members of an exception group from causes", () => {
  const chain = of(
    { type: "B", mechanism: { exception_id: 2, parent_id: 0, source: "errors[1]" } },
    { type: "A", mechanism: { exception_id: 1, parent_id: 0, source: "errors[0]" } },
    { type: "AggregateError", mechanism: { exception_id: 0, is_exception_group: true } },
  );
  assert.deepEqual(chain.map(({ link }) => link), [
    null,
    { isCause: false, via: "errors[0]" },
    { isCause: false, via: "errors[1]" },
  ]);
});

Deno.test("exceptionsOf() drops what says nothing and survives anything odd", () => {
  assert.deepEqual(of({}, null, 7, { mechanism: {} }, { stacktrace: { frames: [] } }), []);
  assert.deepEqual(exceptionsOf({ exception: "boom" }), []);
  assert.equal(of({ type: 7, value: { code: 1 } })[0]?.value, '{"code":1}');
});

Deno.test("isUnhandled() holds when any exception of the chain escaped, and not when nobody says", () => {
  assert.equal(isUnhandled(of({ type: "A", mechanism: { handled: false } }, { type: "B" })), true);
  assert.equal(isUnhandled(of({ type: "A", mechanism: { handled: true } })), false);
  assert.equal(isUnhandled(of({ type: "A", mechanism: { type: "generic" } })), false);
});

Deno.test("a help link that is no http address is left out", () => {
  const link = (help_link: string) =>
    of({ type: "A", mechanism: { help_link } })[0]?.mechanism?.helpLink;
  assert.equal(link("https://example.com/help"), "https://example.com/help");
  assert.equal(link("javascript:alert(1)"), "");
  assert.equal(link(" javascript:alert(1)"), "");
});
