/** Who provisions the people of an organization: a directory that holds the organization's one token for it. */
import { changesBetween } from "../records/audit.ts";
import { addAudit } from "./audit.ts";
import { conflict, keyOf, untilCommitted } from "./kv.ts";
import type { Role } from "./members.ts";
import { newSecret, sha256 } from "./secrets.ts";
import { noteUse, type TokenUse } from "./token_limits.ts";
import { hasCheckDigits, withCheckDigits } from "./token_text.ts";

/** What people who are provisioned can become, unless the directory tells their role. */
export const SCIM_ROLES = ["viewer", "member"] as const satisfies readonly Role[];
export type ScimRole = (typeof SCIM_ROLES)[number];

export interface ScimSetup {
  readonly organizationId: string;
  /** Of people whose role the directory does not tell. */
  readonly role: ScimRole;
  /** Name of who set it up. */
  readonly createdBy: string;
  readonly createdAt: Date;
  /** Up to ten minutes behind; null when never used. */
  readonly lastUsedAt: Date | null;
  readonly lastAddress: string | null;
  readonly lastCharacters: string;
}

interface StoredSetup extends ScimSetup {
  readonly tokenHash: string;
}

const TOKEN = /^wpscim_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/;

/**
 * Lets a directory provision an organization; a token that there was does not hold any more.
 *
 * @returns the setup, and the token, which is shown once and not kept
 */
export async function enableScim(
  kv: Deno.Kv,
  organizationId: string,
  { role, createdBy }: { readonly role: ScimRole; readonly createdBy: string },
  now: number = Date.now(),
): Promise<{ setup: ScimSetup; token: string }> {
  const token = withCheckDigits(`wpscim_${newSecret()}`);
  const stored: StoredSetup = {
    organizationId,
    role,
    createdBy,
    createdAt: new Date(now),
    lastUsedAt: null,
    lastAddress: null,
    lastCharacters: token.slice(-4),
    tokenHash: sha256(token),
  };
  await untilCommitted("enable provisioning", async () => {
    const former = await kv.get<StoredSetup>(keyOf.scim(organizationId));
    const atomic = kv.atomic().check(former)
      .set(former.key, stored)
      .set(keyOf.scimToken(stored.tokenHash), organizationId);
    if (former.value !== null) atomic.delete(keyOf.scimToken(former.value.tokenHash));
    tellOf(atomic, "scim.enable", organizationId, former.value, stored);
    return (await atomic.commit()).ok ? null : conflict;
  });
  return { setup: withoutHash(stored), token };
}

/** Ends it: the token is refused from the next request on. Who was provisioned stays. */
export async function disableScim(kv: Deno.Kv, organizationId: string): Promise<void> {
  await untilCommitted("disable provisioning", async () => {
    const entry = await kv.get<StoredSetup>(keyOf.scim(organizationId));
    if (entry.value === null) return null;
    const atomic = kv.atomic().check(entry)
      .delete(entry.key)
      .delete(keyOf.scimToken(entry.value.tokenHash));
    tellOf(atomic, "scim.disable", organizationId, entry.value, null);
    return (await atomic.commit()).ok ? null : conflict;
  });
}

/** How an organization is provisioned, or null when it is not. */
export async function findScim(kv: Deno.Kv, organizationId: string): Promise<ScimSetup | null> {
  const { value } = await kv.get<StoredSetup>(keyOf.scim(organizationId));
  return value && withoutHash(value);
}

/** The setup that a token belongs to, or null. @param token what the client sent, whatever it is */
export async function readScimToken(
  kv: Deno.Kv,
  token: string,
  use: TokenUse,
): Promise<ScimSetup | null> {
  if (!TOKEN.test(token) || !hasCheckDigits(token)) return null;
  const hash = sha256(token);
  const { value: organizationId } = await kv.get<string>(keyOf.scimToken(hash));
  const entry = organizationId && await kv.get<StoredSetup>(keyOf.scim(organizationId));
  if (!entry || entry.value === null || entry.value.tokenHash !== hash) return null;
  await noteUse(kv, entry, use);
  return withoutHash(entry.value);
}

function withoutHash({ tokenHash: _, ...setup }: StoredSetup): ScimSetup {
  return setup;
}

function tellOf(
  atomic: Deno.AtomicOperation,
  event: string,
  organizationId: string,
  before: StoredSetup | null,
  after: StoredSetup | null,
): void {
  const told = (setup: StoredSetup | null) =>
    setup && { role: setup.role, ends: setup.lastCharacters };
  addAudit(atomic, {
    event,
    organizationId,
    target: { kind: "scim", id: organizationId, label: "SCIM" },
    changes: changesBetween(told(before), told(after)),
  });
}
