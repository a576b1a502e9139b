/** Where a mapping may begin that is not moved about in memory from process to process. */
const LOWEST_RANDOM_START = 1n << 32n;

/** A part of a file, and where it was in memory: as pprof's mapping. */
interface MappedRange {
  readonly start: bigint;
  readonly limit: bigint;
  readonly offset: bigint;
}

/** An address that is the same in every process, where the file's place in memory is known; else as it is. */
export function addressInFile(address: bigint, { start, limit, offset }: MappedRange): bigint {
  const isMoved = start >= LOWEST_RANDOM_START && address >= start && address < limit;
  return isMoved ? address - start + offset : address;
}
