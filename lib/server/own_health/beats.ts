import { pause } from "../../core/waiting.ts";

const PAUSE_MS = 1_000;

/** A stream of two events with a pause between: whoever gets both at once has a proxy that holds streams back. */
export function beats(): Response {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  const event = (data: string) => encoder.encode(`data: ${data}\n\n`);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(stream) {
      if (sent > 0) await pause(PAUSE_MS, gone.signal);
      if (gone.signal.aborted) return;
      stream.enqueue(event(String(++sent)));
      if (sent === 2) stream.close();
    },
    cancel: () => gone.abort(),
  }, { highWaterMark: 0 });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      // As those of pages have it.
      "x-accel-buffering": "no",
    },
  });
}
