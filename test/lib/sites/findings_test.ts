import assert from "node:assert/strict";
import { inLanguage } from "@/lib/core/request_scope.ts";
import type { Monitor, ShownState } from "@/lib/monitors/mod.ts";
import { againstBefore, answerOf } from "@/lib/sites/findings.ts";
import { firstCertificate, type WatchedMonitor } from "@/lib/sites/site_uptime.ts";

const NOW = new Date("2026-11-23T12:00:00Z");
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);

interface Fields extends Partial<Pick<Monitor, "name" | "checkedAt" | "isCutOff" | "lastError">> {
  readonly certificate?: { readonly daysLeft: number; readonly problem?: string };
}

function watched(state: ShownState, fields: Fields = {}): WatchedMonitor {
  const { certificate, ...others } = fields;
  const monitor = {
    name: "Shop",
    checkedAt: ago(1),
    since: ago(20),
    lastError: "",
    isCutOff: false,
    ...others,
  };
  return {
    monitor: monitor as Monitor,
    state,
    hours: [],
    lastDay: 1,
    share: 1,
    downSec: 0,
    certificate: certificate === undefined
      ? null
      : { problem: null, validTo: NOW, warnFrom: 30, ...certificate },
  };
}

function answer(...monitors: WatchedMonitor[]) {
  const { verdict, title, words } = answerOf({ kind: "read", value: monitors }, NOW);
  return `${verdict}: ${title} ${words}`;
}

Deno.test("why a check failed is told in the reader's language", () => {
  const lastError = "The host refuses the connection: nothing listens there.";
  inLanguage({ language: "ru", timeZone: "UTC" }, () => {
    for (const state of ["down", "degraded"] as const) {
      assert.match(answer(watched(state, { lastError })), /Shop: Хост отклоняет соединение/, state);
    }
  });
});

Deno.test("the answer is that of the monitor in the worst state", () => {
  const up = watched("up");
  assert.equal(
    answer(up),
    "ok: Your site is up. Checked 1 min ago. Up 100% of the last 24 hours.",
  );
  assert.equal(
    answer(up, watched("down", { name: "Cart", lastError: "Nobody takes the connection." })),
    "danger: A part of your site is down. Cart: Nobody takes the connection. It began 20 min ago.",
  );
  assert.equal(
    answer(watched("down"), watched("paused")),
    "danger: Your site is down. Shop: it does not respond. It began 20 min ago.",
  );
  assert.equal(
    answer(up, watched("degraded", { lastError: "It took 3000 ms; above 2000 ms is slow." })),
    "warning: Your site is up, but slow to answer. Shop: It took 3000 ms; above 2000 ms is slow.",
  );
  assert.match(answer(up, watched("unknown", { name: "Cart" })), /Not measured just now: Cart\.$/);
});

Deno.test("what is not measured is neither up nor down", () => {
  assert.match(answer(), /^neutral: Nobody checks yet whether your site is up\./);
  assert.match(answer(watched("paused")), /^neutral: Nobody checks just now.*are paused\.$/);
  assert.match(answer(watched("maintenance")), /^neutral: Your site is in maintenance\./);
  assert.match(
    answer(watched("unknown", { checkedAt: null })),
    /^neutral: The first check is still to come\./,
  );
  assert.match(
    answer(watched("unknown")),
    /^neutral: It is not known.*The last check was 1 min ago/,
  );
  assert.match(answer(watched("unknown", { isCutOff: true })), /seems to have no network\.$/);
});

Deno.test("of several certificates the one in the worst state is told", () => {
  const first = (...certificates: NonNullable<Fields["certificate"]>[]) =>
    firstCertificate(certificates.map((certificate) => watched("up", { certificate })))
      ?.certificate;
  assert.equal(firstCertificate([watched("up")]), null);
  assert.equal(first({ daysLeft: 60 }, { daysLeft: 20 }, { daysLeft: 40 })?.daysLeft, 20);
  assert.equal(first({ daysLeft: 2 }, { daysLeft: 90, problem: "self-signed" })?.daysLeft, 90);
});

Deno.test("a count is told against the time before in words", () => {
  const words: [count: number, before: number, words: RegExp][] = [
    [5, 0, /^none in/],
    [5, 5, /^as many as/],
    [103, 100, /^about as many as/],
    [130, 100, /^30\.0% more than/],
    [70, 100, /^30\.0% fewer than/],
    [250, 100, /^2\.5 times as many as/],
  ];
  for (const [count, before, expected] of words) {
    assert.match(againstBefore(count, before), expected);
  }
});
