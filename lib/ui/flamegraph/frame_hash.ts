/**
 * A short name of a function in links: eight hex digits, FNV-1a over UTF-16 with a final mix. Those who call it keep in
 * mind that two functions may share one.
 */
export function frameHash(name: string, file: string): string {
  let hash = mixIn(0x811c9dc5, name);
  hash = mixIn(Math.imul(hash, 0x01000193), file);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash ^= hash >>> 13;
  return (hash >>> 0).toString(16).padStart(8, "0");
}

function mixIn(hash: number, text: string): number {
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash;
}
