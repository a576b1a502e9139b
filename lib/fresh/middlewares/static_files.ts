import { BUILD_ID, scriptFolder } from "../build/id.ts";
import type { Context } from "../context.ts";
import { CACHE_BUST_KEY } from "../render/asset.ts";
import { type Middleware, SCOPE } from "../types.ts";

/** Serves the files that the build has listed, and nothing else: no path leads to the disk. */
export function staticFiles<State>(): Middleware<State> {
  return async (ctx) => {
    const { req, url } = ctx;
    const { buildCache } = ctx[SCOPE];
    const file = buildCache?.file(decodePath(url.pathname));
    if (!buildCache || file === undefined) {
      // Browsers ask for it unbidden; a whole error page would be a waste.
      if (url.pathname === "/favicon.ico") return new Response(null, { status: 404 });
      return await ctx.next();
    }

    if (req.method !== "GET" && req.method !== "HEAD") {
      return new Response("Method Not Allowed", { status: 405 });
    }
    const version = url.searchParams.get(CACHE_BUST_KEY);
    if (version !== null && version !== BUILD_ID) return withoutVersion(url);

    const headers = new Headers({
      "Content-Type": file.contentType,
      Vary: "If-None-Match",
    });
    if (ctx.config.mode === "production") {
      const known = req.headers.get("If-None-Match");
      const etag = `W/"${file.hash}"`;
      if (known === etag || known === file.hash) {
        return new Response(null, { status: 304, headers });
      }
      headers.set("ETag", etag);
    }
    headers.set(
      "Cache-Control",
      isImmutable(ctx)
        ? "public, max-age=31536000, immutable"
        : "no-cache, no-store, max-age=0, must-revalidate",
    );

    const { size, body, close } = await buildCache.open(file);
    headers.set("Content-Length", String(size));
    if (req.method === "HEAD") {
      close();
      return new Response(null, { headers });
    }
    return new Response(body, { headers });
  };
}

function isImmutable<State>({ config, url }: Context<State>): boolean {
  return config.mode === "production" &&
    (url.searchParams.has(CACHE_BUST_KEY) || url.pathname.startsWith(scriptFolder(BUILD_ID)));
}

function withoutVersion(url: URL): Response {
  const query = new URLSearchParams(url.searchParams);
  query.delete(CACHE_BUST_KEY);
  const location = url.pathname + (query.size > 0 ? `?${query}` : "");
  return new Response(null, { status: 307, headers: { location } });
}

/** What cannot be decoded is no file's path; slashes are nothing at its end. */
function decodePath(pathname: string): string {
  try {
    const path = pathname.includes("%") ? decodeURIComponent(pathname) : pathname;
    return path.replaceAll(/\/+(?=\/|$)/g, "");
  } catch {
    return "";
  }
}
