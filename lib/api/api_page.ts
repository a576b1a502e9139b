import type { ApiContext } from "./api.ts";

/** Where a list goes on; null where it does not. */
export interface Cursors {
  readonly previousCursor: string | null;
  readonly nextCursor: string | null;
}

const ONLY_PAGE: Cursors = { previousCursor: null, nextCursor: null };

/**
 * A list with Sentry's `Link` header, which names both neighbours even where there are none and says so
 * with `results="false"`: its clients page until they read that.
 */
export function listReply(
  ctx: ApiContext,
  rows: readonly unknown[],
  { previousCursor, nextCursor }: Cursors = ONLY_PAGE,
): Response {
  const links = [link(ctx, "previous", previousCursor), link(ctx, "next", nextCursor)];
  return Response.json(rows, { headers: { link: links.join(", ") } });
}

function link(ctx: ApiContext, rel: "previous" | "next", cursor: string | null): string {
  const { baseUrl } = ctx.state.services.config;
  const url = new URL(baseUrl + ctx.url.pathname + ctx.url.search);
  url.searchParams.set("cursor", cursor ?? "");
  return `<${url}>; rel="${rel}"; results="${cursor !== null}"; cursor="${cursor ?? ""}"`;
}
