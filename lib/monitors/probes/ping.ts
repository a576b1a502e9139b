/** A check by ICMP echo, which only the system's own `ping` may send. */
import { findHost, ofFamily } from "./connect.ts";
import { ProbeFailure } from "./failure.ts";
import type { Observation } from "./observation.ts";
import type { PingTarget } from "./target.ts";

/** @throws {ProbeFailure} dns, refused, connection, timeout, unsupported */
export async function probePing(target: PingTarget, seen: Observation): Promise<void> {
  const { addresses } = await findHost({ host: target.host, port: null }, seen);
  const [address = ""] = ofFamily(addresses, target.family);
  seen.address = address;
  const sent = performance.now();
  const problem = readPing(await run(address, seen));
  if (problem !== null) throw problem;
  seen.spend("connect", sent);
}

export interface PingOutput {
  /** Exit code. */
  readonly code: number;
  /** Of both streams. */
  readonly text: string;
}

async function run(address: string, seen: Observation): Promise<PingOutput> {
  const waitSec = Math.ceil(seen.timeoutMs / 1_000);
  try {
    const { code, stdout, stderr } = await seen.within(
      new Deno.Command("ping", {
        args: ["-n", "-c", "1", "-W", String(waitSec), address],
        env: { LC_ALL: "C" },
        signal: seen.ending,
        stdin: "null",
      }).output(),
    );
    const decoder = new TextDecoder();
    return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
  } catch (cause) {
    if (cause instanceof ProbeFailure) throw cause;
    throw new ProbeFailure(
      "unsupported",
      "This instance cannot send pings: its system has no ping command.",
      { cause },
    );
  }
}

/** What a run of `ping` means; null: an echo came back. */
export function readPing({ code, text }: PingOutput): ProbeFailure | null {
  if (code === 0) return null;
  if (/not permitted|permission denied|socktype|cap_net_raw|lacking privilege/i.test(text)) {
    return new ProbeFailure(
      "unsupported",
      "This instance cannot send pings: its system does not allow them.",
    );
  }
  return code === 1
    ? new ProbeFailure("connection", "The host does not respond to pings.")
    : new ProbeFailure("connection", "There is no way to the host's network from here.");
}
