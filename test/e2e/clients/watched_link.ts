import { createHash } from "node:crypto";

/** One request of a client and what it was answered. */
export interface Exchange {
  readonly path: string;
  readonly contentType: string;
  /** As `gzip`, or `""`. */
  readonly encoding: string;
  /** The same for the same body. */
  readonly digest: string;
  readonly status: number;
  readonly answer: Uint8Array<ArrayBuffer>;
  readonly answerType: string;
  /** Milliseconds since 1970 when it came. */
  readonly at: number;
}

export interface WatchedLink extends AsyncDisposable {
  /** Where clients send to, instead of the app. */
  readonly url: string;
  /** All so far, in the order of their answers. */
  readonly exchanges: readonly Exchange[];
}

/** Stands between clients and the app and writes down what they say to each other. */
export function watchedLink(target: string): WatchedLink {
  const exchanges: Exchange[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const at = Date.now();
      const { pathname, search } = new URL(request.url);
      const body = await request.bytes();
      const response = await fetch(`${target}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        body: body.length === 0 ? null : body,
      });
      const answer = await response.bytes();
      exchanges.push({
        path: pathname,
        contentType: request.headers.get("content-type") ?? "",
        encoding: request.headers.get("content-encoding") ?? "",
        digest: createHash("md5").update(body).digest("hex"),
        status: response.status,
        answer,
        answerType: response.headers.get("content-type") ?? "",
        at,
      });
      const headers = new Headers(response.headers);
      // It is decoded by now.
      headers.delete("content-encoding");
      headers.delete("content-length");
      return new Response(answer, { status: response.status, headers });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    exchanges,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
