import { conflict, keyOf, TooManyWriters, untilCommitted } from "./kv.ts";

/** How many guesses one subject has in one window, which starts with the first of them. */
export interface AttemptLimit {
  readonly kind: string;
  /** Whom or what it limits: a hash of an account, an address. */
  readonly subject: string;
  readonly max: number;
  readonly windowSec: number;
}

type Attempt = { readonly ok: true } | {
  readonly ok: false;
  readonly retryAfterSec: number;
};

interface Counter {
  readonly count: number;
  readonly endsAt: number;
}

/**
 * Counts one guess against every limit, or against none when one of them is used up. Call it before
 * the guess is judged, so that guesses made at the same moment cannot exceed the limit together.
 *
 * @param limits at most 10: they are counted in one atomic step
 * @param now milliseconds since 1970
 */
export async function countAttempt(
  kv: Deno.Kv,
  limits: readonly AttemptLimit[],
  now: number,
): Promise<Attempt> {
  try {
    return await count(kv, limits, now);
  } catch (error) {
    // So many guesses at one moment are a flood: none of them is judged.
    if (!(error instanceof TooManyWriters)) throw error;
    return { ok: false, retryAfterSec: FLOOD_RETRY_SEC };
  }
}

const FLOOD_RETRY_SEC = 5;

function count(kv: Deno.Kv, limits: readonly AttemptLimit[], now: number): Promise<Attempt> {
  return untilCommitted<Attempt>("count the attempt", async () => {
    const entries = await readCounters(kv, limits);
    const running = entries.map(({ value }) => value !== null && value.endsAt > now ? value : null);
    const blockedUntil = Math.max(
      ...limits.map(({ max }, i) => (running[i]?.count ?? 0) >= max ? running[i]?.endsAt ?? 0 : 0),
    );
    if (blockedUntil > now) {
      return { ok: false, retryAfterSec: Math.ceil((blockedUntil - now) / 1000) };
    }
    const atomic = kv.atomic().check(...entries);
    limits.forEach((limit, i) => {
      const endsAt = running[i]?.endsAt ?? now + limit.windowSec * 1000;
      const counter: Counter = { count: (running[i]?.count ?? 0) + 1, endsAt };
      atomic.set(counterKey(limit), counter, { expireIn: endsAt - now });
    });
    return (await atomic.commit()).ok ? { ok: true } : conflict;
  });
}

/**
 * Takes back one counted guess: it was right, or it was never judged.
 *
 * @param now milliseconds since 1970
 */
export async function forgiveAttempt(
  kv: Deno.Kv,
  limits: readonly AttemptLimit[],
  now: number,
): Promise<void> {
  await forgive(kv, limits, now).catch((error) => {
    // It stays counted, which is on the safe side.
    if (!(error instanceof TooManyWriters)) throw error;
  });
}

async function forgive(kv: Deno.Kv, limits: readonly AttemptLimit[], now: number): Promise<void> {
  await untilCommitted("forgive the attempt", async () => {
    const entries = await readCounters(kv, limits);
    const atomic = kv.atomic().check(...entries);
    limits.forEach((limit, i) => {
      const counter = entries[i]?.value;
      if (!counter || counter.endsAt <= now) return;
      const forgiven: Counter = { ...counter, count: Math.max(0, counter.count - 1) };
      atomic.set(counterKey(limit), forgiven, { expireIn: counter.endsAt - now });
    });
    return (await atomic.commit()).ok ? null : conflict;
  });
}

function readCounters(kv: Deno.Kv, limits: readonly AttemptLimit[]) {
  return kv.getMany<Counter[]>(limits.map(counterKey));
}

function counterKey({ kind, subject }: AttemptLimit): Deno.KvKey {
  return keyOf.attempts(kind, subject);
}

const MAX_LENGTH = 64;

/**
 * The part of the network that one client holds: an IPv4 address, or the /64 that providers give to a
 * single customer of IPv6, who could otherwise count as 2^64 strangers.
 *
 * @param address as the connection or the proxy tells it; anything else stays as it is, cut to 64 characters
 */
export function addressGroup(address: string): string {
  const text = address.trim().toLowerCase().replace(/%.*$/, "").replace(/^\[|\]$/g, "");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (mapped?.[1] !== undefined) return mapped[1];
  return text.includes(":") ? networkOf(text) : text.slice(0, MAX_LENGTH);
}

function networkOf(address: string): string {
  if (!URL.canParse(`http://[${address}]`)) return address.slice(0, MAX_LENGTH);
  const compressed = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = compressed.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...new Array<string>(zeros).fill("0"), ...last];
  return `${groups.slice(0, 4).join(":")}::/64`;
}
