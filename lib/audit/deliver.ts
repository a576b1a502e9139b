/**
 * Sends the audit log to the organizations' webhooks: in order, at least once, tried again for as long as entries are
 * kept. What waits is a row for each entry, which goes when it was taken.
 */
import { startLeased } from "../accounts/leased_clock.ts";
import { FetchFailure, safeFetch, type SafeFetchOptions } from "../core/safe_fetch.ts";
import type { Logger } from "../core/log.ts";
import { signatureOf } from "../core/signature.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../core/time.ts";
import type { Repeated } from "../core/waiting.ts";
import { auditJson } from "./export.ts";
import { auditEntries } from "./queries.ts";
import { openAuditWebhook, type WebhookStores } from "./webhook.ts";

export interface SendingOptions extends WebhookStores {
  readonly log: Pick<Logger, "error">;
  /** @default every 2 s; null: only when `run()` is called */
  readonly everyMs?: number | null;
  readonly resolver?: SafeFetchOptions["resolver"];
}

const INTERVAL_MS = 2 * SECOND_MS;
/** Longer than a look, and what the slowest receiver of the last ten takes. */
const LEASE_MS = 10 * MINUTE_MS;
const LOOK_MS = 2 * MINUTE_MS;

/** Starts sending what waits. */
export function startAuditWebhooks(options: SendingOptions): Repeated {
  const { kv, log, everyMs = INTERVAL_MS } = options;
  return startLeased({ kv, log }, {
    name: "audit_webhooks",
    everyMs,
    leaseMs: LEASE_MS,
    failure: "cannot send audit entries to webhooks",
    work: async (stopping) => {
      const due = await dueWebhooks(options);
      // The right to the work is renewed by the next look.
      const until = performance.now() + LOOK_MS;
      const goesOn = () => !stopping.aborted && performance.now() < until;
      for (let first = 0; first < due.length && goesOn(); first += AT_ONCE) {
        await Promise.all(
          due.slice(first, first + AT_ONCE).map((webhook) => send(options, webhook, stopping)),
        );
      }
    },
  });
}

const AT_ONCE = 10;
/** So many entries a request. */
const MAX_ENTRIES = 100;
/** Requests to one receiver before others have their turn. */
const MAX_REQUESTS = 20;

interface DueWebhook {
  readonly organizationId: string;
  readonly sealed: Uint8Array;
  readonly failures: number;
}

async function dueWebhooks({ sql }: SendingOptions): Promise<DueWebhook[]> {
  return await sql<DueWebhook[]>`
    select organization_id as "organizationId", sealed, failures from audit_webhooks as webhook
    where due_at <= now() and exists (
      select from audit_outbox where organization_id = webhook.organization_id
    )
    order by due_at
  `;
}

async function send(
  options: SendingOptions,
  webhook: DueWebhook,
  stopping: AbortSignal,
): Promise<void> {
  for (let requests = 0; requests < MAX_REQUESTS && !stopping.aborted; requests++) {
    const waiting = await firstOf(options, webhook.organizationId);
    if (waiting.length === 0) return;
    const problem = await post(options, webhook, waiting.map(({ entryId }) => entryId), stopping);
    if (stopping.aborted && problem !== "") return;
    await note(options, webhook, waiting.map(({ seq }) => seq), problem);
    if (problem !== "") return;
  }
}

async function firstOf({ sql }: SendingOptions, organizationId: string) {
  return await sql<{ seq: string; entryId: string }[]>`
    select seq, entry_id as "entryId" from audit_outbox
    where organization_id = ${organizationId} order by seq limit ${MAX_ENTRIES}
  `;
}

/** @returns what went wrong, as a sentence; "" when they were taken */
async function post(
  options: SendingOptions,
  { organizationId, sealed }: DueWebhook,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const opened = await openAuditWebhook(options, organizationId, sealed);
  if (opened === null) return "The key of this instance has changed: set the address again.";
  const entries = await auditEntries(options.sql, ids);
  const body = JSON.stringify({ version: 1, entries: entries.map(auditJson) });
  try {
    const { status } = await safeFetch({
      url: opened.url,
      headers: {
        "content-type": "application/json",
        "user-agent": "Watchpost",
        "x-watchpost-signature": signatureOf(opened.secret, body, new Date()),
      },
      body,
    }, {
      allowsPrivate: options.config.allowPrivateWebhooks,
      signal,
      ...(options.resolver && { resolver: options.resolver }),
    });
    return status >= 200 && status < 300 ? "" : `The address answered with status ${status}.`;
  } catch (error) {
    if (error instanceof FetchFailure) return error.message;
    throw error;
  }
}

const PAUSES_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 20 * MINUTE_MS, HOUR_MS];

async function note(
  { sql }: SendingOptions,
  { organizationId, failures }: DueWebhook,
  seqs: readonly string[],
  problem: string,
): Promise<void> {
  if (problem === "") {
    await sql.begin(async (tx) => {
      await tx`delete from audit_outbox where seq = any (${[...seqs]}::bigint[])`;
      await tx`
        update audit_webhooks set delivered_at = now(), last_error = '', failures = 0, due_at = now()
        where organization_id = ${organizationId}
      `;
    });
    return;
  }
  const pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? HOUR_MS;
  await sql`
    update audit_webhooks set last_error = ${problem}, failed_at = now(), failures = failures + 1,
      due_at = now() + ${pauseMs} * interval '1 millisecond'
    where organization_id = ${organizationId}
  `;
}
