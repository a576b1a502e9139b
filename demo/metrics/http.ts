import type { Example, Meter } from "./meter.ts";
import { type Moment, timesIn } from "./moment.ts";

/** An endpoint as its server sees it. */
export interface Route {
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
export function serve(
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
