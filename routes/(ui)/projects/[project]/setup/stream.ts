import type { Services } from "../../../../../lib/services.ts";
import { lookForFirstEvent } from "../../../../../lib/ui/setup/look_for_first_event.ts";
import { requireProject } from "../../../../../lib/web/access.ts";
import { define } from "../../../../../lib/web/define.ts";

const LOOK_EVERY_MS = 1_000;
/** The browser connects again after this, and is asked again whether it still may. */
const STREAM_MS = 5 * 60 * 1000;
/** What the browser waits before it connects again, for a server that restarts. */
const RETRY_MS = 2_000;

/** Tells once, as a server-sent event named `first`, that the project has received its first event. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const messages = waitForFirstEvent(ctx.state.services, project.id);
    return new Response(ReadableStream.from(messages).pipeThrough(new TextEncoderStream()), {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-store, no-transform",
        // Proxies such as nginx would hold the messages back.
        "x-accel-buffering": "no",
      },
    });
  },
});

/**
 * Looks once a second; each look without an event sends a comment, which keeps proxies from closing the
 * line and lets the generator notice at once that nobody listens any more.
 */
async function* waitForFirstEvent(
  services: Services,
  projectId: string,
): AsyncGenerator<string> {
  const { stopping } = services;
  yield `retry: ${RETRY_MS}\n\n`;
  const deadline = Date.now() + STREAM_MS;
  while (!stopping.aborted && Date.now() < deadline) {
    const first = await lookForFirstEvent(services, projectId);
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
