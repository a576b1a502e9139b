/** Which site a project is about, as visitors' browsers name it. */
import { DAY_MS } from "../core/time.ts";
import { listMonitors } from "../monitors/mod.ts";
import type { Sql } from "../store/database.ts";

/** Sites that nobody has visited for longer are looked for no more. */
const LOOK_BACK_MS = 14 * DAY_MS;
/** Newest rows that are looked at, of errors and of page loads each: those of servers may stand among them. */
const NEWEST = 2_000;

/**
 * The public host name that pages have named most often of late, in lower case and as ASCII, such as `shop.example`;
 * null when none did. Whoever knows a browser key can name any: this is something to offer, never to act on.
 */
export async function findSiteHost(
  sql: Sql,
  projectId: string,
  now: Date = new Date(),
): Promise<string | null> {
  const since = new Date(now.getTime() - LOOK_BACK_MS);
  const rows = await sql<{ url: string }[]>`
    select tags->>'url' as url from (
      (
        select platform, tags from transactions
        where project_id = ${projectId} and "timestamp" >= ${since}
        order by "timestamp" desc limit ${NEWEST}
      ) union all (
        select platform, tags from events_with_tags
        where project_id = ${projectId} and "timestamp" >= ${since}
        order by "timestamp" desc limit ${NEWEST}
      )
    ) as newest
    where platform = 'javascript' and tags ? 'url'
  `;
  const counts = new Map<string, number>();
  for (const { url } of rows) {
    const host = publicHostOf(url);
    if (host !== null) counts.set(host, (counts.get(host) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  return most?.[0] ?? null;
}

/** The same, unless a monitor of the project checks it already. */
export async function findUnwatchedHost(sql: Sql, projectId: string): Promise<string | null> {
  const host = await findSiteHost(sql, projectId);
  if (host === null) return null;
  const monitors = await listMonitors(sql, projectId);
  return monitors.some((monitor) => monitor.host === host) ? null : host;
}

/** Names of machines that only their owner reaches (RFC 6761, RFC 6762, RFC 8375, RFC 9476). */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|test|invalid|alt|lan|home\.arpa)$/;
/** A name of two labels or more, the last of which is no number: that would be an address. */
const PUBLIC_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z][a-z0-9-]*$/;
const MAX_NAME = 253;

/** The host of a page on the web; null for addresses of machines, files, apps and extensions. */
export function publicHostOf(url: string): string | null {
  const { protocol, hostname } = URL.parse(url) ?? { protocol: "", hostname: "" };
  if (protocol !== "https:" && protocol !== "http:") return null;
  const isPublic = hostname.length <= MAX_NAME && PUBLIC_NAME.test(hostname) &&
    !LOCAL_NAME.test(hostname);
  return isPublic ? hostname : null;
}

/** The address to check of a site, or null. */
export function siteUrl(host: string | null): string | null {
  return host === null ? null : `https://${host}/`;
}
