/** What an uploaded file has in it: the files of an archive, one that is compressed, or itself. */
import { gunzip, TooManyMembers } from "../../core/inflate_engine.ts";
import { BadUpload, inMemory, readDirectory, readEntry } from "../../sourcemaps/mod.ts";
import { TransferFailed } from "../../transfers/mod.ts";

/** A file to import. */
export interface ImportFile {
  readonly name: string;
  /** It was uploaded by itself, whatever it is called. */
  readonly isAlone: boolean;
  /** @throws {TransferFailed} */
  read(): Promise<Uint8Array>;
}

/** One file, unpacked: it is held in memory. */
const MAX_FILE_BYTES = 256 * 1024 ** 2;
/** Saved pages of an API, of which each has a hundred events; an export has one for each kind of data. */
export const MAX_JSON_FILES = 2_000;
/** Of all files together. */
const MAX_ALL_BYTES = 4 * 1024 ** 3;

/**
 * @param name what the upload is called
 * @throws {TransferFailed} with what is wrong with it
 */
export async function filesIn(name: string, bytes: Uint8Array): Promise<ImportFile[]> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    const read = () => Promise.resolve(unpacked(bytes));
    return [{ name: name.replace(/\.gz$/i, ""), isAlone: true, read }];
  }
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) {
    return [{ name, isAlone: true, read: () => Promise.resolve(bytes) }];
  }
  const file = inMemory(bytes);
  const entries = await inWords(() => readDirectory(file));
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total > MAX_ALL_BYTES) {
    throw new TransferFailed("The archive unfolds to more than 4 GB: import it in several parts.");
  }
  // Names are looked at and never used as paths; one that tries to be one was made to do harm.
  const odd = entries.find(({ name }) => /(?:^|[/\\])\.\.(?:[/\\]|$)|^[/\\]|^[a-z]:/i.test(name));
  if (odd !== undefined) {
    throw new TransferFailed("The archive has a name that leads out of its folder.");
  }
  return entries.map((entry) => ({
    name: entry.name,
    isAlone: false,
    read: () => inWords(() => readEntry(file, entry, MAX_FILE_BYTES)),
  }));
}

async function inWords<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof BadUpload) throw new TransferFailed(error.message);
    throw error;
  }
}

function unpacked(bytes: Uint8Array): Uint8Array {
  try {
    return new Uint8Array(gunzip(bytes, { maxOutputLength: MAX_FILE_BYTES }));
  } catch (error) {
    if (error instanceof TooManyMembers) {
      throw new TransferFailed(
        "The file is gzip of more than 10,000 parts: compress it as a whole.",
      );
    }
    throw new TransferFailed("The file is no whole gzip, or unfolds to more than 256 MiB.");
  }
}
