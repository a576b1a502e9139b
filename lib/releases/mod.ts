/** What other rooms may use of releases, beside the scope of pages. */
export { type ReleaseHealth, releaseHealth } from "./health.ts";
