/**
 * Where clients are installed and kept. `TEST_CLIENTS_DIR` (with a slash at its end) names another place: two runs side by
 * side must not install into one.
 */
export const CACHE = new URL(
  Deno.env.get("TEST_CLIENTS_DIR") ?? "../../../.cache/clients/",
  import.meta.url,
);
