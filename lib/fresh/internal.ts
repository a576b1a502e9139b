/**
 * What the generated `_fresh/server.js` needs to put a build and an app together.
 *
 * @module
 */

export { setBuildCache } from "./app.ts";
export { ProdBuildCache } from "./build/cache.ts";
