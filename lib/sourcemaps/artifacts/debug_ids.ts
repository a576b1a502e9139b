/** Debug ids: what an event, a minified file and its source map name each other by. */

/**
 * A debug id as it is stored: 32 lower-case hex digits.
 *
 * @param text a UUID with or without hyphens, in any case, with or without an age behind it (`-0`)
 * @returns null for anything else
 */
export function normalDebugId(text: string): string | null {
  const [, digits] = /^([0-9a-f]{32})(?:[0-9a-f]{0,8})$/.exec(
    text.trim().toLowerCase().replaceAll("-", ""),
  ) ?? [];
  return digits === undefined || /^0+$/.test(digits) ? null : digits;
}

/** A stored debug id as people know it: a UUID with hyphens. */
export function hyphenated(id: string): string {
  return id.replaceAll("-", "").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
