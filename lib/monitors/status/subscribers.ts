/**
 * Who is told by e-mail. Nothing is kept of an address before its owner has confirmed it: the links in mails carry what
 * they are about, sealed with the instance's key, so that nobody can make one and none is stored.
 */
import { currentLanguage, type Language } from "../../core/language/translate.ts";
import { addressGroup, countAttempt } from "../../accounts/attempts.ts";
import { keyOf, prefixOf } from "../../accounts/kv.ts";
import { checkEmail } from "../../accounts/names.ts";
import { openSealer, SealBroken, sha256 } from "../../accounts/secrets.ts";
import { sendMail } from "../../alerts/mod.ts";
import type { Config } from "../../core/config.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../core/time.ts";
import { confirmationMail } from "./mails.ts";
import { pageUrl, type StatusPage } from "./status_page.ts";

export interface Subscriber {
  readonly email: string;
  readonly confirmedAt: Date;
  /** In which they subscribed. @default en */
  readonly language?: Language;
}

/** What a link in a mail says. */
interface Claim {
  readonly kind: "confirm" | "unsubscribe";
  readonly organizationId: string;
  readonly email: string;
  /** Milliseconds since 1970; null: it never ends. */
  readonly until: number | null;
}

type Stores = { readonly kv: Deno.Kv; readonly config: Config };

/** A page is no newsletter; mails go out one after the other. */
export const MAX_SUBSCRIBERS = 5_000;
const CONFIRM_MS = 2 * DAY_MS;
const SEAL_PLACE = "status subscription";
/** Somebody waits for it. */
const MAIL_LIMIT_MS = 10 * SECOND_MS;
const HOUR_SEC = HOUR_MS / SECOND_MS;
/** A stranger's mailbox must not be filled, nor our mail server made a bad name. */
const LIMITS = { address: 3, client: 10, page: 300 };

/**
 * Sends a mail with the link that confirms a subscription.
 *
 * @param client address of whoever asks
 * @returns how long to wait when too many were asked for, else null
 * @throws {InvalidInput} for what is no mail address
 * @throws {MailFailure} when the mail server does not take it
 */
export async function askToConfirm(
  { kv, config }: Stores,
  page: StatusPage,
  entered: string,
  client: string,
  now: number = Date.now(),
): Promise<{ readonly retryAfterSec: number } | null> {
  const email = checkEmail(entered);
  if (config.smtp === null) return null;
  const { organizationId } = page;
  const subjects = {
    address: sha256(`${organizationId}/${email}`),
    client: addressGroup(client),
    page: organizationId,
  };
  const limits = (["address", "client", "page"] as const).map((kind) => ({
    kind: `status_${kind}`,
    subject: subjects[kind],
    max: LIMITS[kind],
    windowSec: HOUR_SEC,
  }));
  const attempt = await countAttempt(kv, limits, now);
  if (!attempt.ok) return { retryAfterSec: attempt.retryAfterSec };
  const claim: Claim = { kind: "confirm", organizationId, email, until: now + CONFIRM_MS };
  const token = await sealClaim({ kv, config }, claim);
  const link = `${pageUrl(config.baseUrl, page)}/confirm?subscription=${token}`;
  await sendMail(config.smtp, confirmationMail(page, email, link, config.baseUrl), {
    timeoutMs: MAIL_LIMIT_MS,
  });
  return null;
}

/** The link that ends a subscription, for the mails to one address. */
export async function unsubscribeLink(
  stores: Stores,
  page: StatusPage,
  email: string,
): Promise<string> {
  const { organizationId } = page;
  const claim: Claim = { kind: "unsubscribe", organizationId, email, until: null };
  const token = await sealClaim(stores, claim);
  return `${pageUrl(stores.config.baseUrl, page)}/unsubscribe?subscription=${token}`;
}

async function sealClaim({ kv, config }: Stores, claim: Claim): Promise<string> {
  const sealer = await openSealer(kv, config);
  const sealed = await sealer.seal(JSON.stringify(claim), SEAL_PLACE);
  return sealed.toBase64({ alphabet: "base64url", omitPadding: true });
}

/**
 * The address that a link of a mail is about.
 *
 * @returns null for a link that we did not make, that is of another page, or that has ended
 */
export async function readLink(
  { kv, config }: Stores,
  page: StatusPage,
  kind: Claim["kind"],
  token: string,
  now: number = Date.now(),
): Promise<string | null> {
  try {
    const sealed = Uint8Array.fromBase64(token, { alphabet: "base64url" });
    const sealer = await openSealer(kv, config);
    // Opened, it is what `sealClaim()` wrote.
    const claim = JSON.parse(await sealer.open(sealed, SEAL_PLACE)) as Claim;
    const holds = claim.kind === kind && claim.organizationId === page.organizationId &&
      (claim.until === null || claim.until > now);
    return holds ? claim.email : null;
  } catch (error) {
    if (error instanceof SealBroken || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Has an address told from now on. @returns false when the page has as many subscribers as it can */
export async function subscribe(
  kv: Deno.Kv,
  organizationId: string,
  email: string,
  now: Date = new Date(),
): Promise<boolean> {
  const key = keyOf.statusSubscriber(organizationId, sha256(email));
  if ((await kv.get(key)).value !== null) return true;
  if (await countSubscribers(kv, organizationId) >= MAX_SUBSCRIBERS) return false;
  const subscriber: Subscriber = { email, confirmedAt: now, language: currentLanguage() };
  await kv.set(key, subscriber);
  return true;
}

/** Has an address told no more. */
export async function unsubscribe(
  kv: Deno.Kv,
  organizationId: string,
  email: string,
): Promise<void> {
  await kv.delete(keyOf.statusSubscriber(organizationId, sha256(email)));
}

export async function countSubscribers(kv: Deno.Kv, organizationId: string): Promise<number> {
  let count = 0;
  const entries = kv.list({ prefix: prefixOf.statusSubscribers(organizationId) }, {
    limit: MAX_SUBSCRIBERS,
  });
  for await (const _ of entries) count++;
  return count;
}
