import { InvalidInput } from "../core/invalid_input.ts";

const MAX_ORIGINS = 50;
const MAX_RATE = 1_000_000;

/** `https://shop.example.com`, `shop.example.com`, `*.example.com`, `http://localhost:*`. */
const ORIGIN =
  /^(?:https?:\/\/)?(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?::(?:\d{1,5}|\*))?$/;

/**
 * Checks where pages may send from.
 *
 * @returns the patterns in lower case, without repeats
 * @throws {InvalidInput} for the first that is none
 */
export function checkOrigins(texts: readonly string[]): string[] {
  const origins = texts.map((text) => text.trim().toLowerCase().replace(/\/+$/, ""))
    .filter((text) => text !== "" && text !== "*");
  if (origins.length > MAX_ORIGINS) {
    throw new InvalidInput("origins", `Enter at most ${MAX_ORIGINS} origins.`);
  }
  const bad = origins.find((origin) => !ORIGIN.test(origin));
  if (bad !== undefined) {
    throw new InvalidInput(
      "origins",
      `"${bad.slice(0, 80)}" is no origin: write https://shop.example.com or *.example.com.`,
    );
  }
  return [...new Set(origins)];
}

/**
 * Whether a page may send.
 *
 * @param patterns as `checkOrigins()` returns them; empty allows all
 * @param origin `Origin` of the request, or the address in its `Referer`; null when it has neither
 */
export function isAllowedOrigin(patterns: readonly string[], origin: string | null): boolean {
  if (patterns.length === 0) return true;
  if (origin === null || !URL.canParse(origin)) return false;
  const { protocol, hostname, port } = new URL(origin);
  return patterns.some((pattern) => {
    const [, scheme, host = "", wanted] = /^(?:(https?:)\/\/)?([^:]+)(?::(.+))?$/.exec(pattern) ??
      [];
    if (scheme !== undefined && scheme !== protocol) return false;
    if (
      wanted === undefined ? scheme !== undefined && port !== "" : wanted !== "*" && wanted !== port
    ) {
      return false;
    }
    return host.startsWith("*.")
      ? hostname.endsWith(host.slice(1)) && hostname.length > host.length - 1
      : hostname === host;
  });
}

/**
 * Checks a limit of requests a second.
 *
 * @returns null for no limit of its own
 * @throws {InvalidInput}
 */
export function checkRate(rate: number | null): number | null {
  if (rate === null) return null;
  if (!Number.isInteger(rate) || rate < 1 || rate > MAX_RATE) {
    throw new InvalidInput("rate", "Enter a whole number of requests a second, at least 1.");
  }
  return rate;
}
