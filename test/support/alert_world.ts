/** A project with a channel, whose alerts are judged at times that a test chooses. */
import { createProject } from "../../lib/accounts/projects.ts";
import { createOrganization } from "./organizations.ts";
import type { Logger } from "../../lib/core/log.ts";
import { historyOf, statesOf } from "../../lib/alerts/states.ts";
import type { AlertInput, AlertState, AlertTransition } from "../../lib/alerts/rule.ts";
import { createRule, type StoredRule } from "../../lib/alerts/rules.ts";
import type { Sql } from "../../lib/store/database.ts";
import { createChannel } from "../../lib/alerts/channels/channels.ts";
import type { Notice } from "../../lib/alerts/channels/message.ts";
import { readNotice } from "../../lib/alerts/deliveries/queue.ts";
import type { TelemetryRecord } from "../../lib/records/mod.ts";
import { noticeOf } from "../../lib/alerts/notices.ts";
import { type AlertServices, evaluateAll } from "../../lib/alerts/evaluation/evaluate_all.ts";
import { testDatabase } from "./database.ts";
import { alertInput } from "./alert_input.ts";
import { errorEvent } from "./error_event.ts";
import { testKv } from "./kv.ts";
import { person } from "./people.ts";
import { silentLogger } from "./silent_logger.ts";
import { testWriter } from "./writer.ts";

const MINUTE_MS = 60_000;
/** When windows are judged: shortly after their end. */
const SOON_MS = 5_000;

export interface AlertWorld extends AsyncDisposable {
  readonly sql: Sql;
  readonly services: AlertServices;
  readonly projectId: string;
  readonly channelId: string;
  /** A time in minutes after the beginning of the test, half an hour ago on a whole minute. */
  at(minute: number): Date;
  /** Stores errors at a minute, received then unless it says otherwise. */
  happen(minute: number, times: number, fields?: Parameters<typeof errorEvent>[0]): Promise<void>;
  store(...records: TelemetryRecord[]): Promise<void>;
  /** Makes a rule at minute 0: more than five errors in a minute are critical. */
  rule(fields?: Partial<AlertInput>): Promise<StoredRule>;
  /** Judges the windows that end with a minute. */
  judge(minute: number, services?: AlertServices): Promise<void>;
  /** Judges each minute from one to another, both included. */
  judgeAll(first: number, last: number): Promise<void>;
  notices(): Promise<Notice[]>;
  states(rule: StoredRule): Promise<AlertState[]>;
  /** The earliest first. */
  history(rule: StoredRule): Promise<AlertTransition[]>;
}

/** @param log where the evaluation's log lines go */
export async function alertWorld(log: Logger = silentLogger): Promise<AlertWorld> {
  await using opened = new AsyncDisposableStack();
  const { sql } = opened.use(await testDatabase());
  const { kv } = opened.use(await testKv());
  const writer = opened.use(testWriter(sql));
  const owner = await person(kv, "owner");
  const organization = await createOrganization(kv, { name: "acme", ownerId: owner.id });
  const { id: projectId } = await createProject(kv, {
    organizationId: organization.id,
    name: "Shop",
    platform: "node",
  });
  const channelId = crypto.randomUUID();
  await createChannel(sql, projectId, channelId, {
    type: "webhook",
    name: "hook",
    target: "hook.test",
    sealed: new Uint8Array(1),
    updatedBy: "",
  });
  const beginning = (Math.floor(Date.now() / MINUTE_MS) - 30) * MINUTE_MS;
  const at = (minute: number) => new Date(beginning + minute * MINUTE_MS);
  const services = { kv, sql, log, baseUrl: "https://watch.test", noticeOf };
  const store = async (...records: TelemetryRecord[]) =>
    void await writer.store(projectId, ...records);
  const judge = (minute: number, by: AlertServices = services) =>
    evaluateAll(by, new Date(at(minute).getTime() + SOON_MS), new AbortController().signal);
  const stores = opened.move();
  return {
    sql,
    services,
    projectId,
    channelId,
    at,
    store,
    happen: (minute, times, fields = {}) => {
      const timestamp = at(minute);
      const events = Array.from(
        { length: times },
        () => errorEvent({ timestamp, receivedAt: timestamp, ...fields }),
      );
      return store(...events);
    },
    rule: (fields = {}) =>
      createRule(sql, projectId, alertInput({ channelIds: [channelId], ...fields }), "", at(0)),
    judge,
    async judgeAll(first, last) {
      for (let minute = first; minute <= last; minute++) await judge(minute);
    },
    async notices() {
      const rows = await sql<{ notice: string }[]>`select notice from deliveries order by sequence`;
      return rows.map(({ notice }) => readNotice(notice));
    },
    states: ({ ruleId }) => statesOf(sql, projectId, ruleId),
    async history({ ruleId }) {
      const page = await historyOf(sql, projectId, ruleId, { cursor: null, limit: 1_000 });
      return page.rows.toReversed();
    },
    [Symbol.asyncDispose]: () => stores.disposeAsync(),
  };
}
