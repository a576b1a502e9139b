/** A server that keeps what is posted to it. */

export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: Headers;
  readonly text: string;
}

export interface WebhookReceiver extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly received: readonly Received[];
  /** What to answer from now on; a 200 at first. */
  answerWith(answer: (received: Received) => Response | Promise<Response>): void;
}

/**
 * Starts a receiver of webhooks.
 *
 * @param tls certificate and key, for https
 */
export function webhookReceiver(
  tls?: { readonly cert: string; readonly key: string },
): WebhookReceiver {
  const received: Received[] = [];
  let answer: (received: Received) => Response | Promise<Response> = () => new Response("ok");
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {}, ...tls },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const one = {
        path: pathname + search,
        method: request.method,
        headers: request.headers,
        text: await request.text(),
      };
      received.push(one);
      return await answer(one);
    },
  );
  return {
    origin: `${tls ? "https" : "http"}://127.0.0.1:${server.addr.port}`,
    received,
    answerWith(next) {
      answer = next;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
