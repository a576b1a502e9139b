/** Mails to people on their way: written with what they tell of, and tried until the mail server has taken them. */
import { type Mail, MailFailure, sendMail } from "../alerts/mod.ts";
import type { SmtpConfig } from "../core/config.ts";
import type { Logger } from "../core/log.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../core/time.ts";
import type { Queryable, Sql } from "../store/database.ts";

export interface QueuedMail {
  readonly organizationId: string;
  /** The same for the same mail: 32 hex digits. */
  readonly id: string;
  readonly mail: Mail;
}

/** Adds mails to the queue; those that are in it, or were sent in the last days, change nothing. */
export async function enqueueMails(
  sql: Queryable,
  mails: readonly QueuedMail[],
  now: Date,
): Promise<void> {
  if (mails.length === 0) return;
  await sql`
    insert into mails (organization_id, id, mail, created_at, due_at)
    select organization_id, id, mail, ${now}, ${now}
    from unnest(
      ${mails.map(({ organizationId }) => organizationId)}::bigint[],
      ${mails.map(({ id }) => id)}::text[],
      ${mails.map(({ mail }) => JSON.stringify(mail))}::text[]
    ) as incoming (organization_id, id, mail)
    on conflict do nothing
  `;
}

interface WaitingMail {
  readonly organizationId: string;
  readonly id: string;
  readonly mail: string;
  readonly createdAt: Date;
  readonly attempts: number;
}

const MAILS_A_ROUND = 50;
/** Longer than a mail server takes: whoever dies meanwhile has left it to the next attempt. */
const CLAIM_MS = 2 * MINUTE_MS;
/** What was sent is known for so long, without its text: whoever hung may want to write it again. */
const KNOWN_MS = 8 * DAY_MS;
/** Who has not been told by then knows it from the pages. */
const GIVE_UP_MS = 3 * DAY_MS;
const MAX_PAUSE_MS = 6 * HOUR_MS;

/**
 * Sends what is due. Only one process does this at a time; when it hung and another has gone on, each mail is still sent by one of
 * them.
 *
 * @returns how many mails were taken
 */
export async function sendDueMails(
  { sql, smtp, log }: { readonly sql: Sql; readonly smtp: SmtpConfig; readonly log: Logger },
  now: Date,
  stopping: AbortSignal,
): Promise<number> {
  const due = await sql<WaitingMail[]>`
    select organization_id as "organizationId", id, mail, created_at as "createdAt", attempts from mails
    where due_at <= ${now}
    order by due_at
    limit ${MAILS_A_ROUND}
  `;
  let sent = 0;
  for (const waiting of due) {
    if (stopping.aborted || !await claim(sql, waiting)) break;
    try {
      await sendMail(smtp, JSON.parse(waiting.mail), { signal: stopping });
      await noteSent(sql, waiting);
      sent++;
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error;
      if (stopping.aborted) break;
      await tryLater(sql, log, waiting, error, now);
    }
  }
  const known = new Date(now.getTime() - KNOWN_MS);
  await sql`delete from mails where due_at = 'infinity' and created_at < ${known}`;
  return sent;
}

/** @returns false when somebody else has tried it since it was read */
async function claim(
  sql: Sql,
  { organizationId, id, attempts }: WaitingMail,
): Promise<boolean> {
  const { count } = await sql`
    update mails set attempts = attempts + 1, due_at = ${new Date(Date.now() + CLAIM_MS)}
    where organization_id = ${organizationId} and id = ${id} and attempts = ${attempts}
      and due_at < 'infinity'
  `;
  return count > 0;
}

async function noteSent(sql: Sql, { organizationId, id }: WaitingMail): Promise<void> {
  await sql`
    update mails set mail = '', due_at = 'infinity'
    where organization_id = ${organizationId} and id = ${id}
  `;
}

async function remove(sql: Sql, { organizationId, id }: WaitingMail): Promise<void> {
  await sql`delete from mails where organization_id = ${organizationId} and id = ${id}`;
}

async function tryLater(
  sql: Sql,
  log: Logger,
  waiting: WaitingMail,
  { message, isPermanent }: MailFailure,
  now: Date,
): Promise<void> {
  const { organizationId, id, createdAt, attempts } = waiting;
  if (isPermanent || now.getTime() - createdAt.getTime() > GIVE_UP_MS) {
    log.warn("a mail was not taken, and is given up", { organizationId, reason: message });
    return await remove(sql, waiting);
  }
  const pauseMs = Math.min(MINUTE_MS * 2 ** attempts, MAX_PAUSE_MS);
  await sql`
    update mails set due_at = ${new Date(now.getTime() + pauseMs)}
    where organization_id = ${organizationId} and id = ${id}
  `;
}
