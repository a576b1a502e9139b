/**
 * What components and islands may import, on the server and in the browser.
 *
 * @module
 */

export { asset } from "./render/asset.ts";
export { Head, type HeadProps } from "./render/head.ts";
export { HttpError } from "./error.ts";

/** Whether this code runs in a browser. */
export const IS_BROWSER = typeof document !== "undefined";
