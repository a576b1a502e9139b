/**
 * Whether a text has a pattern in it, without regard to case; `*` stands for anything. By searching part after part:
 * an expression of many stars would try every way to divide the text among them.
 */
export function hasText(text: string, pattern: string): boolean {
  const within = text.toLowerCase();
  let at = 0;
  for (const part of pattern.toLowerCase().split("*")) {
    const found = within.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
