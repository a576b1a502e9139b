import { BUILD_ID } from "../build/id.ts";

/** The query parameter that ties a URL to a build, so that it may be cached for good. */
export const CACHE_BUST_KEY = "__frsh_c";

/** Ties the path of a static file to this build. */
export function asset(path: string): string {
  if (!path.startsWith("/") || path.startsWith("//")) return path;

  const url = new URL(path, "http://localhost");
  if (url.searchParams.has(CACHE_BUST_KEY)) return path;
  url.searchParams.set(CACHE_BUST_KEY, BUILD_ID);
  return url.pathname + url.search + url.hash;
}
