/** One array out of pieces that follow each other; a single piece is returned as it is. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}
