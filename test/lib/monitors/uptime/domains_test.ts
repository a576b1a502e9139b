import assert from "node:assert/strict";
import type { Target } from "@/lib/monitors/probes/target.ts";
import { changeMonitor } from "@/lib/monitors/uptime/monitors.ts";
import { pointsOf } from "@/lib/monitors/uptime/points.ts";
import { purgeProject } from "@/lib/store/deleted_projects.ts";
import { deleteExpired } from "@/lib/store/retention.ts";
import { probeResult, uptimeWorld } from "../../../support/uptime_world.ts";
import { waitFor } from "../../../support/wait_for.ts";
import { webhookReceiver } from "../../../support/webhook_receiver.ts";

const DAY_SEC = 86_400;

/** A registry of `.test` that says what a test chooses, and the list that leads to it. */
function registry(endOf: (domain: string) => Date | null) {
  const server = webhookReceiver();
  server.answerWith(({ path }) => {
    if (path === "/dns.json") {
      return Response.json({ services: [[["test"], [server.origin]]] });
    }
    const end = endOf(path.replace("/domain/", ""));
    return end === null ? new Response("busy", { status: 500 }) : Response.json({
      events: [{ eventAction: "expiration", eventDate: end.toISOString() }],
    });
  });
  return {
    server,
    registries: { bootstrapUrl: `${server.origin}/dns.json`, allowsPrivate: true },
    asked: () =>
      server.received.map(({ path }) => path).filter((path) => path.startsWith("/domain/")),
  };
}

Deno.test("the end of a domain is told at each threshold once, and nothing more when it was renewed", async () => {
  let end = new Date();
  const { server, registries, asked } = registry(() => end);
  await using _ = server;
  await using world = await uptimeWorld({ registries });
  end = world.at(40 * DAY_SEC);
  const shop = await world.monitor({ target: { url: "https://www.shop.test/" } });
  await world.monitor({ name: "Database", target: { kind: "tcp", host: "db.shop.test", port: 1 } });
  const days = [0, 9.5, 11, 25.5, 33, 37.5, 39, 40.2, 41.5];
  for (const day of days) {
    await world.jump(day * DAY_SEC);
    await world.jump(day * DAY_SEC + 3_600);
  }
  assert.deepEqual(asked(), days.map(() => "/domain/shop.test"));
  end = world.at(400 * DAY_SEC);
  await world.jump(43 * DAY_SEC);
  assert.deepEqual((await world.notices()).map(({ title }) => title), [
    "The registration of shop.test ends in 30 days",
    "The registration of shop.test ends in 14 days",
    "The registration of shop.test ends in 7 days",
    "The registration of shop.test ends in 1 day",
    "The registration of shop.test has ended",
  ]);
  const monitor = await world.find(shop);
  assert.deepEqual(monitor.domainEndsAt, end);
  const { series } = pointsOf(monitor, monitor.dueAt, probeResult({ at: world.at(43 * DAY_SEC) }));
  const point = series.find(({ metric }) => metric.name === "uptime.domain_days")?.points[0];
  assert.equal(point && "value" in point ? point.value : null, 357);
});

Deno.test("a registry that does not answer is asked again the next day, and what it said before holds", async () => {
  let end: Date | null = null;
  const { server, registries, asked } = registry(() => end);
  await using _ = server;
  await using world = await uptimeWorld({ registries });
  const shop = await world.monitor({ target: { url: "https://shop.test/" } });
  await world.go(600);
  assert.equal((await world.find(shop)).domainEndsAt, null);
  assert.equal(asked().length, 1);

  const known = end = world.at(32.5 * DAY_SEC);
  await world.jump(1.2 * DAY_SEC);
  assert.deepEqual((await world.find(shop)).domainEndsAt, known);
  assert.deepEqual(await world.notices(), []);
  end = null;
  await world.jump(2.4 * DAY_SEC);
  assert.equal(asked().length, 3);
  assert.deepEqual((await world.notices()).map(({ title, severity }) => [title, severity]), [
    ["The registration of shop.test ends in 30 days", "warning"],
  ]);
});

Deno.test("of several instances one asks, and a domain that nobody wants to hear of is not asked for", async () => {
  const { server, registries, asked } = registry(() => new Date("2090-01-01T00:00:00Z"));
  await using _ = server;
  await using world = await uptimeWorld({ registries });
  const others = [world.instance({ registries }), world.instance({ registries })];
  const quiet = { certificateDays: [] };
  await world.monitor({ ...quiet, target: { url: "https://quiet.test/" } });
  await world.monitor({ target: { url: "https://192.0.2.1/" } });
  await world.monitor({ target: { kind: "ping", host: "machine.test" } });
  for (const name of ["a", "b", "c", "d", "e", "f"]) {
    await world.monitor({ name, target: { url: `https://${name}.shop.test/` } });
  }
  await world.monitor({ target: { kind: "dns", name: "zone.test", type: "MX" } });
  for (const seconds of [0, 60, 120]) {
    await Promise.all([world.jump(seconds), ...others.map((other) => other.run())]);
  }
  assert.deepEqual(asked().toSorted(), ["/domain/shop.test", "/domain/zone.test"]);
});

Deno.test("a registry that hangs holds up no check, and ends with the service", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const { server, registries } = registry(() => null);
  await using _ = server;
  server.answerWith(() => promise);
  await using world = await uptimeWorld();
  const slow = world.instance({ registries });
  const monitor = await world.monitor({ target: { url: "https://shop.test/" } });
  const running = slow.run();
  await waitFor("a question to the registry", () => server.received[0]);
  for (const seconds of [60, 120, 180]) await world.jump(seconds);
  assert.equal(world.probed.length, 4);
  await slow.close();
  await running;
  resolve(new Response());
  assert.equal((await world.find(monitor)).domainEndsAt, null);
});

Deno.test("a monitor that leaves a domain shows it no more, and what nobody asks for is deleted in time", async () => {
  const { server, registries } = registry(() => new Date("2090-01-01T00:00:00Z"));
  await using _ = server;
  await using world = await uptimeWorld({ registries });
  const monitor = await world.monitor({ target: { url: "https://shop.test/" } });
  await world.go(5);
  const known = await world.find(monitor);
  assert.deepEqual(known.domainEndsAt, new Date("2090-01-01T00:00:00Z"));
  const moved = await changeMonitor(
    { sql: world.sql, kv: world.kv, config: { secretKey: null } },
    known,
    { ...known, target: { ...known.target, url: "https://192.0.2.1/" } as Target, windows: [] },
    "",
  );
  assert.deepEqual([moved?.domain, moved?.domainEndsAt], ["", null]);
  const later = new Date(world.at(0).getTime() + 100 * DAY_SEC * 1_000);
  const gone = await deleteExpired(world.sql, 90, new AbortController().signal, later);
  assert.equal(gone.uptime_domains, 1);

  await world.monitor({ target: { url: "https://shop.test/" } });
  await world.jump(60);
  const left = () => world.sql`select domain from uptime_domains`;
  assert.equal((await left()).length, 1);
  await purgeProject(world.sql, world.projectId, new AbortController().signal);
  assert.equal((await left()).length, 0);
});

Deno.test("monitors that were made before domains were watched are watched as well", async () => {
  const { server, registries, asked } = registry(() => new Date("2090-01-01T00:00:00Z"));
  await using _ = server;
  await using world = await uptimeWorld({ registries });
  const monitor = await world.monitor({ target: { url: "https://shop.test/" } });
  await world.sql`update uptime_monitors set domain = ''`;
  await world.go(120);
  assert.deepEqual(asked(), ["/domain/shop.test"]);
  assert.equal((await world.find(monitor)).domain, "shop.test");
});
