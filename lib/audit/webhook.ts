/** Where an organization wants its audit log sent, as its people set it. */
import { isIP } from "node:net";
import { newSecret, openValue, sealValue } from "../accounts/secrets.ts";
import { isPublicAddress } from "../core/addresses.ts";
import type { Config } from "../core/config.ts";
import { InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { insertAudit } from "../store/audit.ts";
import type { Sql } from "../store/database.ts";

export interface WebhookStores {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly config: Pick<Config, "secretKey" | "allowPrivateWebhooks">;
}

export interface AuditWebhook {
  /** Host and the end of the address: its whole may be a secret. */
  readonly target: string;
  readonly createdAt: Date;
  readonly deliveredAt: Date | null;
  /** "" for nothing. */
  readonly lastError: string;
  readonly failedAt: Date | null;
  readonly waiting: number;
}

interface Secrets {
  readonly url: string;
  readonly secret: string;
}

/** The webhook of an organization with how it is doing, or null. */
export async function findAuditWebhook(
  sql: Sql,
  organizationId: string,
): Promise<AuditWebhook | null> {
  const [row] = await sql<AuditWebhook[]>`
    select url as target, created_at as "createdAt", delivered_at as "deliveredAt",
      last_error as "lastError", failed_at as "failedAt",
      (select count(*)::int from audit_outbox where organization_id = ${organizationId}) as waiting
    from audit_webhooks where organization_id = ${organizationId}
  `;
  return row ?? null;
}

interface Owner {
  readonly id: string;
}

/**
 * Sets the webhook, or another address for it. Entries from then on are sent.
 *
 * @returns the secret that signs what is sent; it is not shown again
 * @throws {InvalidInput} for an address that nothing can be posted to
 */
export async function setAuditWebhook(
  stores: WebhookStores,
  { id }: Owner,
  address: string,
): Promise<string> {
  const url = checkAddress(address, stores.config.allowPrivateWebhooks);
  const secret = `whsec_${newSecret()}`;
  const sealed = await sealValue(stores, placeOf(id), { url, secret } satisfies Secrets);
  const target = masked(url);
  await stores.sql.begin(async (tx) => {
    const [before] = await tx<{ url: string }[]>`
      select url from audit_webhooks where organization_id = ${id} for update
    `;
    await tx`
      insert into audit_webhooks (organization_id, url, sealed) values (${id}, ${target}, ${sealed})
      on conflict (organization_id) do update set url = excluded.url, sealed = excluded.sealed,
        last_error = '', failed_at = null, failures = 0, due_at = now()
    `;
    await insertAudit(tx, {
      event: "audit-webhook.edit",
      organizationId: id,
      target: { kind: "audit-webhook", id, label: target },
      changes: { address: [before?.url ?? null, target], secret: [null, "[secret]"] },
    });
  });
  return secret;
}

/** Ends the sending; what waits is not sent any more. */
export async function removeAuditWebhook({ sql }: WebhookStores, { id }: Owner): Promise<void> {
  await sql.begin(async (tx) => {
    const [gone] = await tx<{ url: string }[]>`
      delete from audit_webhooks where organization_id = ${id} returning url
    `;
    if (gone === undefined) return;
    await tx`delete from audit_outbox where organization_id = ${id}`;
    await insertAudit(tx, {
      event: "audit-webhook.remove",
      organizationId: id,
      target: { kind: "audit-webhook", id, label: gone.url },
    });
  });
}

/** Address and secret; null when the key of this instance has changed. */
export async function openAuditWebhook(
  stores: Pick<WebhookStores, "kv" | "config">,
  organizationId: string,
  sealed: Uint8Array,
): Promise<Secrets | null> {
  return await openValue<Secrets>(stores, placeOf(organizationId), sealed);
}

function placeOf(organizationId: string): string {
  return `audit-webhook/${organizationId}`;
}

const MAX_URL = 2_000;

/** Names are judged when they are used: what they lead to may change. */
function checkAddress(text: string, allowsPrivate: boolean): string {
  const url = text.length > MAX_URL ? null : URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidInput("url", t("Enter an address that starts with https:// or http://."));
  }
  if (url.username !== "" || url.password !== "") {
    throw new InvalidInput("url", t("Enter an address without a user name and a password."));
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!allowsPrivate && (host === "localhost" || isIP(host) !== 0 && !isPublicAddress(host))) {
    throw new InvalidInput(
      "url",
      t(
        "This address is in a private or reserved network. The operator of this instance can allow such addresses.",
      ),
    );
  }
  return url.href;
}

function masked(href: string): string {
  const { host, pathname, search } = new URL(href);
  const rest = pathname + search;
  return rest.length > 12 ? `${host}/…${rest.slice(-4)}` : `${host}/…`;
}
