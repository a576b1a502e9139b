import { isIP } from "node:net";
import {
  asBag,
  asObject,
  clippedText,
  isEmpty,
  type Raw,
  repairFields,
  repairTexts,
} from "../fields.ts";
import { put } from "../json.ts";
import { TEXT } from "../limits.ts";
import type { RequestInfo, User } from "./normalized_event.ts";

export interface AddressRule {
  /** The address that the request came from, or null when it is not known. */
  readonly clientAddress: string | null;
  readonly platform: string;
  /** `sdk.settings.infer_ip`: `auto`, `never`, or not said. */
  readonly inferIp: unknown;
  readonly request: RequestInfo | undefined;
}

const TEXTS = [
  ["id", TEXT.name],
  ["email", TEXT.email],
  ["username", TEXT.name],
  ["name", TEXT.name],
  ["segment", TEXT.name],
] as const;
const KNOWN = new Set([...TEXTS.map(([key]) => key), "ip_address", "geo", "data"]);

/** SDKs of these platforms run on the user's device, so the address they send from is the user's. */
const CLIENT_PLATFORMS = new Set(["javascript", "cocoa", "objc"]);

/** Asks for the address that the request came from. */
const AUTO = "{{auto}}";

/** Who was affected, or undefined when nothing is known; unknown fields move into `data`. */
export function normalizeUser(value: unknown, rule: AddressRule): User | undefined {
  const raw = asObject(value) ?? {};
  raw.ip_address = readAddress(raw.ip_address, rule);
  repairTexts(raw, TEXTS);
  repairFields(raw, ["geo"], asObject);
  raw.data = otherFields(raw);
  const user: Raw = {};
  for (const key of KNOWN) if (raw[key] !== undefined) user[key] = raw[key];
  return isEmpty(user) ? undefined : user as User;
}

function otherFields(raw: Raw): Raw | undefined {
  const data: Raw = { ...asBag(raw.data) };
  for (const [key, value] of Object.entries(raw)) {
    if (!KNOWN.has(key) && value !== null && value !== undefined) put(data, key, value);
  }
  return isEmpty(data) ? undefined : data;
}

function readAddress(sent: unknown, rule: AddressRule): string | undefined {
  const address = clippedText(sent, TEXT.word)?.trim();
  if (address && isIP(address)) return address;
  if (rule.inferIp === "never") return undefined;
  const infers = rule.inferIp === "auto" || address === AUTO || CLIENT_PLATFORMS.has(rule.platform);
  const remote = clippedText(rule.request?.env?.REMOTE_ADDR, TEXT.word);
  if (remote && isIP(remote)) return remote;
  return infers ? rule.clientAddress ?? undefined : undefined;
}

/** Identity for "users affected": the most specific field known, as `id:7`; null for nobody. */
export function userKey(user: User | undefined): string | null {
  if (user?.id) return `id:${user.id}`;
  if (user?.username) return `username:${user.username}`;
  if (user?.email) return `email:${user.email}`;
  if (user?.ip_address) return `ip:${user.ip_address}`;
  return null;
}
