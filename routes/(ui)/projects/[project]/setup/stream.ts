import { t } from "@/lib/core/language/translate.ts";
import type { Services } from "@/lib/server/services.ts";
import type { FirstEventView } from "@/lib/projects/first_event.tsx";
import { lookForFirstEvent } from "@/lib/projects/setup.tsx";
import { requireProject } from "@/lib/accounts/authorize.ts";
import type { HeldRight } from "@/lib/core/held_right.ts";
import { rightToPage } from "@/lib/server/held_right.ts";
import { define } from "@/lib/server/define.ts";
import { SharedLooks, type StreamPlace, StreamPlaces } from "@/lib/server/event_streams.ts";

const LOOK_EVERY_MS = 1_000;
/** The browser connects again after this, and is asked again whether it still may. */
const STREAM_MS = 5 * 60 * 1000;
/** A little less than the pause, so that each round of a stream finds something new. */
const SHARE_MS = LOOK_EVERY_MS * 0.9;
/** What the browser waits before it connects again, for a server that restarts. */
const RETRY_MS = 2_000;

interface Streams {
  readonly places: StreamPlaces;
  readonly looks: SharedLooks<FirstEventView | null>;
}

/** Those of this process; tests have several services in one. */
const streamsOf = new WeakMap<Services, Streams>();

/** Tells once, as a server-sent event named `first`, that the project has received its first event. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services, actor } = ctx.state;
    const { places, looks } = streamsOf.getOrInsertComputed(services, openStreams);
    const place = places.take(actor);
    if (place === null) return tooMany();
    const look = () => looks.get(project.id, () => lookForFirstEvent(services, project.id));
    const right = rightToPage(ctx, (again) => requireProject(again, "project:read"));
    return new Response(streamOf(waitForFirstEvent(services.stopping, look, right), place), {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-store, no-transform",
        // Proxies such as nginx would hold the messages back.
        "x-accel-buffering": "no",
      },
    });
  },
});

function openStreams(): Streams {
  return { places: new StreamPlaces(), looks: new SharedLooks(SHARE_MS) };
}

/** Browsers do not ask again after this; the page tells the news when it is loaded anew. */
function tooMany(): Response {
  return new Response(
    `${t("Too many pages are waiting for a first event. Close some and reload.")}\n`,
    {
      status: 429,
      headers: { "retry-after": "60", "cache-control": "no-store" },
    },
  );
}

/** The place is given back when the messages end or the reader leaves, even before the first. */
function streamOf(messages: AsyncGenerator<string>, place: StreamPlace): ReadableStream {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await messages.next();
      if (!done) return controller.enqueue(encoder.encode(value));
      place.end();
      controller.close();
    },
    async cancel() {
      place.end();
      await messages.return(undefined);
    },
  }, { highWaterMark: 0 });
}

/**
 * Looks once a second; each look without an event sends a comment, which keeps proxies from closing the
 * line and lets the generator notice at once that nobody listens any more.
 */
async function* waitForFirstEvent(
  stopping: AbortSignal,
  look: () => Promise<FirstEventView | null>,
  right: HeldRight,
): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n`;
  const deadline = Date.now() + STREAM_MS;
  while (!stopping.aborted && Date.now() < deadline && await right.isHeld()) {
    const first = await look();
    if (first !== null) {
      yield `event: first\ndata: ${JSON.stringify(first)}\n\n`;
      return;
    }
    yield ": waiting\n\n";
    await pause(LOOK_EVERY_MS, stopping);
  }
}

/** Resolves after `ms`, or at once when the server begins to stop. */
function pause(ms: number, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stopping.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    stopping.addEventListener("abort", end);
  });
}
