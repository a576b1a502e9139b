import { type Envelope, serialize } from "./envelope.ts";

const SENDERS = 8;
const MAX_TRIES = 20;

/** One request that is to be made. */
export interface Delivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Made when it is sent: envelopes tell the time of that. */
  body(): string | Uint8Array<ArrayBuffer>;
}

/** An envelope on its way. @param url the envelope endpoint with its key */
export function envelopeDelivery(url: string, envelope: Envelope): Delivery {
  return { url, headers: {}, body: () => serialize(envelope) };
}

/**
 * Makes the requests, a few at a time, and waits as long as the service asks for. Once an address refuses its key, nothing
 * more is sent there.
 *
 * @param onDone called after each, whether it was taken or not
 */
export async function sendAll(
  deliveries: readonly Delivery[],
  onDone: () => void = () => {},
): Promise<{ sent: number; refused: number }> {
  const queue = deliveries.values();
  const result = { sent: 0, refused: 0 };
  const closed = new Set<string>();
  const sender = async () => {
    for (const delivery of queue) {
      if (!closed.has(delivery.url) && await send(delivery, closed)) result.sent++;
      else result.refused++;
      onDone();
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return result;
}

async function send({ url, headers, body }: Delivery, closed: Set<string>): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const response = await fetch(url, { method: "POST", headers, body: body() });
    const answer = await response.text();
    if (response.ok) return true;
    if (response.status !== 429 && response.status !== 503) {
      const isKnown = closed.has(url);
      if (response.status === 401 || response.status === 403) closed.add(url);
      if (!isKnown) console.error(`${new URL(url).pathname}: ${response.status} ${answer}`);
      return false;
    }
    const seconds = Number(response.headers.get("retry-after") ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
  return false;
}
