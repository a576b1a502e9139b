/**
 * Tells others what this instance is doing: measures and work by OTLP to `SERVICE_OTLP_ENDPOINT`; errors, work and profiles
 * to the project that watches it. Each isolate sends what it knows; the first one alone sends what is of the process.
 */
import { keepWork, takeWork } from "../../core/own_work.ts";
import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { repeat, type Repeated } from "../../core/waiting.ts";
import { thisIsolate } from "../isolate.ts";
import { collect } from "../own_health/collect.ts";
import type { Services } from "../services.ts";
import type { BugReports } from "./bugs.ts";
import { sampleCpu } from "./cpu_profile.ts";
import { bugEnvelope, newId, profileEnvelope } from "./envelopes.ts";
import { metricsBody, tracesBody } from "./otlp.ts";
import { Outbox } from "./outbox.ts";
import { findReceiver, post, type Receiver } from "./receiver.ts";

interface Times {
  /** Between two looks for errors, in milliseconds; as the others. */
  readonly tickMs: number;
  readonly workMs: number;
  /** Between two profiles, and how long each lasts. */
  readonly profileMs: number;
  readonly sampleMs: number;
}

const TIMES: Times = {
  tickMs: 10 * SECOND_MS,
  workMs: MINUTE_MS,
  profileMs: 10 * MINUTE_MS,
  sampleMs: 5 * SECOND_MS,
};

/** Begins; a look by hand with `run()` sends what is due. Never throws, and nothing waits for it. */
export function startOwnTelemetry(
  services: Services,
  bugs: BugReports,
  times: Partial<Times> = {},
): Repeated {
  const teller = new Teller(services, bugs, { ...TIMES, ...times });
  const clock = repeat((stopping) => teller.tell(stopping), () => teller.times.tickMs);
  return {
    run: clock.run,
    async close() {
      bugs.isWanted = false;
      keepWork(false, null);
      await clock.close();
    },
  };
}

class Teller {
  readonly #watch: Outbox;
  readonly #otlp: Outbox;
  readonly #isFirst = thisIsolate().number === 1;
  readonly #instance = `${Deno.hostname()}/${thisIsolate().number}`;
  readonly #profilerId = newId();
  #receiver: Receiver | null = null;
  #workAt = performance.now();
  #profiledAt = performance.now();

  constructor(
    private readonly services: Services,
    private readonly bugs: BugReports,
    readonly times: Times,
  ) {
    this.#watch = new Outbox("watch", services.log);
    this.#otlp = new Outbox("otlp", services.log);
  }

  async tell(stopping: AbortSignal): Promise<void> {
    try {
      const receiver = await this.#findReceiver();
      const { otlp } = this.services.config;
      this.bugs.isWanted = receiver !== null;
      keepWork(receiver !== null || otlp !== null, receiver?.ownProjectId ?? null);
      this.#addBugs(receiver);
      await this.#addWork(receiver);
      await this.#addProfile(receiver, stopping);
      if (receiver !== null) await this.#flushTo(receiver);
      if (otlp !== null) {
        await this.#otlp.flush(({ path, body }) =>
          post(`${otlp.endpoint}/${path}`, body, otlp.headers)
        );
      }
    } catch (error) {
      this.services.log.warn("cannot tell of itself", { error });
    }
  }

  /** The last one while KV is away. */
  async #findReceiver(): Promise<Receiver | null> {
    try {
      this.#receiver = await findReceiver(this.services);
    } catch {
      // `/readyz` tells of the store.
    }
    return this.#receiver;
  }

  #addBugs(receiver: Receiver | null): void {
    const { bugs, dropped } = this.bugs.take();
    if (receiver === null) return this.#watch.clear();
    for (const bug of bugs) this.#watch.put("envelope", bugEnvelope(bug));
    this.#watch.dropped(dropped);
  }

  async #addWork(receiver: Receiver | null): Promise<void> {
    if (performance.now() - this.#workAt < this.times.workMs) return;
    this.#workAt = performance.now();
    const work = takeWork();
    const traces = work.length === 0 ? null : tracesBody(work, this.#instance);
    if (receiver !== null && traces !== null) this.#watch.put("v1/traces", traces);
    if (this.services.config.otlp === null) return;
    if (traces !== null) this.#otlp.put("v1/traces", traces);
    if (!this.#isFirst) return;
    const families = await collect(this.services);
    const startedAt = this.services.startedAt.getTime();
    this.#otlp.put("v1/metrics", metricsBody(families, this.#instance, startedAt));
  }

  async #addProfile(receiver: Receiver | null, stopping: AbortSignal): Promise<void> {
    const isDue = performance.now() - this.#profiledAt >= this.times.profileMs;
    if (receiver === null || !this.#isFirst || !isDue) return;
    this.#profiledAt = performance.now();
    const profile = await sampleCpu(this.times.sampleMs, stopping);
    const envelope = profileEnvelope(profile, this.#profilerId);
    if (envelope !== null) this.#watch.put("envelope", envelope);
  }

  async #flushTo({ ownProjectId, send }: Receiver): Promise<void> {
    this.bugs.isStoringOwn = ownProjectId !== null;
    try {
      await this.#watch.flush(send);
    } finally {
      this.bugs.isStoringOwn = false;
    }
  }
}
