/** Two weeks of metrics of the shop's services and machines. */
import type { Random } from "../story.ts";
import type { Trace } from "../traces/history.ts";
import type { OtlpRequest } from "../traces/otlp.ts";
import { segmentsOf } from "../traces/scene.ts";
import { type Environment, releaseOf, type ServiceName } from "../traces/services.ts";
import { host, orders, storefront } from "./services.ts";
import { type Example, Meter, type Moment, momentAt } from "./meter.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS = 14;
/** Minutes between exports: of the last day, and before it, where a demo does not need all. */
const RECENT = 1;
const EARLIER = 10;
const EXPORTS_A_REQUEST = 30;
const MACHINES = ["shop-1", "shop-2"];

/** Everything up to `now`, oldest first within each process. @param traces some of which become exemplars */
export function metricsOfTwoWeeks(
  random: Random,
  now: Date,
  traces: readonly Trace[],
): OtlpRequest[] {
  const times = exportTimes(now);
  const examples = examplesOf(traces);
  const run = (process: Process) => new Running(process, random, now).requests(times);
  return [
    ...(["production", "staging"] as const).flatMap((environment) => [
      ...run(service("storefront", environment, (meter, moment, release) => {
        const known = environment === "production" ? examples(moment) : new Map();
        storefront(meter, moment, release, known);
      })),
      ...run(service("orders", environment, orders)),
    ]),
    ...MACHINES.flatMap((name) => run(machine(name, now))),
  ];
}

/** Something that is asked for its metrics again and again. */
interface Process {
  readonly environment: Environment;
  /** Begins anew when it changes. */
  release(daysAgo: number): string;
  resource(release: string): Readonly<Record<string, string>>;
  live(meter: Meter, moment: Moment, release: string): void;
}

function service(name: ServiceName, environment: Environment, live: Process["live"]): Process {
  return {
    environment,
    live,
    release: (daysAgo) => releaseOf(name, environment, daysAgo),
    resource: (release) => ({
      "service.name": name,
      "service.version": release,
      "deployment.environment.name": environment,
    }),
  };
}

function machine(name: string, now: Date): Process {
  return {
    environment: "production",
    release: () => "",
    resource: () => ({
      "host.name": name,
      "os.type": "linux",
      "deployment.environment.name": "production",
    }),
    live: (meter, moment) => host(meter, moment, (now.getTime() - moment.at.getTime()) / DAY_MS),
  };
}

class Running {
  #meter: Meter | null = null;
  #release: string | null = null;

  constructor(readonly process: Process, readonly random: Random, readonly now: Date) {}

  requests(times: readonly Date[]): OtlpRequest[] {
    const made: (OtlpRequest | null)[] = [];
    times.forEach((at, index) => {
      const before = times[index - 1] ?? new Date(at.getTime() - EARLIER * MINUTE_MS);
      made.push(this.#live(before, at));
      if (index % EXPORTS_A_REQUEST === 0) made.push(this.#meter?.request() ?? null);
    });
    made.push(this.#meter?.request() ?? null);
    return made.filter((request) => request !== null);
  }

  /** Lives until `at`; a process that ends for the next release sends what it still has. */
  #live(before: Date, at: Date): OtlpRequest | null {
    const { process, random, now } = this;
    const release = process.release((now.getTime() - at.getTime()) / DAY_MS);
    const last = release === this.#release ? null : this.#meter?.request() ?? null;
    if (release !== this.#release || this.#meter === null) {
      this.#meter = new Meter(process.resource(release), before.getTime() / 1000);
      this.#release = release;
    }
    const minutes = (at.getTime() - before.getTime()) / MINUTE_MS;
    process.live(this.#meter, momentAt(random, now, at, minutes, process.environment), release);
    this.#meter.collect(at.getTime() / 1000);
    return last;
  }
}

/** When metrics are exported, on whole minutes. */
function exportTimes(now: Date): Date[] {
  const end = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS;
  const times: Date[] = [];
  for (let ago = DAYS * DAY_MS; ago > 0;) {
    times.push(new Date(end - ago));
    ago -= (ago > DAY_MS ? EARLIER : RECENT) * MINUTE_MS;
  }
  return [...times, new Date(end)];
}

/** Finds the requests of the storefront that were traced in a moment, by method and route. */
function examplesOf(traces: readonly Trace[]) {
  const all = traces.filter(({ scene }) => scene.environment === "production").flatMap((trace) =>
    segmentsOf(trace.root).flatMap(({ entry, root }) => {
      if (entry.service !== "storefront" || entry.http === undefined) return [];
      const { start: time, end, spanId } = root;
      const example: Example = { time, value: end - time, traceId: trace.traceId, spanId };
      return [{ endpoint: `${entry.http.method} ${entry.http.route}`, example }];
    })
  );
  return ({ at, minutes }: Moment): ReadonlyMap<string, readonly Example[]> => {
    const end = at.getTime() / 1000;
    const found = all.filter(({ example: { time } }) => time < end && time >= end - minutes * 60);
    const grouped = Map.groupBy(found, ({ endpoint }) => endpoint);
    return new Map([...grouped].map(([key, list]) => [key, list.map(({ example }) => example)]));
  };
}
