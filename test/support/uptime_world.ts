/** A project with a channel, whose monitors are checked at times and with answers that a test chooses. */
import { createChannel } from "../../lib/alerts/channels/channels.ts";
import type { Notice } from "../../lib/alerts/channels/message.ts";
import { readNotice } from "../../lib/alerts/deliveries/queue.ts";
import type { ProbeResult } from "../../lib/monitors/probes/probe.ts";
import type { Prober } from "../../lib/monitors/probes/prober.ts";
import type { Target } from "../../lib/monitors/probes/target.ts";
import {
  checkMonitor,
  type Monitor,
  type MonitorInput,
} from "../../lib/monitors/uptime/monitor.ts";
import { createMonitor, findMonitor } from "../../lib/monitors/uptime/monitors.ts";
import {
  startUptime,
  type Uptime,
  type UptimeOptions,
} from "../../lib/monitors/uptime/scheduler.ts";
import type { Logger } from "../../lib/core/log.ts";
import type { MetricBatch } from "../../lib/records/mod.ts";
import type { Sql } from "../../lib/store/database.ts";
import { makeWorld } from "./ingest_world.ts";
import { silentLogger } from "./silent_logger.ts";
import { testDatabase } from "./database.ts";
import { testKv } from "./kv.ts";

const CONFIG = { baseUrl: "https://watch.test", secretKey: null };

/** What a check of a target answers. */
export type Answer = (target: Target, at: Date, traceparent: string) => Partial<ProbeResult>;

/** A result that is up, with changes. */
export function probeResult(changes: Partial<ProbeResult> = {}): ProbeResult {
  return {
    state: "up",
    problem: null,
    at: new Date(),
    durationMs: 120,
    phases: { dns: 5, connect: 10, tls: 20, firstByte: 80, download: 5 },
    status: 200,
    address: "192.0.2.1",
    headers: { "content-type": "text/plain" },
    body: "fine",
    certificate: null,
    redirects: [],
    ...changes,
  };
}

/** A check that failed by its answer. */
export const DOWN: Partial<ProbeResult> = {
  state: "down",
  status: 500,
  body: "broken",
  problem: { kind: "status", sentence: "The answer was 500; expected is 200-299." },
};

/** A check that failed on its way. */
export const UNREACHABLE: Partial<ProbeResult> = {
  state: "down",
  status: null,
  problem: { kind: "connection", sentence: "Nobody takes the connection." },
};

export interface UptimeWorld extends AsyncDisposable {
  readonly sql: Sql;
  readonly kv: Deno.Kv;
  readonly projectId: string;
  readonly channelId: string;
  /** How many checks were made of each target. */
  readonly probed: Target[];
  readonly points: MetricBatch[];
  /** What checks answer from now on. */
  answerWith(answer: Answer): void;
  /** Seconds since the beginning of the test. */
  at(seconds: number): Date;
  monitor(fields?: Partial<Omit<MonitorInput, "target">> & { target?: object }): Promise<Monitor>;
  find(monitor: Monitor): Promise<Monitor>;
  /** Checks what is due, once a second, from the last time on to this one. */
  go(seconds: number): Promise<void>;
  /** Jumps to a time without looking between. */
  jump(seconds: number): Promise<void>;
  /** One more instance on the same stores. */
  instance(options?: Partial<UptimeOptions>): Uptime;
  notices(): Promise<Notice[]>;
}

/** @param options other than the usual ones, for the first instance */
export async function uptimeWorld(options: Partial<UptimeOptions> = {}): Promise<UptimeWorld> {
  await using opened = new AsyncDisposableStack();
  const { sql } = opened.use(await testDatabase());
  const { kv } = opened.use(await testKv());
  const { project: { id: projectId } } = await makeWorld(kv);
  const channelId = crypto.randomUUID();
  await createChannel(sql, projectId, channelId, {
    type: "webhook",
    name: "hook",
    target: "hook.test",
    sealed: new Uint8Array(1),
    updatedBy: "",
  });
  // Soon after midnight, so that no test runs into the day after.
  const beginning = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 80_000_000;
  let elapsed = 0;
  let answer: Answer = () => ({});
  const probed: Target[] = [];
  const points: MetricBatch[] = [];
  const at = (seconds: number) => new Date(beginning + seconds * 1_000);
  const errors: unknown[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (message, fields) => void errors.push([message, fields]),
  };
  const prober: Pick<Prober, "probe"> = {
    probe(target, { traceparent = "" } = {}) {
      probed.push(target);
      return Promise.resolve(
        probeResult({ at: at(elapsed), ...answer(target, at(elapsed), traceparent) }),
      );
    },
  };
  const instances: Uptime[] = [];
  const instance = (own: Partial<UptimeOptions> = {}) => {
    const uptime = startUptime({
      sql,
      kv,
      log,
      config: CONFIG,
      prober,
      store: (_, records) => Promise.resolve(void points.push(...records)),
      reference: null,
      registries: null,
      now: () => at(elapsed),
      pollMs: null,
      ...own,
    });
    instances.push(uptime);
    return uptime;
  };
  const refuseErrors = () => {
    if (errors.length > 0) throw new Error(Deno.inspect(errors, { depth: 9 }));
  };
  const uptime = instance(options);
  const disposing = { dispose: () => Promise.resolve() };
  const world: UptimeWorld = {
    sql,
    kv,
    projectId,
    channelId,
    probed,
    points,
    at,
    answerWith: (next) => void (answer = next),
    async monitor({ target, ...fields } = {}) {
      const checked = checkMonitor({
        name: "Shop",
        channelIds: [channelId],
        target: { kind: "http", url: "https://shop.example.com/", ...target },
        ...fields,
      });
      if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
      return await createMonitor(
        { sql, kv, config: CONFIG },
        projectId,
        checked.input,
        "",
        at(elapsed),
      );
    },
    async find({ monitorId }) {
      const found = await findMonitor(sql, projectId, monitorId);
      if (found === null) throw new Error("The monitor is gone");
      return found;
    },
    async go(seconds) {
      // Between two due times nothing happens.
      while (elapsed < seconds) {
        const [next] = await sql<{ at: Date | null }[]>`
          select min(due_at) as at from uptime_monitors where not is_paused
        `;
        const at = next?.at ?? null;
        const due = at === null ? seconds : (at.getTime() - beginning) / 1_000;
        elapsed = Math.min(seconds, Math.max(elapsed + 1, Math.ceil(due)));
        await uptime.run();
        refuseErrors();
      }
    },
    async jump(seconds) {
      elapsed = seconds;
      await uptime.run();
      refuseErrors();
    },
    instance,
    async notices() {
      const rows = await sql<{ notice: string }[]>`select notice from deliveries order by sequence`;
      return rows.map(({ notice }) => readNotice(notice));
    },
    [Symbol.asyncDispose]: () => disposing.dispose(),
  };
  const stores = opened.move();
  disposing.dispose = async () => {
    await Promise.all(instances.map((each) => each.close()));
    await stores.disposeAsync();
  };
  return world;
}
