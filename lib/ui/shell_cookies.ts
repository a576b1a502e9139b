/** Cookies that hold how somebody likes the frame; none is secret, the server and the browser read them. */

/** `narrow` when the rail shows icons only. */
export const RAIL_COOKIE = "rail";
/** Ids of the projects looked at last, newest first, with dots between. */
export const RECENT_COOKIE = "recent";
export const MAX_RECENT = 5;
/** Said once by the page after a redirect. */
export const FLASH_COOKIE = "flash";
