/**
 * The parts that a backup is made of. A part is a run of named pieces, compressed with zstd and sealed where there is a
 * key; its name is the SHA-256 of its bytes as they are stored. Backups of one place share parts.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import type { ObjectStore } from "../../store/objects/store.ts";
import type { Cipher } from "./cipher.ts";

/** One thing in a part. */
export interface Piece {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** How pieces are named: a part has several kinds. */
export const nameOf = {
  rows: (table: string) => `rows/${table}`,
  entries: () => "kv",
  object: (key: string) => `object/${key}`,
  /** Of a list of objects. */
  list: () => "list",
};

/** A part that is missing, or is not what was written. */
export class DamagedPart extends Error {
  override name = "DamagedPart";
}

export const PART_NAME = /^[0-9a-f]{64}$/;
const PREFIX = "parts/";
/** Before compression. An object or a piece of a table may be larger, and has a part of its own then. */
const PART_BYTES = 8 * 1024 * 1024;
const LENGTH_BYTES = 4;
/** Frees a fifth more than the first one, and is still faster than most disks. */
const LEVEL = 3;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const decoder = new TextDecoder();

/** The parts in a place. */
export class Parts {
  constructor(
    private readonly store: Pick<ObjectStore, "get" | "put" | "delete" | "list">,
    private readonly cipher: Cipher | null,
  ) {}

  /** Compresses and seals. The counterpart of {@linkcode open}. */
  async seal(bytes: Uint8Array): Promise<Uint8Array> {
    const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
    const packed = await compress(bytes, { params });
    return await this.cipher?.seal(packed) ?? packed;
  }

  /** @throws {Error} when the bytes were changed since */
  async open(bytes: Uint8Array): Promise<Uint8Array> {
    return await decompress(await this.cipher?.open(bytes) ?? bytes);
  }

  /** Stores a part, durably. @param there the sizes of those that are stored already */
  async write(
    pieces: readonly Piece[],
    there: ReadonlyMap<string, number>,
  ): Promise<{ readonly name: string; readonly size: number; readonly isNew: boolean }> {
    const bytes = await this.seal(encode(pieces));
    const name = createHash("sha256").update(bytes).digest("hex");
    const isNew = there.get(name) !== bytes.length;
    if (isNew) await this.store.put(pathOf(name), bytes);
    return { name, size: bytes.length, isNew };
  }

  /** @throws {DamagedPart} */
  async read(name: string): Promise<Piece[]> {
    const bytes = await this.store.get(pathOf(name));
    if (bytes === null) throw new DamagedPart(`Part ${pathOf(name)} is missing`);
    if (createHash("sha256").update(bytes).digest("hex") !== name) {
      throw new DamagedPart(`Part ${pathOf(name)} is damaged: its content has changed`);
    }
    try {
      return decode(await this.open(bytes));
    } catch (error) {
      throw new DamagedPart(`Part ${pathOf(name)} cannot be read`, { cause: error });
    }
  }

  /** The bytes of each part that is there. */
  async sizes(): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    for await (const { key, size } of this.store.list(PREFIX)) {
      sizes.set(key.split("/").at(-1) ?? "", size);
    }
    return sizes;
  }

  /** Deletes all parts but these. */
  async deleteOthers(kept: ReadonlySet<string>): Promise<void> {
    for (const part of (await this.sizes()).keys()) {
      if (!kept.has(part)) await this.store.delete(pathOf(part));
    }
  }
}

/** Where a part lies. In folders, since some file systems are slow with hundreds of thousands of names in one. */
export function pathOf(name: string): string {
  return `${PREFIX}${name.slice(0, 2)}/${name}`;
}

/** Each piece: length and name, length and bytes. */
function encode(pieces: readonly Piece[]): Uint8Array {
  return Buffer.concat(
    pieces.flatMap(({ name, bytes }) => {
      const nameBytes = Buffer.from(name);
      return [uint32(nameBytes.length), nameBytes, uint32(bytes.length), bytes];
    }),
  );
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** @throws {RangeError} when the bytes end early */
function decode(bytes: Uint8Array): Piece[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: Piece[] = [];
  let offset = 0;
  const next = () => {
    const start = offset + LENGTH_BYTES;
    offset = start + view.getUint32(offset);
    if (offset > bytes.length) throw new RangeError("A piece is cut short");
    return bytes.subarray(start, offset);
  };
  while (offset < bytes.length) pieces.push({ name: decoder.decode(next()), bytes: next() });
  return pieces;
}

/**
 * Fills parts with pieces as they come. One part is compressed and written while the next one fills. A part with the same
 * pieces as one that is there is the same part, and costs nothing.
 */
export class PartWriter {
  /** The bytes of each part that was filled, as stored. */
  readonly written = new Map<string, number>();
  #newBytes = 0;
  #pieces: Piece[] = [];
  #size = 0;
  #listeners = new Set<(part: string) => void>();
  #writing: Promise<void> = Promise.resolve();

  /** @param there the sizes of the parts that are there already */
  constructor(
    private readonly parts: Parts,
    private readonly there: ReadonlyMap<string, number>,
  ) {}

  /** The bytes of the parts that were not there, as stored. */
  get newBytes(): number {
    return this.#newBytes;
  }

  /** @param onStored told the part, once for all pieces that were added with it, when that is durable @throws what an earlier write threw */
  async add(name: string, bytes: Uint8Array, onStored: (part: string) => void): Promise<void> {
    if (this.#size > 0 && this.#size + bytes.length > PART_BYTES) await this.cut();
    this.#pieces.push({ name, bytes });
    this.#size += bytes.length;
    this.#listeners.add(onStored);
  }

  /** Resolves when everything that was added is durable. */
  async end(): Promise<void> {
    await this.cut();
    await this.#writing;
  }

  /** Lets what is added next be in another part: where what changes ends, and what may stay the same begins. */
  async cut(): Promise<void> {
    await this.#writing;
    const [pieces, listeners] = [this.#pieces, this.#listeners];
    [this.#pieces, this.#listeners, this.#size] = [[], new Set(), 0];
    if (pieces.length === 0) return;
    this.#writing = this.parts.write(pieces, this.there).then(({ name, size, isNew }) => {
      if (isNew && !this.written.has(name)) this.#newBytes += size;
      this.written.set(name, size);
      for (const listener of listeners) listener(name);
    });
    // Told to whoever adds next, or ends.
    this.#writing.catch(() => {});
  }
}
