import { type Envelope, serialize } from "./envelope.ts";

const SENDERS = 8;
const MAX_TRIES = 20;

/**
 * Posts the envelopes, a few at a time, and waits as long as the service asks for.
 *
 * @param url the envelope endpoint with its key
 */
export async function sendAll(
  url: string,
  envelopes: readonly Envelope[],
): Promise<{ sent: number; refused: number }> {
  const queue = envelopes.values();
  const result = { sent: 0, refused: 0 };
  const sender = async () => {
    for (const envelope of queue) {
      if (await send(url, serialize(envelope))) result.sent++;
      else result.refused++;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return result;
}

async function send(url: string, body: string): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const response = await fetch(url, { method: "POST", body });
    const answer = await response.text();
    if (response.ok) return true;
    if (response.status !== 429 && response.status !== 503) {
      console.error(`${response.status} ${answer}`);
      return false;
    }
    const seconds = Number(response.headers.get("retry-after") ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
  return false;
}
