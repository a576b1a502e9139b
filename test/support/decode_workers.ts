/** Entry of a Worker for a `Decoder` that does this with each `job`, in place of decoding it. */
export function workerThat(work: string): URL {
  return workerOf(`
    import { parentPort } from "node:worker_threads";
    import process from "node:process";
    parentPort.on("message", async (job) => {
      if (job === "ready?") return parentPort.postMessage("ready");
      ${work}
    });
  `);
}

/** Entry of the Worker that decodes, which ends over bodies that hold a text uncompressed. */
export function workerThatEndsOver(text: string): URL {
  return workerOf(`
    import { parentPort } from "node:worker_threads";
    import process from "node:process";
    parentPort.on("message", ({ body }) => {
      if (new TextDecoder().decode(body).includes(${JSON.stringify(text)})) process.exit(1);
    });
    await import(${JSON.stringify(import.meta.resolve("@/lib/ingest/decode_worker.ts"))});
  `);
}

/** Entry of a Worker with this script. */
export function workerOf(script: string): URL {
  return new URL(`data:application/javascript,${encodeURIComponent(script)}`);
}
