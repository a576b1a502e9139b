/** Messages of a Postgres client, byte for byte: https://www.postgresql.org/docs/current/protocol-message-formats.html */

const PROTOCOL_3 = 196_608;
const encoder = new TextEncoder();

/** A message with a type. */
export function message(type: string, body: Uint8Array = new Uint8Array()): Uint8Array {
  const bytes = new Uint8Array(5 + body.length);
  bytes.set(encoder.encode(type));
  new DataView(bytes.buffer).setUint32(1, 4 + body.length);
  bytes.set(body, 5);
  return bytes;
}

/** Prepares an unnamed statement without parameters. */
export function parse(statement: string): Uint8Array {
  return message("P", encoder.encode(`\0${statement}\0\0\0`));
}

/** The first message of a connection, with its parameters. */
export function startup(parameters: Record<string, string>): Uint8Array {
  const words = Object.entries(parameters).flat().map((word) => `${word}\0`);
  return request(PROTOCOL_3, encoder.encode(`${words.join("")}\0`));
}

/** A message without a type, such as the one that asks for encryption. */
export function request(code: number, body: Uint8Array = new Uint8Array()): Uint8Array {
  const bytes = new Uint8Array(8 + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length);
  view.setUint32(4, code);
  bytes.set(body, 8);
  return bytes;
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
