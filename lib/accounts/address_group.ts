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
