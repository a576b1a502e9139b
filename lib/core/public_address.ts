import ipaddr from "ipaddr.js";

/** Public by their number, and all the same for guests of a cloud alone: Azure's metadata and DNS. */
const REFUSED_HOSTS: ReadonlySet<string> = new Set(["168.63.129.16"]);
/** What is given out to the public internet; everything else of IPv6 is local, reserved or a tunnel. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");
/** IPv4 addresses behind a translator of the network's: judged by the address inside. */
const NAT64 = ipaddr.parseCIDR("64:ff9b::/96");

/**
 * Whether an address belongs to the public internet: not this machine, its network, a cloud's metadata service or a
 * range that is reserved for something, however it is written.
 *
 * @param text IPv4 or IPv6 address; false for everything else
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address that is mapped into IPv6 counts as itself.
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") {
    return address.range() === "unicast" && !REFUSED_HOSTS.has(address.toString());
  }
  if (address.match(NAT64)) {
    return isPublicAddress(address.toByteArray().slice(-4).join("."));
  }
  return address.match(GLOBAL_UNICAST) && address.range() === "unicast";
}
