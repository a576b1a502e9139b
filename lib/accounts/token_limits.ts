/** What bounds the use of a token beside its scopes: until when, and from where. */
import { InvalidInput } from "../core/errors.ts";
import { isInNetwork, readNetwork } from "../core/addresses.ts";
import { t } from "../core/language/translate.ts";
import { DAY_MS, MINUTE_MS } from "../core/time.ts";
import type { Role } from "./members.ts";

/** Of a token that nobody chose otherwise. */
export const DEFAULT_TOKEN_DAYS = 365;
/** One that holds longer is one that nobody remembers. */
const MAX_TOKEN_DAYS = 365;
const MAX_NETWORKS = 20;
/** The time in which programs can be given the new token, at most. */
export const MAX_OVERLAP_DAYS = 7;
/** Of a token in constant use, every request would be a write. */
const TOUCH_AFTER_MS = 10 * MINUTE_MS;

/** Of tokens of persons and of organizations alike. Records of before know none of it. */
export interface TokenLimits {
  /** Absent or null: it does not expire. */
  readonly expiresAt?: Date | null;
  /** In the notation of CIDR; absent or empty: from everywhere. */
  readonly networks?: readonly string[];
  /** Where it was used last, as far as known. */
  readonly lastAddress?: string | null;
  /** Of the token that a rotation replaced: until when it holds; in the past: not any more. */
  readonly formerUntil?: Date | null;
}

/** Why a token is not taken. */
export type TokenProblem = "unknown" | "expired" | "network";

/** What a search for a token finds. */
export type FoundToken<Token> =
  | { readonly ok: true; readonly token: Token }
  | { readonly ok: false; readonly problem: TokenProblem };

/** Whence, and when, a token is shown. */
export interface TokenUse {
  readonly now: number;
  /** Null: not known, as in work that no request began. */
  readonly address: string | null;
}

/** What keeps a token from this use, or null. */
export function limitProblem(
  { expiresAt, networks }: TokenLimits,
  { now, address }: TokenUse,
): TokenProblem | null {
  if (expiresAt && expiresAt.getTime() <= now) return "expired";
  if (!networks || networks.length === 0) return null;
  return address !== null && networks.some((network) => isInNetwork(address, network))
    ? null
    : "network";
}

/** The part of a token's record that tells of its use. */
interface Used {
  /** Up to ten minutes behind; null when never used. */
  readonly lastUsedAt: Date | null;
  readonly lastAddress?: string | null;
}

/** Notes that a token was used, now and then. */
export async function noteUse<Stored extends Used>(
  kv: Deno.Kv,
  entry: Deno.KvEntry<Stored>,
  use: TokenUse,
): Promise<void> {
  if (!isNews(entry.value, use)) return;
  const lastAddress = use.address ?? entry.value.lastAddress ?? null;
  const used = { ...entry.value, lastUsedAt: new Date(use.now), lastAddress };
  // The check keeps a token that is deleted at this moment from coming back.
  await kv.atomic().check(entry).set(entry.key, used).commit();
}

/** Whether a use is worth a write: ten minutes after the last one, or from another address. */
function isNews(token: Used, { now, address }: TokenUse): boolean {
  const since = now - (token.lastUsedAt?.getTime() ?? 0);
  if (since >= TOUCH_AFTER_MS) return true;
  // Two programs that take turns are no reason to write with each request.
  return address !== null && address !== (token.lastAddress ?? null) && since >= MINUTE_MS;
}

/**
 * When a new token ends.
 *
 * @param days 1 to 365; absent: 365; null: never, which owners alone may choose
 * @throws {InvalidInput}
 */
export function expiryOf(
  days: number | null | undefined,
  role: Role | null,
  now: number,
): Date | null {
  if (days === null) {
    if (role === "owner") return null;
    throw new InvalidInput(
      "expiresInDays",
      t("Choose when it expires: only owners make tokens that never do."),
    );
  }
  const chosen = days ?? DEFAULT_TOKEN_DAYS;
  if (!Number.isInteger(chosen) || chosen < 1 || chosen > MAX_TOKEN_DAYS) {
    throw new InvalidInput(
      "expiresInDays",
      t("Enter a number of days from 1 to {max}.", { max: MAX_TOKEN_DAYS }),
    );
  }
  return new Date(now + chosen * DAY_MS);
}

/**
 * The networks that somebody entered, in one notation.
 *
 * @param entered addresses and networks, each maybe several, apart by blanks, commas or lines
 * @throws {InvalidInput} for what is none, and for too many
 */
export function networksOf(entered: readonly string[]): string[] {
  const parts = entered.join(" ").split(/[\s,;]+/).filter((part) => part !== "");
  const networks = [
    ...new Set(parts.map((part) => {
      const network = readNetwork(part);
      if (network !== null) return network;
      throw new InvalidInput(
        "networks",
        t('"{text}" is no address and no network: write 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32.', {
          text: part.slice(0, 60),
        }),
      );
    })),
  ];
  if (networks.length <= MAX_NETWORKS) return networks;
  throw new InvalidInput("networks", t("Enter at most {max} networks.", { max: MAX_NETWORKS }));
}

/**
 * Until when a token that is rotated holds beside the new one.
 *
 * @param days 0 to 7
 * @throws {InvalidInput}
 */
export function overlapEnd(days: number, now: number): Date {
  if (Number.isFinite(days) && days >= 0 && days <= MAX_OVERLAP_DAYS) {
    return new Date(now + days * DAY_MS);
  }
  throw new InvalidInput(
    "overlapDays",
    t("Choose for how long the old token still holds: {max} days at most.", {
      max: MAX_OVERLAP_DAYS,
    }),
  );
}
