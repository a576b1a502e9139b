/** Stored bytes that nobody can have written, or that a later version wrote. */
export class DamagedBlock extends Error {
  override name = "DamagedBlock";
}
