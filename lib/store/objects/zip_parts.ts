/** Files that lie in parts in the object store, as one archive that is written while it is sent; of any size (ZIP64). */
import { configure, ZipWriter } from "@zip.js/zip.js";

// The work stays in this thread: zlib does it, and Workers outlive whoever asks.
configure({ useWebWorkers: false });

/** A part of a file; parts of one name follow each other. */
export interface NamedPart {
  readonly name: string;
  readonly key: string;
  /** Of its content. */
  readonly bytes: number;
}

/** Above it, sizes need more than 32 bits; with some room for a part that is not what it was. */
const NEEDS_ZIP64 = 0xf000_0000;

/**
 * @param first files that are known already, as text
 * @param read gives the content of a part; null: it is gone
 */
export function zipOfParts(
  first: Readonly<Record<string, string>>,
  parts: AsyncIterable<NamedPart>,
  read: (key: string) => Promise<Uint8Array | null>,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void writeAll(new ZipWriter(writable, { bufferedWrite: false }), first, parts, read)
    // Whoever downloads sees that it broke off.
    .catch((error) => writable.abort(error).catch(() => {}));
  return readable;
}

async function writeAll(
  zip: ZipWriter<unknown>,
  first: Readonly<Record<string, string>>,
  parts: AsyncIterable<NamedPart>,
  read: (key: string) => Promise<Uint8Array | null>,
): Promise<void> {
  for (const [name, text] of Object.entries(first)) {
    await zip.add(name, streamOf([new TextEncoder().encode(text)]));
  }
  for await (const [name, some] of byName(parts)) {
    const size = some.reduce((sum, { bytes }) => sum + bytes, 0);
    await zip.add(name, ReadableStream.from(contents(some, read)), { zip64: size > NEEDS_ZIP64 });
  }
  await zip.close();
}

function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(pieces);
}

async function* contents(
  parts: readonly NamedPart[],
  read: (key: string) => Promise<Uint8Array | null>,
): AsyncGenerator<Uint8Array> {
  for (const { key } of parts) {
    const bytes = await read(key);
    if (bytes !== null && bytes.length > 0) yield bytes;
  }
}

async function* byName(
  parts: AsyncIterable<NamedPart>,
): AsyncGenerator<readonly [name: string, parts: readonly NamedPart[]]> {
  let some: NamedPart[] = [];
  for await (const part of parts) {
    const [before] = some;
    if (before !== undefined && before.name !== part.name) {
      yield [before.name, some];
      some = [];
    }
    some.push(part);
  }
  const [last] = some;
  if (last !== undefined) yield [last.name, some];
}
