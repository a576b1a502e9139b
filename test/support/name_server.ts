/** A name server on the loopback that knows a few records. */
import { createSocket } from "node:dgram";

/** By `name type`: the data of each record as it goes over the wire. */
export type Zone = Readonly<Record<string, readonly Uint8Array[]>>;

const TYPES: Readonly<Record<number, string>> = {
  1: "A",
  5: "CNAME",
  15: "MX",
  16: "TXT",
  28: "AAAA",
};
const NO_SUCH_NAME = 3;

export interface NameServer extends AsyncDisposable {
  /** `127.0.0.1:<port>` */
  readonly address: string;
}

/** @param zone null: it never answers */
export async function nameServer(zone: Zone | null): Promise<NameServer> {
  const socket = createSocket("udp4");
  socket.on("message", (question, from) => {
    if (zone !== null) socket.send(answerTo(question, zone), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** RFC 1035, section 4. */
function answerTo(message: Uint8Array, zone: Zone): Uint8Array {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(new TextDecoder().decode(message.subarray(at + 1, at + 1 + length)));
    at += length + 1;
  }
  const end = at + 5;
  const type = (message[at + 1] ?? 0) * 256 + (message[at + 2] ?? 0);
  const name = labels.join(".").toLowerCase();
  const records = zone[`${name} ${TYPES[type]}`] ?? [];
  const isKnown = Object.keys(zone).some((key) => key.startsWith(`${name} `));
  const head = Uint8Array.of(
    message[0] ?? 0,
    message[1] ?? 0,
    0x85,
    0x80 | (isKnown ? 0 : NO_SUCH_NAME),
    ...[0, 1, 0, records.length, 0, 0, 0, 0],
  );
  const answers = records.flatMap((data) => [
    ...[0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length],
    ...data,
  ]);
  return Uint8Array.of(...head, ...message.subarray(12, end), ...answers);
}

/** The data of a TXT record. */
export function txt(...parts: string[]): Uint8Array {
  return Uint8Array.of(
    ...parts.flatMap((part) => [part.length, ...new TextEncoder().encode(part)]),
  );
}

/** The data of an MX record. */
export function mx(preference: number, host: string): Uint8Array {
  const labels = host.split(".").flatMap((label) => [
    label.length,
    ...new TextEncoder().encode(label),
  ]);
  return Uint8Array.of(0, preference, ...labels, 0);
}
