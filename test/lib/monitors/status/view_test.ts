import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/lib/core/time.ts";
import type { EntryState } from "@/lib/monitors/status/days.ts";
import type { Impact, StatusPost } from "@/lib/monitors/status/posts.ts";
import type { StatusPage } from "@/lib/monitors/status/status_page.ts";
import { viewOf } from "@/lib/monitors/status/view.ts";
import { SETTINGS } from "../../../support/status_site.ts";

const NOW = new Date("2026-11-23T12:00:00Z");
const ago = (ms: number) => new Date(NOW.getTime() - ms);

const entryOf = (monitorId: string) => ({
  projectId: "1",
  monitorId,
  name: monitorId,
  group: "",
  badge: monitorId,
});

function look(
  states: readonly EntryState[],
  posts: readonly StatusPost[] = [],
  at: Date = ago(MINUTE_MS),
) {
  const page: StatusPage = {
    ...SETTINGS,
    organizationId: "1",
    tokenHash: null,
    logo: null,
    badge: "",
    updatedAt: NOW,
    updatedBy: "",
    entries: states.map((_, index) => entryOf(`m${index}`)),
  };
  const uptime = { "24h": 1, "7d": 1, "30d": 1, "90d": 1 };
  const entries = Object.fromEntries(states.map((state, index) => [
    `1/m${index}`,
    { state, since: at.toISOString(), uptime, days: [] },
  ]));
  return viewOf(page, "", { measuredAt: at.toISOString(), entries }, posts, NOW);
}

function post(changes: Partial<StatusPost>): StatusPost {
  return {
    organizationId: "1",
    postId: crypto.randomUUID(),
    kind: "incident",
    title: "",
    entries: [],
    impact: "none",
    state: "investigating",
    startsAt: ago(HOUR_MS),
    endsAt: null,
    closedAt: null,
    updates: [],
    ...changes,
  };
}

Deno.test("the banner tells the worst, and all only of all", () => {
  const cases: [EntryState[], string][] = [
    [["up", "up"], "up"],
    [["up", "unknown"], "up"],
    [["unknown"], "unknown"],
    [[], "unknown"],
    [["up", "degraded"], "degraded"],
    [["up", "down"], "partial"],
    [["down", "down"], "down"],
    [["down", "unknown"], "partial"],
    [["down", "maintenance"], "partial"],
    [["up", "maintenance"], "maintenance"],
    [["maintenance"], "maintenance"],
    [["down", "up", "maintenance"], "partial"],
  ];
  for (const [states, overall] of cases) assert.equal(look(states).overall, overall, states.join());
});

Deno.test("what people say of an incident makes it worse than measured, never better", () => {
  const say = (impact: Impact, entries: string[] = []) => [post({ impact, entries })];
  assert.equal(look(["up", "up"], say("none")).overall, "up");
  assert.equal(look(["up", "up"], say("degraded")).overall, "degraded");
  assert.equal(look(["up", "up"], say("partial")).overall, "partial");
  assert.equal(look(["up", "up"], say("down")).overall, "partial");
  assert.equal(look(["up", "up"], say("down", ["1/m0", "1/m1"])).overall, "down");
  assert.equal(look(["down"], say("none", ["1/m0"])).overall, "down");
  const [group] = look(["up", "up"], say("down", ["1/m1"])).groups;
  assert.deepEqual(group?.entries.map(({ state }) => state), ["up", "down"]);
  const over = [post({ impact: "down", closedAt: ago(MINUTE_MS), state: "resolved" })];
  assert.equal(look(["up"], over).overall, "up");
});

Deno.test("maintenance begins and ends by the clock", () => {
  const planned = (from: number, to: number) =>
    look(["down", "up"], [post({
      kind: "maintenance",
      state: "planned",
      entries: ["1/m0"],
      startsAt: ago(-from),
      endsAt: ago(-to),
    })]);
  const before = planned(HOUR_MS, 2 * HOUR_MS);
  assert.equal(before.overall, "partial");
  assert.equal(before.upcoming.length, 1);
  const during = planned(-HOUR_MS, HOUR_MS);
  assert.equal(during.overall, "maintenance");
  assert.equal(during.open.length, 1);
  const after = planned(-2 * HOUR_MS, -HOUR_MS);
  assert.equal(after.overall, "partial");
  assert.equal(after.past.length, 1);
});

Deno.test("a state that is not read anew is said to be old, and what is older than 90 days is not shown", () => {
  assert.equal(look(["up"], [], ago(4 * MINUTE_MS)).isStale, false);
  assert.equal(look(["up"], [], ago(6 * MINUTE_MS)).isStale, true);
  const old = post({ startsAt: ago(91 * DAY_MS), closedAt: ago(91 * DAY_MS), state: "resolved" });
  assert.deepEqual(look(["up"], [old]).past, []);
});
