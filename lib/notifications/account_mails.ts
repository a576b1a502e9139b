/** Mails about a person's own account: what only they should know, or should know at once. */
import { readerOf } from "../accounts/language.ts";
import { randomHex } from "../accounts/secrets.ts";
import type { User } from "../accounts/users.ts";
import { letterOf } from "../alerts/mod.ts";
import type { Config } from "../core/config.ts";
import { inLanguage } from "../core/request_scope.ts";
import type { Logger } from "../core/log.ts";
import type { Sql } from "../store/database.ts";
import { type AccountNews, wordsOf } from "./account_letters.ts";
import { enqueueMails } from "./mail_queue.ts";

interface Told {
  readonly sql: Sql;
  readonly config: Pick<Config, "baseUrl" | "smtp">;
  readonly log: Logger;
}

/** Mails of no organization. */
const NO_ORGANIZATION = "0";

/**
 * Tells a person by mail what happened to their account, in their language. The mail waits in the queue; without a mail
 * server, and while Postgres is away, there is none: what it tells of has happened all the same.
 *
 * @param email another address than that of the account
 */
export async function tellAccount(
  { sql, config, log }: Told,
  user: User,
  news: AccountNews,
  email: string = user.email,
): Promise<void> {
  if (config.smtp === null || user.deletedAt !== undefined) return;
  const { baseUrl } = config;
  const id = randomHex(16);
  const mail = inLanguage(
    readerOf(user),
    () => letterOf({ ...wordsOf(news, baseUrl), to: email, id, baseUrl, unsubscribe: null }),
  );
  try {
    await enqueueMails(sql, [{ organizationId: NO_ORGANIZATION, id, mail }], new Date());
  } catch (error) {
    log.warn("cannot tell a person of their account", { error });
  }
}
