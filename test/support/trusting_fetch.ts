/** Requests to a server with a certificate of a test's own authority. */

interface TrustingFetch extends Disposable {
  (url: string, init?: RequestInit): Promise<Response>;
}

/**
 * Makes such a `fetch()`.
 *
 * @param ca PEM; absent: what the system trusts
 * @param http2 whether to speak HTTP/2 and nothing else, or HTTP/1.1 and nothing else
 */
export function trustingFetch(ca?: string, http2 = false): TrustingFetch {
  const client = Deno.createHttpClient({
    caCerts: ca === undefined ? [] : [ca],
    http1: !http2,
    http2,
  });
  const ask = (url: string, init: RequestInit = {}) => {
    const own: RequestInit & { client: Deno.HttpClient } = { ...init, client };
    return fetch(url, own);
  };
  return Object.assign(ask, { [Symbol.dispose]: () => client.close() });
}
