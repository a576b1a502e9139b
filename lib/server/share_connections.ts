type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** One answer in so many closes its connection: rare enough that nobody pays for it. */
const ANSWERS = 100;

/**
 * Closes connections now and then, after an answer that says so. For isolates that accept from one port: whichever is
 * awake takes all connections that come in a burst, such as the pool of a proxy, and keeps them while others idle.
 * Clients open the next one at once, and an isolate that has time takes it.
 *
 * @param chance from 0 until before 1
 */
export function shareConnections(handler: Handler, chance: () => number = Math.random): Handler {
  return async (request, info) => {
    const response = await handler(request, info);
    if (chance() * ANSWERS < 1) closeAfter(response);
    return response;
  };
}

function closeAfter({ headers }: Response): void {
  try {
    headers.set("connection", "close");
  } catch {
    // Those of a redirect cannot be changed; another answer will do.
  }
}
