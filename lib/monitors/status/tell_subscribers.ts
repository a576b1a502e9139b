/** Tells subscribers of updates: each once, by one process at a time, and on from where it was when that one ends. */
import { keyOf, prefixOf, takeLease } from "../../accounts/kv.ts";
import { MailFailure, sendMail } from "../../alerts/mod.ts";
import { inLanguage } from "../../core/request_scope.ts";
import type { Config } from "../../core/config.ts";
import type { Logger } from "../../core/log.ts";
import { DAY_MS, MINUTE_MS } from "../../core/time.ts";
import { updateMail } from "./mails.ts";
import { type Announcement, findPost } from "./posts.ts";
import { findPage } from "./status_page.ts";
import { type Subscriber, unsubscribeLink } from "./subscribers.ts";

export interface TellingTools {
  readonly kv: Deno.Kv;
  readonly config: Config;
  readonly log: Logger;
  /** Id of this process. */
  readonly holder: string;
  readonly stopping: AbortSignal;
}

const WORK = "status mail";
/** Outlasts one mail, after each of which it is renewed. */
const LEASE_MS = MINUTE_MS;
/** What is older helps nobody. */
const GIVE_UP_MS = DAY_MS;
const MAX_PAUSE_MS = 30 * MINUTE_MS;

/** Sends what is due. Two processes never send the same. */
export async function tellSubscribers(tools: TellingTools, now: Date): Promise<void> {
  const { kv, holder, stopping } = tools;
  const entries = await Array.fromAsync(kv.list<Announcement>({ prefix: prefixOf.statusMails() }));
  const due = entries.filter(({ value }) => value.dueAt <= now);
  for (const entry of due) {
    if (stopping.aborted || !await takeLease(kv, WORK, holder, LEASE_MS)) return;
    await tellAll(tools, entry, now);
  }
}

async function tellAll(
  tools: TellingTools,
  entry: Deno.KvEntry<Announcement>,
  now: Date,
): Promise<void> {
  const { kv, config, log, stopping } = tools;
  const { organizationId, postId, updateId, createdAt } = entry.value;
  const [page, post] = await Promise.all([
    findPage(kv, organizationId),
    findPost(kv, organizationId, postId),
  ]);
  const update = post?.updates.find((each) => each.updateId === updateId);
  const isLate = now.getTime() - createdAt.getTime() > GIVE_UP_MS;
  if (config.smtp === null || page === null || post === null || update === undefined || isLate) {
    if (isLate) log.error("subscribers of a status page could not be told in a day", { postId });
    await kv.atomic().check(entry).delete(entry.key).commit();
    return;
  }
  let current: Deno.KvEntry<Announcement> | null = entry;
  for await (const { key, value: subscriber } of subscribersAfter(kv, entry.value)) {
    if (stopping.aborted) return;
    if (subscriber.confirmedAt <= createdAt) {
      const { email, language = "en" } = subscriber;
      const link = await unsubscribeLink({ kv, config }, page, email);
      const mail = inLanguage(
        { language },
        () => updateMail(page, post, update, email, link, config.baseUrl),
      );
      try {
        await sendMail(config.smtp, mail, { signal: stopping });
      } catch (error) {
        if (!(error instanceof MailFailure)) throw error;
        if (!error.isPermanent) return await postpone(kv, current, now, error, log);
        // This one mailbox is gone; the others shall hear of it.
        log.warn("a subscriber's mailbox refuses mail", { organizationId, reason: error.message });
      }
    }
    current = await noteTold(kv, current, String(key.at(-1)));
    // Somebody else has gone on with it meanwhile.
    if (current === null || !await takeLease(kv, WORK, tools.holder, LEASE_MS)) return;
  }
  await kv.atomic().check(current).delete(current.key).commit();
}

function subscribersAfter(
  kv: Deno.Kv,
  { organizationId, toldUpTo }: Announcement,
): Deno.KvListIterator<Subscriber> {
  const prefix = prefixOf.statusSubscribers(organizationId);
  if (toldUpTo === "") return kv.list<Subscriber>({ prefix });
  // The key right behind it.
  return kv.list<Subscriber>({
    prefix,
    start: keyOf.statusSubscriber(organizationId, `${toldUpTo}\0`),
  });
}

async function noteTold(
  kv: Deno.Kv,
  entry: Deno.KvEntry<Announcement>,
  toldUpTo: string,
): Promise<Deno.KvEntry<Announcement> | null> {
  return await change(kv, entry, { ...entry.value, toldUpTo, attempts: 0 });
}

async function postpone(
  kv: Deno.Kv,
  entry: Deno.KvEntry<Announcement>,
  now: Date,
  error: MailFailure,
  log: Logger,
): Promise<void> {
  const attempts = entry.value.attempts + 1;
  const pauseMs = Math.min(MAX_PAUSE_MS, 2 ** (attempts - 1) * MINUTE_MS);
  log.warn("cannot tell subscribers of a status page", { reason: error.message, pauseMs });
  await change(kv, entry, {
    ...entry.value,
    attempts,
    dueAt: new Date(now.getTime() + pauseMs),
  });
}

async function change(
  kv: Deno.Kv,
  entry: Deno.KvEntry<Announcement>,
  value: Announcement,
): Promise<Deno.KvEntry<Announcement> | null> {
  const commit = await kv.atomic().check(entry).set(entry.key, value).commit();
  return commit.ok ? { key: entry.key, value, versionstamp: commit.versionstamp } : null;
}
