/** Mails on their way, as the queue has them. */
import type { Mail } from "../../lib/alerts/mod.ts";
import type { Sql } from "../../lib/store/database.ts";

export interface SentMail extends Mail {
  readonly id: string;
}

/** All that wait, oldest first. */
export async function sentMails(sql: Sql): Promise<SentMail[]> {
  const rows = await sql<{ id: string; mail: string }[]>`
    select id, mail from mails order by created_at
  `;
  return rows.map(({ id, mail }) => ({ ...JSON.parse(mail), id }));
}
