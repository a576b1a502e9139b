import { HttpError } from "fresh";
import { define } from "./define.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses forms that another site sends with our visitor's cookie. Browsers say where a request comes
 * from (`Sec-Fetch-Site`, and `Origin` on every POST), so no token is needed in the forms; unlike
 * Fresh's `csrf()`, a request that says nothing is refused as well.
 */
export const csrf = define.middleware((ctx) => {
  if (!SAFE_METHODS.has(ctx.req.method) && !isSameOrigin(ctx.req)) {
    throw new HttpError(
      403,
      "This form was sent from another site. Open the page here and try again.",
    );
  }
  return ctx.next();
});

/** Whether the browser says that `request` comes from a page of this very host. */
export function isSameOrigin(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = request.headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  // The scheme is not compared: behind a proxy that ends TLS we see http where the browser says https.
  return new URL(origin).host === request.headers.get("host");
}
