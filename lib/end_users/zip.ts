/** An export as a file: its parts, read one after the other from the object store, zipped while they are sent. */
import { Zip, ZipDeflate, ZipPassThrough } from "fflate";
import type { ObjectStore } from "../store/objects/store.ts";
import type { Job, Part } from "./jobs.ts";
import { receiptOf } from "./receipt.ts";

/** @param job an export that is done and not expired */
export function exportZip(objects: ObjectStore, job: Job): ReadableStream<Uint8Array> {
  return ReadableStream.from(zipped(objects, job));
}

async function* zipped(objects: ObjectStore, job: Job): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    ready.push(chunk);
  });
  const take = () => {
    const chunks = ready;
    ready = [];
    return chunks;
  };
  const about = new ZipPassThrough("export.json");
  zip.add(about);
  about.push(new TextEncoder().encode(JSON.stringify(receiptOf(job), null, 2)), true);
  for (const [name, parts] of byName(job.parts)) {
    const file = new ZipDeflate(name, { level: 6 });
    zip.add(file);
    for (const { key } of parts) {
      file.push(await objects.get(key) ?? new Uint8Array());
      yield* take();
    }
    file.push(new Uint8Array(), true);
    yield* take();
  }
  zip.end();
  yield* take();
}

function byName(parts: readonly Part[]): Map<string, Part[]> {
  return Map.groupBy(parts, ({ name }) => name);
}
