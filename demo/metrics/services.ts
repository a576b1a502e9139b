/** The shop's API, a Node process, and what it tells of the business. */
import { type Example, type Meter, type Moment, timesIn } from "./meter.ts";

const MIB = 1024 ** 2;
/** It no longer finds prices in the cache. */
const REGRESSED = "storefront@5.3.0";
const SLOWER = 3.4;
const METHODS = [["card", 0.62], ["paypal", 0.27], ["invoice", 0.11]] as const;

const common = { spread: 0.45, failing: 0.004, needsDatabase: true };
const ROUTES: readonly Route[] = [
  { ...common, method: "GET", route: "/api/products", perMinute: 60, medianMs: 24 },
  { ...common, method: "GET", route: "/api/products/:id", perMinute: 42, medianMs: 92 },
  { ...common, method: "GET", route: "/api/search", perMinute: 18, medianMs: 410, spread: 0.7 },
  { ...common, method: "GET", route: "/api/cart", perMinute: 30, medianMs: 36 },
  { ...common, method: "POST", route: "/api/cart", perMinute: 9, medianMs: 48 },
  {
    ...common,
    method: "POST",
    route: "/api/checkout",
    perMinute: 3.5,
    medianMs: 620,
    failing: 0.02,
  },
];

/** @param examples requests of the moment whose traces are known, by route */
export function storefront(
  meter: Meter,
  moment: Moment,
  release: string,
  examples: ReadonlyMap<string, readonly Example[]>,
): void {
  for (const route of ROUTES) {
    const isSlower = release === REGRESSED && route.route === "/api/cart";
    const medianMs = route.medianMs * (isSlower ? SLOWER : 1);
    const known = examples.get(`${route.method} ${route.route}`) ?? [];
    serve(meter, moment, { ...route, medianMs }, known);
  }
  runtime(meter, moment);
  business(meter, moment);
}

function runtime(meter: Meter, moment: Moment): void {
  const { random, load, minutes, isStarved } = moment;
  meter.set("nodejs.eventloop.utilization", {}, Math.min(0.98, 0.03 + 0.42 * load));
  meter.set(
    "nodejs.eventloop.delay.p99",
    {},
    (0.0108 + 0.006 * load) * random.around(1, 0.15) * (isStarved ? 4 : 1),
  );
  const spaces = [["old_space", 78], ["new_space", 9], ["large_object_space", 14]] as const;
  for (const [space, size] of spaces) {
    const used = size * MIB * (0.7 + 0.5 * load) * random.around(1, 0.06);
    meter.set("v8js.memory.heap.used", { "v8js.heap.space.name": space }, Math.round(used));
  }
  for (const [type, perMinute, median] of [["minor", 14, 0.0016], ["major", 0.5, 0.018]] as const) {
    for (
      let runs = timesIn({ ...moment, load: 0.3 + load, minutes }, perMinute);
      runs > 0;
      runs--
    ) {
      meter.observe("v8js.gc.duration", { "v8js.gc.type": type }, random.around(median, 0.5));
    }
  }
}

function business(meter: Meter, moment: Moment): void {
  const { random, load, isStarved } = moment;
  for (const [method, share] of METHODS) {
    const labels = { "payment.method": method };
    for (let orders = timesIn(moment, 3.1 * share * (isStarved ? 0.3 : 1)); orders > 0; orders--) {
      meter.add("shop.orders", labels, 1);
      meter.add("shop.revenue", labels, Math.round(random.around(64, 0.6) * 100) / 100);
      meter.observe("shop.cart.items", {}, Math.max(1, Math.round(random.around(2.6, 0.7))));
    }
  }
  meter.set("shop.carts.open", {}, Math.round(410 * (0.3 + load) * random.around(1, 0.04)));
}

/** An endpoint as its server sees it. */
interface Route {
  readonly method: string;
  readonly route: string;
  /** At full load. */
  readonly perMinute: number;
  /** Of half of the requests, at most. */
  readonly medianMs: number;
  readonly spread: number;
  /** Share of requests that fail. */
  readonly failing: number;
  /** It waits for the database, or cannot do without it. */
  readonly needsDatabase: boolean;
}

const STARVED = { failing: 0.35, slower: 6 } as const;

/** Serves the requests of a moment. @param examples of requests of this route whose traces are known */
function serve(
  meter: Meter,
  moment: Moment,
  route: Route,
  examples: readonly Example[],
): void {
  const { random } = moment;
  const isStarved = moment.isStarved && route.needsDatabase;
  const failing = isStarved ? STARVED.failing : route.failing;
  const median = route.medianMs * (isStarved ? STARVED.slower : 1);
  const labelsOf = (status: number) => ({
    "http.request.method": route.method,
    "http.route": route.route,
    "http.response.status_code": status,
  });
  for (let served = timesIn(moment, route.perMinute); served > 0; served--) {
    const status = random.chance(failing) ? 500 : random.chance(0.02) ? 404 : 200;
    const seconds = random.around(median, route.spread) / 1000;
    meter.observe("http.server.request.duration", labelsOf(status), seconds);
  }
  for (const example of examples) {
    meter.observe("http.server.request.duration", labelsOf(200), example.value, example);
  }
  const active = route.perMinute / 60 * moment.load * median / 1000;
  meter.set("http.server.active_requests", {
    "http.request.method": route.method,
    "http.route": route.route,
  }, Math.round(active * random.around(1.6, 0.5)));
}

/** The order service, a JVM. */
const PLACE_ORDER = {
  method: "POST",
  route: "/orders",
  perMinute: 3.4,
  medianMs: 340,
  spread: 0.4,
  failing: 0.012,
  needsDatabase: true,
} as const;

export function orders(meter: Meter, moment: Moment): void {
  const { random, load } = moment;
  serve(meter, moment, PLACE_ORDER, []);
  meter.set(
    "jvm.cpu.recent_utilization",
    {},
    Math.min(1, (0.04 + 0.3 * load) * random.around(1, 0.15)),
  );
  meter.set("jvm.thread.count", { "jvm.thread.daemon": true }, 24 + Math.round(18 * load));
  meter.set("jvm.thread.count", { "jvm.thread.daemon": false }, 7);
  const pools = [
    ["heap", "G1 Eden Space", 120],
    ["heap", "G1 Old Gen", 310],
    ["non_heap", "Metaspace", 96],
  ] as const;
  for (const [type, pool, size] of pools) {
    const swing = type === "heap" ? (0.5 + 0.7 * load) * random.around(1, 0.2) : 1;
    const labels = { "jvm.memory.type": type, "jvm.memory.pool.name": pool };
    meter.set("jvm.memory.used", labels, Math.round(size * MIB * swing));
  }
  for (let runs = timesIn({ ...moment, load: 0.2 + load }, 2.4); runs > 0; runs--) {
    const labels = { "jvm.gc.name": "G1 Young Generation", "jvm.gc.action": "end of minor GC" };
    meter.observe("jvm.gc.duration", labels, random.around(0.011, 0.5));
  }
}

/** A machine as the Collector's host metrics tell of it. */

const GIB = 1024 ** 3;
const CORES = 4;
const MEMORY = 16 * GIB;

/** @param daysAgo how long the file system has still had to fill */
export function host(meter: Meter, moment: Moment, daysAgo: number): void {
  const { random, load, minutes, isStarved } = moment;
  const seconds = minutes * 60;
  const user = (0.05 + 0.5 * load) * random.around(1, 0.1);
  const wait = (isStarved ? 0.25 : 0.01) * random.around(1, 0.4);
  const shares = { user, system: 0.3 * user, wait, idle: Math.max(0, 1 - 1.3 * user - wait) };
  for (const [state, share] of Object.entries(shares)) {
    meter.add("system.cpu.time", { state }, share * seconds * CORES);
  }
  meter.set("system.cpu.load_average.1m", {}, (1.3 * user + 2 * wait) * CORES);
  const used = MEMORY * (0.42 + 0.12 * load) * random.around(1, 0.02);
  const cached = MEMORY * 0.28;
  for (const [state, size] of Object.entries({ used, cached, free: MEMORY - used - cached })) {
    meter.set("system.memory.usage", { state }, Math.round(size));
  }
  for (const [direction, perSecond] of [["receive", 1.4], ["transmit", 3.9]] as const) {
    const bytes = perSecond * MIB * (0.05 + load) * seconds * random.around(1, 0.1);
    meter.add("system.network.io", { device: "eth0", direction }, Math.round(bytes));
  }
  for (const [direction, perSecond] of [["read", 0.4], ["write", 1.1]] as const) {
    const bytes = perSecond * MIB * (0.1 + load) * seconds * random.around(1, 0.3);
    meter.add("system.disk.io", { device: "vda", direction }, Math.round(bytes));
  }
  const labels = { device: "/dev/vda1", mountpoint: "/", type: "ext4" };
  meter.set("system.filesystem.utilization", labels, 0.81 - 0.012 * daysAgo);
}
