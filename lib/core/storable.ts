/** The text as Postgres can compare it: it refuses NUL, which a URL may carry and nothing stored has. */
export function storable(text: string): string {
  return text.replaceAll("\0", "");
}
