const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/**
 * How many objects and lists a parser would make of JSON, at most: brackets in texts count as well, of which there are
 * fewer. Two bytes are enough for one, so look before parsing.
 *
 * @param json UTF-8, which need not be whole
 */
export function countBrackets(json: Uint8Array): number {
  let brackets = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) brackets++;
  }
  return brackets;
}
