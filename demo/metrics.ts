/** Two weeks of metrics of the shop's services and machines, as OpenTelemetry's exporters send them. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/core/time.ts";
import { activity, type Random } from "./chance.ts";
import { ENDPOINTS, REGRESSED } from "./doings.ts";
import { type Example, INSTRUMENTS, Meter } from "./meter.ts";
import { servedBy, type Trace } from "./scene.ts";
import type { OtlpRequest } from "./send.ts";
import { type Environment, releaseOf } from "./shop.ts";

/** What a process goes through between two times at which it is asked for its metrics. */
interface Moment {
  readonly random: Random;
  readonly at: Date;
  readonly environment: Environment;
  readonly release: string;
  readonly daysAgo: number;
  /** Since the moment before. */
  readonly minutes: number;
  /** 1 is the busiest time of production. */
  readonly load: number;
  /** All connections to the database are taken. */
  readonly isStarved: boolean;
}

/** Minutes between exports: of the last day, and before it, where a demo does not need all. */
const RECENT = 1;
const EARLIER = 10;
const DAYS = 14;
const EXPORTS_A_REQUEST = 30;
const STAGING_LOAD = 0.06;
/** Hours ago that all connections to the database were taken. */
const STARVED = { from: 5.4, to: 5 } as const;

/** Everything up to `now`, oldest first within each process. @param traces some of which become exemplars */
export function metricsOfTwoWeeks(
  random: Random,
  now: Date,
  traces: readonly Trace[],
): OtlpRequest[] {
  const examples = servedBy("storefront", traces).map(({ trace: { traceId }, root }): Example => {
    const { work, start, end, spanId } = root;
    return { endpoint: work.name, time: start, value: end - start, traceId, spanId };
  });
  const processes = [
    ["storefront", "production", ""],
    ["storefront", "staging", ""],
    ["orders", "production", ""],
    ["orders", "staging", ""],
    ["host", "production", "shop-1"],
    ["host", "production", "shop-2"],
  ] as const;
  return processes.flatMap(([process, environment, machine]) => {
    const requests: (OtlpRequest | null)[] = [];
    let meter = null as Meter | null;
    let before = new Date(now.getTime() - DAYS * DAY_MS - EARLIER * MINUTE_MS);
    for (const [index, at] of exportTimes(now).entries()) {
      const daysAgo = (now.getTime() - at.getTime()) / DAY_MS;
      const release = process === "host" ? "" : releaseOf(process, environment, daysAgo);
      // A process ends for the next release, and sends what it still has.
      if (meter?.release !== release) {
        requests.push(meter?.request() ?? null);
        const whose = process === "host"
          ? { "host.name": machine, "os.type": "linux" }
          : { "service.name": process, "service.version": release };
        const resource = { ...whose, "deployment.environment.name": environment };
        meter = new Meter(resource, release, before.getTime() / 1000);
      }
      const hoursAgo = daysAgo * DAY_MS / HOUR_MS;
      const isProduction = environment === "production";
      const moment: Moment = {
        random,
        at,
        environment,
        release,
        daysAgo,
        minutes: (at.getTime() - before.getTime()) / MINUTE_MS,
        load: activity(at) * (isProduction ? 1 : STAGING_LOAD) * random.around(1, 0.08),
        isStarved: isProduction && hoursAgo <= STARVED.from && hoursAgo > STARVED.to,
      };
      live(process, meter, moment, isProduction ? examples : []);
      meter.collect(at.getTime() / 1000);
      if (index % EXPORTS_A_REQUEST === 0) requests.push(meter.request());
      before = at;
    }
    return [...requests, meter?.request() ?? null].filter((request) => request !== null);
  });
}

/** When metrics are exported, on whole minutes. */
function exportTimes(now: Date): Date[] {
  const end = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS;
  const times: Date[] = [];
  for (let ago = DAYS * DAY_MS; ago >= 0;) {
    times.push(new Date(end - ago));
    ago -= (ago > DAY_MS ? EARLIER : RECENT) * MINUTE_MS;
  }
  return times;
}

function live(
  process: string,
  meter: Meter,
  moment: Moment,
  examples: readonly Example[],
): void {
  const { random, load, minutes, isStarved, daysAgo } = moment;
  for (const { kind, name, series } of INSTRUMENTS.values()) {
    for (const { labels, numbers } of series.filter((one) => one.process === process)) {
      const [idle = 0, byLoad = 0, third = 0, starved = 1] = numbers;
      const level = idle + byLoad * load;
      if (kind === "histogram") {
        for (let times = timesIn(moment, level); times > 0; times--) {
          meter.observe(name, labels, random.around(third, 0.5));
        }
      } else {
        const varied = level * random.around(1, third) * (isStarved ? starved : 1);
        if (kind === "counter") meter.add(name, labels, varied * minutes * 60);
        else meter.set(name, labels, idle >= 1 ? Math.round(varied) : varied);
      }
    }
  }
  if (process === "host") {
    // It fills up.
    const labels = { device: "/dev/vda1", mountpoint: "/", type: "ext4" };
    meter.set("system.filesystem.utilization", labels, 0.81 - 0.012 * daysAgo);
  } else if (process === "orders") {
    serve(meter, moment, "POST /orders", { perMinute: 3.4, medianMs: 340 }, []);
  } else {
    for (const [endpoint, habits] of Object.entries(ENDPOINTS)) {
      const isSlow = moment.release === REGRESSED && endpoint === "GET /api/cart";
      const medianMs = habits.medianMs * (isSlow ? 3.4 : 1);
      const own = examples.filter((example) => example.endpoint === endpoint);
      serve(meter, moment, endpoint, { ...habits, medianMs }, own);
    }
    earn(meter, moment);
  }
}

/** How often something happens in a moment that does so `perMinute` times. */
function timesIn({ random, minutes }: Moment, perMinute: number): number {
  return Math.max(0, Math.floor(perMinute * minutes * random.around(1, 0.1) + random.next()));
}

/** Serves the requests of a moment. @param examples of requests of this endpoint whose traces are known */
function serve(
  meter: Meter,
  moment: Moment,
  endpoint: string,
  { perMinute, medianMs, spread = 0.45 }: { perMinute: number; medianMs: number; spread?: number },
  examples: readonly Example[],
): void {
  const { random, load, isStarved, at, minutes } = moment;
  const [method = "", route = ""] = endpoint.split(" ");
  const labels = { "http.request.method": method, "http.route": route };
  const failing = isStarved ? 0.35 : method === "POST" ? 0.015 : 0.004;
  const median = medianMs / 1000 * (isStarved ? 6 : 1);
  const observe = (status: number, seconds: number, example?: Example) =>
    meter.observe(
      "http.server.request.duration",
      { ...labels, "http.response.status_code": status },
      seconds,
      example,
    );
  for (let served = timesIn(moment, perMinute * load); served > 0; served--) {
    const status = random.chance(failing) ? 500 : random.chance(0.02) ? 404 : 200;
    observe(status, random.around(median, spread));
  }
  const end = at.getTime() / 1000;
  for (const example of examples) {
    if (example.time < end && example.time >= end - minutes * 60) {
      observe(200, example.value, example);
    }
  }
  const active = perMinute / 60 * load * median * random.around(1.6, 0.5);
  meter.set("http.server.active_requests", labels, Math.round(active));
}

function earn(meter: Meter, moment: Moment): void {
  const { random, load, isStarved } = moment;
  for (const [method, share] of [["card", 0.62], ["paypal", 0.27], ["invoice", 0.11]] as const) {
    const labels = { "payment.method": method };
    const perMinute = 3.1 * share * load * (isStarved ? 0.3 : 1);
    for (let orders = timesIn(moment, perMinute); orders > 0; orders--) {
      meter.add("shop.orders", labels, 1);
      meter.add("shop.revenue", labels, Math.round(random.around(64, 0.6) * 100) / 100);
      meter.observe("shop.cart.items", {}, Math.max(1, Math.round(random.around(2.6, 0.7))));
    }
  }
}
