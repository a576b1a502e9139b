/** The door of the room: pages of customers, watched by a line that they load. */
export { loaderUrl, SCRIPTS_PATH } from "./addresses.ts";
export { findUnwatchedHost, siteUrl } from "./site_host.ts";
