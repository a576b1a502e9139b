/** Sends what waits in the queue of notices. Any number of isolates may do it at once. */
import type { Config } from "../../core/config.ts";
import type { Logger } from "../../core/log.ts";
import type { Resolver } from "../../core/addresses.ts";
import type { Sql } from "../../store/database.ts";
import { claimChannels, type ClaimedChannel } from "./queue.ts";
import { deliverChannel, type DeliveryTools, LEASE_MS } from "./deliver.ts";
import type { Endpoints } from "../channels/kind.ts";

export interface DeliveriesOptions {
  readonly sql: Sql;
  readonly kv: Deno.Kv;
  readonly config: Config;
  readonly log: Logger;
  /** @default the system's clock */
  readonly now?: () => Date;
  /** How often the queue is looked at, in milliseconds; null: only when `run()` is called. @default 2_000 */
  readonly pollMs?: number | null;
  readonly resolver?: Resolver;
  readonly endpoints?: Endpoints;
}

export interface Deliveries {
  /** Sends what is due and resolves when all of it was tried. Never throws. */
  run(): Promise<void>;
  /** Begins nothing new, gives what is under way a moment, then ends it. */
  close(): Promise<void>;
}

const POLL_MS = 2_000;
/** While the database is away. */
const LONG_POLL_MS = 30_000;
/** Channels that are sent through at the same time. */
const MAX_AT_ONCE = 8;
const CLOSE_GRACE_MS = 1_500;

/** Starts sending. */
export function startDeliveries(options: DeliveriesOptions): Deliveries {
  const { sql, kv, config, log, now = () => new Date(), pollMs = POLL_MS } = options;
  const holder = crypto.randomUUID();
  const stopping = new AbortController();
  const ending = new AbortController();
  const tools: DeliveryTools = {
    ...options,
    stores: { sql, kv, config },
    now,
    stopping: stopping.signal,
    signal: ending.signal,
  };
  const underWay = new Set<Promise<void>>();
  let isAway = false;
  let claiming = Promise.resolve();
  /** Something could be claimed: there may be more. */
  let hasMore = false;

  /** Claims what may be worked on; one after the other, so that they count each other's. */
  function claim(): Promise<void> {
    return claiming = claiming.then(claimNow);
  }

  async function claimNow(): Promise<void> {
    const limit = MAX_AT_ONCE - underWay.size;
    if (limit <= 0 || stopping.signal.aborted) return;
    try {
      const channels = await claimChannels(sql, { holder, now: now(), leaseMs: LEASE_MS, limit });
      isAway = false;
      hasMore = channels.length > 0;
      for (const channel of channels) {
        const work = deliver(channel).finally(() => {
          underWay.delete(work);
          if (hasMore) claim();
        });
        underWay.add(work);
      }
    } catch (error) {
      if (!isAway) log.error("cannot look for notices to send", { error });
      isAway = true;
    }
  }

  async function deliver(channel: ClaimedChannel): Promise<void> {
    try {
      await deliverChannel(channel, tools);
    } catch (error) {
      const { projectId: project, channelId } = channel;
      // The claim ends by itself, and somebody goes on from there.
      log.error("cannot work on a channel", { project, channel: channelId, error });
    }
  }

  let timer: ReturnType<typeof setTimeout> | undefined;
  function pollAgain(): void {
    if (pollMs === null || stopping.signal.aborted) return;
    timer = setTimeout(() => claim().then(pollAgain), isAway ? LONG_POLL_MS : pollMs);
  }
  pollAgain();

  return {
    async run() {
      await claim();
      while (underWay.size > 0) {
        await Promise.race(underWay);
        await claim();
      }
    },
    async close() {
      clearTimeout(timer);
      stopping.abort();
      const grace = setTimeout(() => ending.abort(), CLOSE_GRACE_MS);
      await claiming;
      await Promise.all(underWay);
      clearTimeout(grace);
    },
  };
}
