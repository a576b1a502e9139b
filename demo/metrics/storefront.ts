/** The shop's API, a Node process, and what it tells of the business. */
import type { Route } from "./http.ts";
import { serve } from "./http.ts";
import type { Example, Meter } from "./meter.ts";
import { type Moment, timesIn } from "./moment.ts";

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
