/** Which person is meant: one of the identifiers that their programs send of them. */
import { InvalidInput, storable } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { sha256 } from "../accounts/secrets.ts";

export const IDENTITY_KINDS = ["id", "email", "username", "ip"] as const;
export type IdentityKind = (typeof IDENTITY_KINDS)[number];

export interface Identity {
  readonly kind: IdentityKind;
  readonly value: string;
}

const MAX_VALUE = 200;

/** @throws {InvalidInput} for no value, or one that no program can have sent */
export function checkIdentity(kind: string, text: string): Identity {
  const value = storable(text).trim();
  const known = IDENTITY_KINDS.find((each) => each === kind);
  if (known === undefined) throw new InvalidInput("kind", t("Choose what you search by."));
  if (value === "" || value.length > MAX_VALUE) {
    throw new InvalidInput("value", t("Enter an identifier of 1 to 200 characters."));
  }
  return { kind: known, value };
}

/** What receipts and the audit log keep: it tells whether a known identifier was meant, and not which it was. */
export function hashOfIdentity(organizationId: string, { kind, value }: Identity): string {
  return sha256(`${organizationId}/${kind}/${value.toLowerCase()}`);
}

/** As users of events and transactions are stored; addresses of mail in both spellings. */
export function userKeysOf({ kind, value }: Identity): string[] {
  return [...new Set(spellings(kind, value).map((each) => `${kind}:${each}`))];
}

/** As issues can be searched by: what an event says of its user beside what identifies it. */
export function userFactsOf({ kind, value }: Identity): [key: string, value: string][] {
  return spellings(kind, value).flatMap((each): [string, string][] => [
    [`user.${kind}`, each],
    ["user", `${kind}:${each}`],
  ]);
}

/** Attributes of logs that name a user (OpenTelemetry's and Sentry's). */
export function logAttributesOf({ kind }: Identity): string[] {
  return {
    id: ["user.id", "enduser.id"],
    email: ["user.email"],
    username: ["user.name", "user.username"],
    ip: ["client.address", "user.ip_address", "user.ip"],
  }[kind];
}

export function spellings(kind: IdentityKind, value: string): string[] {
  return kind === "email" ? [...new Set([value, value.toLowerCase()])] : [value];
}

/** Whether the user of a stored event is this one. */
export function isSameUser(
  { kind, value }: Identity,
  user: Readonly<Record<string, unknown>> | undefined,
): boolean {
  const sent = user?.[kind === "ip" ? "ip_address" : kind];
  if (typeof sent !== "string" && typeof sent !== "number") return false;
  const text = String(sent);
  return kind === "email" ? text.toLowerCase() === value.toLowerCase() : text === value;
}
