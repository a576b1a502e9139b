import assert from "node:assert/strict";
import { exceptionsOf, isUnhandled } from "@/lib/errors/event/interfaces.ts";

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
  assert.deepEqual(chain.map(({ link, depth }) => [link, depth]), [
    [null, 0],
    [{ isCause: false, via: "errors[0]" }, 1],
    [{ isCause: false, via: "errors[1]" }, 1],
  ]);
});

Deno.test("exceptionsOf() follows each nested group with its own members", () => {
  // As sentry-sdk 2.68.0 sends ExceptionGroup("all", [ExceptionGroup("mail", [A from Cause, B]), C]).
  const member = (type: string, exception_id: number, parent_id: number, source: string) => ({
    type,
    mechanism: { exception_id, parent_id, source },
  });
  const group = (type: string, exception_id: number, more: Record<string, unknown>) => ({
    type,
    mechanism: { exception_id, is_exception_group: true, ...more },
  });
  const sent = [
    member("C", 5, 0, "exceptions[1]"),
    member("B", 4, 1, "exceptions[1]"),
    member("Cause", 3, 0, "__cause__"),
    member("A", 2, 1, "exceptions[0]"),
    group("Mail", 1, { parent_id: 0, source: "exceptions[0]" }),
    group("All", 0, {}),
  ];
  const tree = [["All", 0], ["Mail", 1], ["A", 2], ["Cause", 2], ["B", 2], ["C", 1]];
  const shown = (values: readonly unknown[]) =>
    of(...values).map(({ type, depth }) => [type, depth]);
  assert.deepEqual(shown(sent), tree);
  const [cause] = of(...sent).filter(({ type }) => type === "Cause");
  assert.deepEqual(cause?.link, { isCause: true, via: "__cause__" });
  const circle = [member("X", 7, 8, ""), member("Y", 8, 7, "")];
  assert.deepEqual(shown([...circle, ...sent]), [...tree, ["Y", 0], ["X", 0]]);
  // Ids that repeat draw no tree.
  assert.deepEqual(shown([member("B", 1, 0, ""), member("A", 1, 0, ""), group("G", 0, {})]), [
    ["G", 0],
    ["A", 0],
    ["B", 0],
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
