import assert from "node:assert/strict";
import type { WaitingDelivery } from "@/lib/alerts/deliveries/queue.ts";
import { planMessages } from "@/lib/alerts/deliveries/deliver.ts";
import { notice } from "@/test/support/notices.ts";

const NOW = new Date("2026-11-22T01:00:00Z");
const LATER = new Date("2026-11-22T01:05:00Z");

function waiting(id: string, changes: Partial<WaitingDelivery> = {}): WaitingDelivery {
  return {
    deliveryId: id,
    messageId: id,
    noticeId: `notice-${id}`,
    incidentKey: `incident-${id}`,
    notice: notice(),
    attempts: 0,
    dueAt: NOW,
    createdAt: NOW,
    ...changes,
  };
}

function plan(deliveries: readonly WaitingDelivery[], joins = true) {
  const { due, heldBack } = planMessages(deliveries, { now: NOW, joins });
  return { due: due.map((group) => group.map(({ deliveryId }) => deliveryId)), heldBack };
}

Deno.test("planMessages() sends what is due, in order, one message each", () => {
  const deliveries = [waiting("a"), waiting("b", { dueAt: LATER }), waiting("c")];
  assert.deepEqual(plan(deliveries), { due: [["a"], ["c"]], heldBack: [] });
});

Deno.test("planMessages() holds a notice back until the earlier one of its incident was tried again", () => {
  const deliveries = [
    waiting("firing", { incidentKey: "i", dueAt: LATER, attempts: 1 }),
    waiting("other"),
    waiting("resolved", { incidentKey: "i" }),
  ];
  assert.deepEqual(plan(deliveries), {
    due: [["other"]],
    heldBack: [{ deliveryId: "resolved", until: LATER }],
  });
});

Deno.test("planMessages() joins more than five that wait, and leaves five alone", () => {
  const six = ["a", "b", "c", "d", "e", "f"].map((id) => waiting(id));
  assert.deepEqual(plan(six).due, [["a", "b", "c", "d", "e", "f"]]);
  assert.equal(plan(six.slice(1)).due.length, 5);
  assert.equal(plan(six, false).due.length, 6);
});

Deno.test("planMessages() puts at most fifty into one message", () => {
  const many = Array.from({ length: 120 }, (_, index) => waiting(String(index)));
  assert.deepEqual(plan(many).due.map(({ length }) => length), [50, 50, 20]);
});

Deno.test("planMessages() sends what was tried before as it was, ahead of what is new", () => {
  const tried = [
    waiting("a", { messageId: "a", attempts: 1 }),
    waiting("b", { messageId: "a", attempts: 1 }),
  ];
  const fresh = ["c", "d", "e", "f", "g", "h"].map((id) => waiting(id));
  assert.deepEqual(plan([...tried, ...fresh]).due, [["a", "b"], ["c", "d", "e", "f", "g", "h"]]);
});

Deno.test("planMessages() holds a joined message back for any of its incidents", () => {
  const deliveries = [
    waiting("first", { incidentKey: "i", dueAt: LATER, attempts: 1 }),
    waiting("a", { messageId: "a", attempts: 1, incidentKey: "j" }),
    waiting("b", { messageId: "a", attempts: 1, incidentKey: "i" }),
    waiting("last", { incidentKey: "j" }),
  ];
  const { due, heldBack } = plan(deliveries);
  assert.deepEqual(due, []);
  assert.deepEqual(heldBack.map(({ deliveryId }) => deliveryId), ["a", "b", "last"]);
});
