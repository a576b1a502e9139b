/** The addresses below which pages of customers load and send: the one place that knows them. */

/** What is below it, a page's Content-Security-Policy must allow for scripts and for connections. */
export const SCRIPTS_PATH = "/js/";

/**
 * Where the SDK of a page with the loader sends to: the intake of envelopes, at an address without the words by which
 * ad blockers know that of SDKs (`/envelope/?sentry_key=`, of EasyPrivacy's rule `/?sentry_key=`).
 */
export const TUNNEL_PATH = "/js/in";

/**
 * Address of the loader of a key.
 *
 * @param baseUrl `config.baseUrl`: address of the service, with its path prefix if it has one
 * @param key its public key, or its id, which outlives a reissue
 */
export function loaderUrl(baseUrl: string, key: string): string {
  return `${baseUrl}${SCRIPTS_PATH}${key}.js`;
}
