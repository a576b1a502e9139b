/**
 * Reads ZIP archives that strangers made (APPNOTE.TXT 6.3), by their central directory and a piece at a time. Names are keys
 * and never paths. What unfolds further than it says, lies over something else or is there twice is refused: libraries
 * for ZIP leave these checks to nobody.
 */
import { Buffer } from "node:buffer";
import { crc32, createInflateRaw } from "node:zlib";
import { joinBytes } from "../../core/read_body.ts";
import { BadUpload, MAX_FILES, MAX_RATIO, mebibytes, quote, RATIO_COUNTS_FROM } from "./limits.ts";

/** A file of which any part can be read. */
export interface RandomAccess {
  readonly size: number;
  /** @returns exactly these bytes, which lie within the file */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** One file of an archive, as its directory has it. */
export interface ZipEntry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly compressedSize: number;
  readonly size: number;
  readonly crc: number;
  /** Where its local header begins. */
  readonly offset: number;
  /** Where the next entry begins, or the directory. */
  readonly end: number;
}

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 0xffff;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
/** Encrypted, compressed as a patch, strongly encrypted, with masked headers. */
const REFUSED_FLAGS = 0x2061;
const STORED = 0;
const DEFLATED = 8;
/** Fields that say "see the ZIP64 record". */
const IN_ZIP64 = 0xffffffff;
/** An entry of the directory rarely takes more than 300 bytes. */
const DIRECTORY_BYTES = 32 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
const ZIP64 = "The archive is in the ZIP64 format, which is not supported: pack less into one.";

/**
 * The files of an archive; its folders are left out.
 *
 * @param prefix bytes before the archive, of which its offsets may know or not
 * @throws {BadUpload}
 */
export async function readDirectory(file: RandomAccess, prefix = 0): Promise<ZipEntry[]> {
  const end = await findEnd(file);
  const { view, position } = end;
  const count = view.getUint16(10, true);
  const size = view.getUint32(12, true);
  const offset = view.getUint32(16, true);
  if (count === 0xffff || size === IN_ZIP64 || offset === IN_ZIP64) {
    throw new BadUpload(ZIP64);
  }
  if (view.getUint32(4, true) !== 0 || view.getUint16(8, true) !== count) {
    throw new BadUpload("The archive is one part of several: join them to one.");
  }
  // Manifest and folders are entries as well.
  if (count > 2 * MAX_FILES || size > DIRECTORY_BYTES) {
    throw new BadUpload(`The archive has more than ${MAX_FILES} files.`);
  }
  const base = position - size - offset;
  if (base !== 0 && base !== prefix) {
    throw new BadUpload("The directory of the archive is damaged.");
  }
  const bytes = await file.read(offset + base, size);
  return laidOut(parseEntries(bytes, count), base, offset + base);
}

async function findEnd(file: RandomAccess): Promise<{ view: DataView; position: number }> {
  const length = Math.min(file.size, END_BYTES + MAX_COMMENT);
  const tail = await file.read(file.size - length, length);
  const view = viewOf(tail);
  for (let at = length - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    // What looks like an end within the comment, or has something behind it, is none.
    if (at + END_BYTES + view.getUint16(at + 20, true) !== length) continue;
    return { view: viewOf(tail.subarray(at)), position: file.size - length + at };
  }
  throw new BadUpload("The file is no whole ZIP archive.");
}

function parseEntries(bytes: Uint8Array, count: number): Omit<ZipEntry, "end">[] {
  const view = viewOf(bytes);
  const entries: Omit<ZipEntry, "end">[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + ENTRY_BYTES > bytes.length || view.getUint32(at, true) !== ENTRY_SIGNATURE) {
      throw new BadUpload("The directory of the archive is damaged.");
    }
    const nameEnd = at + ENTRY_BYTES + view.getUint16(at + 28, true);
    if (nameEnd > bytes.length) throw new BadUpload("The directory of the archive is damaged.");
    const name = nameFrom(bytes.subarray(at + ENTRY_BYTES, nameEnd));
    entries.push(entryAt(view, at, name));
    at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

function entryAt(view: DataView, at: number, name: string): Omit<ZipEntry, "end"> {
  const method = view.getUint16(at + 10, true);
  const compressedSize = view.getUint32(at + 20, true);
  const size = view.getUint32(at + 24, true);
  const offset = view.getUint32(at + 42, true);
  if ((view.getUint16(at + 8, true) & REFUSED_FLAGS) !== 0) {
    throw new BadUpload(`${quote(name)} in the archive is encrypted: pack it without a password.`);
  }
  if (method !== STORED && method !== DEFLATED) {
    throw new BadUpload(
      `${
        quote(name)
      } in the archive is neither stored nor deflated: pack it with the usual method.`,
    );
  }
  if ([compressedSize, size, offset].includes(IN_ZIP64)) {
    throw new BadUpload(ZIP64);
  }
  if (method === STORED && compressedSize !== size) throw lies(name);
  const crc = view.getUint32(at + 16, true);
  return { name, isDeflated: method === DEFLATED, compressedSize, size, crc, offset };
}

function nameFrom(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new BadUpload("A name in the archive is not UTF-8.");
  }
}

/** Gives each entry its end, and refuses those that reach into another, or have the name of another. */
function laidOut(
  entries: readonly Omit<ZipEntry, "end">[],
  base: number,
  directory: number,
): ZipEntry[] {
  const names = new Set<string>();
  const inOrder = entries.map((entry) => ({ ...entry, offset: entry.offset + base }))
    .sort((a, b) => a.offset - b.offset);
  const placed = inOrder.map((entry, index) => {
    if (names.has(entry.name)) throw new BadUpload(`${quote(entry.name)} is in the archive twice.`);
    names.add(entry.name);
    const end = inOrder[index + 1]?.offset ?? directory;
    if (entry.offset + LOCAL_BYTES + entry.compressedSize > end) throw overlaps(entry.name);
    return { ...entry, end };
  });
  return placed.filter(({ name, size }) => !(name.endsWith("/") && size === 0));
}

/**
 * The bytes of an entry. They come in pieces, between which others are served, and not one more than the directory says.
 *
 * @param maxBytes what it may have
 * @throws {BadUpload}
 */
export async function readEntry(
  file: RandomAccess,
  entry: ZipEntry,
  maxBytes: number,
): Promise<Uint8Array> {
  const { name, size, compressedSize } = entry;
  if (size > maxBytes) {
    throw new BadUpload(
      `${quote(name)} has ${mebibytes(size)}: a file may have ${mebibytes(maxBytes)}.`,
    );
  }
  if (size > RATIO_COUNTS_FROM && size > compressedSize * MAX_RATIO) {
    throw new BadUpload(`${quote(name)} unfolds to more than ${MAX_RATIO} times its size.`);
  }
  const packed = await readPacked(file, entry);
  const bytes = entry.isDeflated ? await inflate(packed, entry) : packed;
  if (crc32(bytes) !== entry.crc) throw new BadUpload(`${quote(name)} in the archive is damaged.`);
  return bytes;
}

async function readPacked(file: RandomAccess, entry: ZipEntry): Promise<Uint8Array> {
  const { name, offset, end, compressedSize } = entry;
  const header = viewOf(await file.read(offset, LOCAL_BYTES));
  if (header.getUint32(0, true) !== LOCAL_SIGNATURE) {
    throw new BadUpload(`${quote(name)} in the archive is damaged.`);
  }
  const nameLength = header.getUint16(26, true);
  const start = offset + LOCAL_BYTES + nameLength + header.getUint16(28, true);
  if (start + compressedSize > end) throw overlaps(name);
  const ownName = await file.read(offset + LOCAL_BYTES, nameLength);
  if (!Buffer.from(name).equals(ownName)) {
    throw new BadUpload(`${quote(name)} has another name in its own header.`);
  }
  return await file.read(start, compressedSize);
}

async function inflate(packed: Uint8Array, { name, size }: ZipEntry): Promise<Uint8Array> {
  const engine = createInflateRaw({ chunkSize: PIECE_BYTES });
  const pieces: Uint8Array[] = [];
  let total = 0;
  try {
    engine.end(packed);
    for await (const piece of engine) {
      total += piece.length;
      if (total > size) throw lies(name);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof BadUpload) throw error;
    throw new BadUpload(`${quote(name)} in the archive is damaged.`);
  } finally {
    engine.destroy();
  }
  if (total !== size) throw lies(name);
  return joinBytes(pieces);
}

function lies(name: string): BadUpload {
  return new BadUpload(`${quote(name)} does not have the size that the archive says.`);
}

function overlaps(name: string): BadUpload {
  return new BadUpload(`${quote(name)} lies over another part of the archive.`);
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Bytes in memory as a file. */
export function inMemory(bytes: Uint8Array): RandomAccess {
  return {
    size: bytes.length,
    read(offset, length) {
      const part = bytes.subarray(Math.max(0, offset), offset + length);
      return part.length === length ? Promise.resolve(part) : Promise.reject(outside());
    },
  };
}

/** For parts that a file does not have. */
export function outside(): BadUpload {
  return new BadUpload("The archive refers to what lies outside of it.");
}
