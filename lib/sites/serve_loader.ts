/** Answers for what pages of customers load: the loader of a key, and the SDK's bundle. */
import { createHash } from "node:crypto";
import { findIngest, type Ingest } from "../accounts/ingest_lookup.ts";
import {
  adoptRecoveredKey,
  dsn,
  findPublicKey,
  findRetired,
  type IngestKey,
  isPublicKey,
} from "../accounts/keys.ts";
import type { Config } from "../core/config.ts";
import { MINUTE_MS } from "../core/time.ts";
import { withTimeLimit } from "../core/waiting.ts";
import type { Backend } from "../store/stores.ts";
import { SCRIPTS_PATH, TUNNEL_PATH } from "./addresses.ts";
import { encodingFor, type PageScripts, pageScripts } from "./built_scripts.ts";
import type { Site } from "./loader.ts";

/** A revoked or reissued key stops within this. */
const LOADER_MAX_AGE_SEC = 5 * MINUTE_MS / 1_000;
/** Whoever has just mended a key does not want to wait. */
const NOTICE_MAX_AGE_SEC = 60;
const IMMUTABLE = "public, max-age=31536000, immutable";
/** Clients of a KV server wait for ever while it is away. */
const KV_LIMIT_MS = 3_000;

const LOADER_FILE = /^([0-9a-f]{16}|[0-9a-f]{32})(?:\.min)?\.js$/;
const BUNDLE_FILE = /^bundle-[\w.-]{1,64}\.min\.js$/;

/** Any page may load them and read their errors; no cookie is sent along. */
const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/javascript; charset=utf-8",
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "timing-allow-origin": "*",
  "x-content-type-options": "nosniff",
};

/**
 * Answers `GET /js/<file>`: `<public key>.js` or `<key id>.js` is the loader, `bundle-<version>.min.js` the SDK.
 *
 * @param file last part of the address
 * @returns 200, 304 for what the client has, 404, 405, or 503 while the control store is away
 */
export async function serveScript(
  req: Request,
  file: string,
  services: Pick<Backend, "kv" | "config" | "log">,
): Promise<Response> {
  if (req.method !== "GET" && req.method !== "HEAD") {
    return plain(405, "This address takes GET only.", { allow: "GET, HEAD" });
  }
  if (BUNDLE_FILE.test(file)) return answer(req, bundleOf(await pageScripts(), file, req.headers));
  const [, name] = LOADER_FILE.exec(file) ?? [];
  if (name === undefined) return plain(404, "There is no such script.");
  try {
    const found = await withTimeLimit(findSite(services.kv, name), KV_LIMIT_MS);
    const scripts = await pageScripts();
    return answer(req, loaderOf(found, file, scripts, services.config));
  } catch (error) {
    services.log.warn("cannot serve a loader", { error: String(error) });
    // Not run by the browser, and kept by no cache: the next page load asks again.
    return plain(503, "Watchpost cannot look up the key just now.", {
      "retry-after": "30",
      "cache-control": "no-store",
    });
  }
}

/** A key that may stand in a page, or the sentence that says why there is none. */
type Found = IngestKey | string;

async function findSite(kv: Deno.Kv, name: string): Promise<Found> {
  const target = await findTarget(kv, name);
  if (target === null) return await whyNot(kv, name);
  const { key } = target;
  if (!key.isActive) return "this key is disabled";
  if (key.type === "server") {
    return "this is a server key, which must not stand in a page: use a browser or site key, and reissue this one";
  }
  return key;
}

/** By public key, else by the id that outlives it. */
async function findTarget(kv: Deno.Kv, name: string): Promise<Ingest | null> {
  if (isPublicKey(name)) {
    const target = await findIngest(kv, name) ??
      (await adoptRecoveredKey(kv, name) ? await findIngest(kv, name) : null);
    if (target !== null) return target;
  }
  const publicKey = await findPublicKey(kv, name);
  const target = publicKey === null ? null : await findIngest(kv, publicKey);
  return target?.key.id === name ? target : null;
}

async function whyNot(kv: Deno.Kv, name: string): Promise<string> {
  const retired = await findRetired(kv, name);
  if (retired === null) return "this key is not known here";
  const day = retired.at.toISOString().slice(0, 10);
  return retired.why === "revoked"
    ? `this key was revoked on ${day}`
    : `this key was reissued on ${day}: take the new line from the project's Setup page`;
}

interface Script {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly cacheControl: string;
  readonly etag: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The loader of a key. For a key that is none, a script that says so in the console: with 200, because browsers run
 * nothing that comes with 404, and the owner of the page would see no more than that.
 */
function loaderOf(
  found: Found,
  file: string,
  scripts: PageScripts,
  { baseUrl }: Config,
): Script {
  if (typeof found === "string") {
    const text = JSON.stringify(`Watchpost: ${found}. Nothing is sent from this page.`);
    return script(`console.warn(${text});\n`, NOTICE_MAX_AGE_SEC);
  }
  return script(loaderScript(scripts, found, file, baseUrl), LOADER_MAX_AGE_SEC);
}

/**
 * Text of the loader for a key: all of its addresses are below the service's own, with its protocol and path prefix.
 *
 * @param file what the page has asked for, as `<public key>.js`
 * @param baseUrl `config.baseUrl`
 */
export function loaderScript(
  { loader, bundle }: Pick<PageScripts, "loader" | "bundle">,
  key: IngestKey,
  file: string,
  baseUrl: string,
): string {
  const site: Site = {
    dsn: dsn(baseUrl, key),
    bundle: `${baseUrl}${SCRIPTS_PATH}${bundle}`,
    tunnel: `${baseUrl}${TUNNEL_PATH}`,
    file,
  };
  return `(SITE=>{${loader}})(${JSON.stringify(site)});\n`;
}

function script(body: string, maxAgeSec: number): Script {
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return { body, etag: hash, cacheControl: `public, max-age=${maxAgeSec}, must-revalidate` };
}

/**
 * The bundle. A loader in a cache may still name that of another version: it gets this one, which is not kept under that
 * name for longer than the loader is.
 */
function bundleOf({ bundle, bytes }: PageScripts, file: string, asked: Headers): Script {
  const encoding = encodingFor(asked.get("accept-encoding"));
  const body = bytes.get(encoding) ?? new Uint8Array();
  return {
    body,
    etag: `${bundle}-${encoding}`,
    cacheControl: file === bundle ? IMMUTABLE : `public, max-age=${LOADER_MAX_AGE_SEC}`,
    headers: {
      vary: "accept-encoding",
      ...(encoding !== "identity" && { "content-encoding": encoding }),
    },
  };
}

function answer(req: Request, { body, cacheControl, etag, headers }: Script): Response {
  const all = { ...HEADERS, ...headers, "cache-control": cacheControl, etag: `"${etag}"` };
  // Proxies that compress make the tag a weak one.
  const known = (req.headers.get("if-none-match") ?? "").split(",")
    .map((each) => each.trim().replace(/^W\//, ""));
  if (known.includes(`"${etag}"`)) return new Response(null, { status: 304, headers: all });
  return new Response(req.method === "HEAD" ? null : body, { headers: all });
}

function plain(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { ...HEADERS, "content-type": "text/plain; charset=utf-8", ...headers },
  });
}
