/** What browsers are told about pages, files and data: what may run in them, and who may keep them. */
import { define } from "./define.ts";

/** Fresh stamps the nonce of its inline scripts on the response under this symbol. */
const FRESH_NONCE = Symbol.for("__freshNonce");

/** What every page has, and what is said without one. */
export const FIXED_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

/** Files and data show one tenant's data as well, and nobody may take them for something else. */
const DATA_TYPE = /^(?:application\/json|text\/csv)\b/;

/**
 * Puts a content security policy and its companions on every HTML page, error pages included. Fresh's
 * own `csp()` is not used: it always sends `upgrade-insecure-requests`, which breaks plain-http installs.
 * Files to be saved and answers in JSON get what concerns them: no cache keeps them unless they say how long.
 */
export const securityHeaders = define.middleware(async (ctx) => {
  const response = await ctx.next();
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("text/html")) return protectData(response, type);
  for (const [name, value] of Object.entries(FIXED_HEADERS)) response.headers.set(name, value);
  if (!response.headers.has("referrer-policy")) {
    response.headers.set("referrer-policy", "same-origin");
  }
  // Status pages have a stricter one.
  if (!response.headers.has("content-security-policy")) {
    response.headers.set("content-security-policy", contentSecurityPolicy(nonceOf(response)));
  }
  // Pages show one tenant's data: no shared cache may keep them.
  if (!response.headers.has("cache-control")) {
    response.headers.set("cache-control", "private, no-cache");
  }
  if (ctx.state.services.config.baseUrl.startsWith("https:")) {
    response.headers.set("strict-transport-security", "max-age=31536000");
  }
  return response;
});

function protectData(response: Response, type: string): Response {
  const { headers } = response;
  const isFile = headers.get("content-disposition")?.startsWith("attachment") ?? false;
  if (!isFile && !DATA_TYPE.test(type)) return response;
  headers.set("x-content-type-options", "nosniff");
  if (isFile || !headers.has("cache-control")) headers.set("cache-control", "private, no-store");
  return response;
}

function nonceOf(response: Response): string | null {
  const nonce: unknown = Reflect.get(response, FRESH_NONCE);
  return typeof nonce === "string" ? nonce : null;
}

function contentSecurityPolicy(nonce: string | null): string {
  const ours = nonce === null ? "'self'" : `'self' 'nonce-${nonce}'`;
  return [
    "default-src 'none'",
    `script-src ${ours}`,
    `style-src ${ours}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
