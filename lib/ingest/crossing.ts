/** How bodies go to the Worker that decodes, and how what becomes of them comes back: nobody is held up by either. */
import { setImmediate as pause } from "node:timers/promises";
import { deserialize, serialize } from "node:v8";
import { type Batch, countOf, type TelemetryRecord } from "../records/mod.ts";

/**
 * A body as it crosses. Deno looks at each property of what a Worker of `node:worker_threads` gets: of a `Uint8Array` these
 * are all its bytes, which takes 80 ms a megabyte; of a view of the same bytes none.
 */
export function toView(body: Uint8Array): DataView {
  const { buffer, byteOffset, byteLength } = body;
  // All of the buffer crosses.
  return byteLength === buffer.byteLength
    ? new DataView(buffer, byteOffset)
    : new DataView(body.slice().buffer);
}

/** The bytes of a view. */
export function fromView({ buffer, byteOffset, byteLength }: DataView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A batch as it crosses. */
export interface CrossingBatch extends Omit<Batch, "records"> {
  /** Records in their order: as they are, or many in a form that is read when there is time for them. */
  readonly parts: readonly (readonly TelemetryRecord[] | DataView)[];
}

/** Records and spans that are read in one go, which takes 5 µs each. */
const PART_SIZE = 500;
/** Smaller bytes may share a buffer with others, and are copied. */
const OWN_BUFFER_BYTES = 65_536;

/** @returns the batch, and the bytes in it that change hands */
export function toCrossing(
  { records, ...rest }: Batch,
): { readonly batch: CrossingBatch; readonly buffers: readonly ArrayBuffer[] } {
  const buffers = new Set<ArrayBuffer>();
  const all = partsOf(records);
  const parts = all.map((part) => {
    const own = part.flatMap(ownBuffer);
    for (const buffer of own) buffers.add(buffer);
    if (all.length === 1 || own.length > 0) return part;
    const view = toView(serialize(part));
    if (view.buffer instanceof ArrayBuffer) buffers.add(view.buffer);
    return view;
  });
  return { batch: { ...rest, parts }, buffers: [...buffers] };
}

/** Reads what has crossed. Others have their turn in between. */
export async function fromCrossing({ parts, ...rest }: CrossingBatch): Promise<Batch> {
  const records: TelemetryRecord[] = [];
  for (const [index, part] of parts.entries()) {
    if (index > 0) await pause();
    const some: readonly TelemetryRecord[] = part instanceof DataView
      ? deserialize(fromView(part))
      : part;
    for (const record of some) records.push(record);
  }
  return { ...rest, records };
}

function partsOf(records: readonly TelemetryRecord[]): TelemetryRecord[][] {
  const parts: TelemetryRecord[][] = [];
  let room = 0;
  for (const record of records) {
    if (room <= 0) {
      parts.push([]);
      room = PART_SIZE;
    }
    parts.at(-1)?.push(record);
    room -= Math.max(1, countOf(record).quantity);
  }
  return parts;
}

/** Where the bytes of a file or profile lie that is large enough to change hands. */
function ownBuffer(record: TelemetryRecord): ArrayBuffer[] {
  if (record.kind !== "attachment" && record.kind !== "profile") return [];
  const { buffer, length } = record.blob.bytes;
  return length >= OWN_BUFFER_BYTES && buffer instanceof ArrayBuffer ? [buffer] : [];
}
