const SENDERS = 8;
const MAX_TRIES = 20;

/**
 * Posts each event in an envelope of its own and waits as long as the service asks for.
 *
 * @param url the envelope endpoint with its key
 */
export async function sendAll(
  url: string,
  events: readonly Record<string, unknown>[],
): Promise<{ sent: number; refused: number }> {
  const queue = events.values();
  const result = { sent: 0, refused: 0 };
  const sender = async () => {
    for (const event of queue) {
      if (await send(url, event)) result.sent++;
      else result.refused++;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return result;
}

async function send(url: string, event: Record<string, unknown>): Promise<boolean> {
  const body = [
    { event_id: event.event_id, sent_at: new Date().toISOString(), sdk: event.sdk },
    { type: "event" },
    event,
  ].map((line) => JSON.stringify(line)).join("\n");
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
