/** The order service, a JVM. */
import { serve } from "./http.ts";
import type { Meter } from "./meter.ts";
import { type Moment, timesIn } from "./moment.ts";

const MIB = 1024 ** 2;
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
