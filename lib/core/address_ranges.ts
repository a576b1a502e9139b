import ipaddr from "ipaddr.js";

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Reads an address or a CIDR range, of either version.
 *
 * @returns null when the text is neither
 */
export function readRange(text: string): Range | null {
  try {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch {
    return null;
  }
}

/** A test whether an address lies in one of some ranges; what is no range or address matches nothing. */
export function addressMatcher(texts: readonly string[]): (address: string | null) => boolean {
  const ranges = texts.flatMap((text) => {
    const range = readRange(text);
    return range === null ? [] : [range];
  });
  return (text) => {
    if (ranges.length === 0 || text === null || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return ranges.some((range) => address.kind() === range[0].kind() && address.match(range));
  };
}
