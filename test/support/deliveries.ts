/** A project's channels and the sending of their notices, on fresh stores and with a clock of its own. */
import { type Config, readConfig } from "../../lib/core/config.ts";
import type { Sql } from "../../lib/store/database.ts";
import type { ChannelType } from "../../lib/alerts/channels/channel_types.ts";
import type { Channel } from "../../lib/alerts/channels/channels.ts";
import { type Delivery, listDeliveries } from "../../lib/alerts/deliveries/deliveries.ts";
import type { Notice } from "../../lib/alerts/channels/message.ts";
import { enqueueNotice } from "../../lib/alerts/deliveries/queue.ts";
import { addChannel, type ChannelInput } from "../../lib/alerts/channels/settings.ts";
import {
  type Deliveries,
  type DeliveriesOptions,
  startDeliveries,
} from "../../lib/alerts/deliveries/start.ts";
import { type TestDatabase, testDatabase } from "./database.ts";
import { testKv } from "./kv.ts";
import { notice } from "./notices.ts";
import { silentLogger } from "./silent_logger.ts";

export interface TestDeliveries extends AsyncDisposable {
  readonly sql: Sql;
  readonly kv: Deno.Kv;
  readonly database: TestDatabase;
  readonly config: Config;
  readonly deliveries: Deliveries;
  /** What the clock shows. */
  now(): Date;
  /** Puts the clock forward. */
  pass(seconds: number): void;
  channel(type: ChannelType, input: Partial<ChannelInput>, projectId?: string): Promise<Channel>;
  /** A webhook to this address. */
  webhook(url: string): Promise<Channel>;
  /** Puts a notice into the queues of these channels. */
  enqueue(changes: Partial<Notice>, ...channels: readonly Channel[]): Promise<void>;
  /** Sends what is due by the clock. */
  run(): Promise<void>;
  /** Of a channel, the oldest first. */
  listed(channel: Channel): Promise<Delivery[]>;
  /** One more sender, as another isolate would be. */
  another(options?: Partial<DeliveriesOptions>): Deliveries;
}

export async function testDeliveries(
  overrides: Partial<Config> = {},
  options: Partial<DeliveriesOptions> = {},
): Promise<TestDeliveries> {
  await using opened = new AsyncDisposableStack();
  const { kv } = opened.use(await testKv());
  const database = opened.use(await testDatabase());
  const { sql } = database;
  const config = { ...readConfig({}), allowPrivateWebhooks: true, ...overrides };
  // Notices are queued by the system's clock.
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  const started: Deliveries[] = [];
  const another = (more: Partial<DeliveriesOptions> = {}) => {
    const base = { sql: database.connect(), kv, config, log: silentLogger, now, pollMs: null };
    const sender = startDeliveries({ ...base, ...options, ...more });
    started.push(sender);
    return sender;
  };
  opened.defer(async () => {
    await Promise.all(started.map((sender) => sender.close()));
  });
  const deliveries = another();
  const stores = opened.move();

  const channel: TestDeliveries["channel"] = async (type, input, projectId = "1") => {
    const whole = { name: `The ${type}`, ...input };
    return (await addChannel({ sql, kv, config }, projectId, type, whole, "")).channel;
  };
  return {
    sql,
    kv,
    database,
    config,
    deliveries,
    now,
    pass(seconds) {
      ahead += seconds * 1_000;
    },
    channel,
    webhook: (url) => channel("webhook", { url }),
    enqueue: (changes, ...channels) =>
      enqueueNotice(sql, notice(changes), channels.map(({ channelId }) => channelId)),
    run: () => deliveries.run(),
    async listed({ projectId, channelId }) {
      const options = { cursor: null, limit: 1_000 };
      return (await listDeliveries(sql, projectId, channelId, options)).rows.reverse();
    },
    another,
    [Symbol.asyncDispose]: () => stores.disposeAsync(),
  };
}
