/** Lines beyond are none; pprof keeps columns above them. */
const MAX_LINE = 0x7fffffff;

/** A line or column as a pprof may have it; 0 for what is none. */
export function lineNumber(sent: number): number {
  return sent <= MAX_LINE ? sent : 0;
}
