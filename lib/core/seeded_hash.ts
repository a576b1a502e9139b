/**
 * Ids, functions and nodes are in the hands of clients: a table that they could fill with collisions would be slow at
 * their will.
 */
const [FIRST = 0, SECOND = 0] = crypto.getRandomValues(new Uint32Array(2));

/** A hash of two numbers of 32 bits, another one in every process. */
export function seededHash(first: number, second: number): number {
  let hash = Math.imul(first ^ FIRST, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15) ^ second ^ SECOND, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return hash ^ (hash >>> 16);
}
