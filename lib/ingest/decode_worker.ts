/**
 * Entry of a Worker that unpacks and decodes large bodies, so that the isolate that took them answers others meanwhile.
 */
import { parentPort } from "node:worker_threads";
import type { ProjectSettings } from "../accounts/projects.ts";
import { Refusal, type RefusedAs } from "../core/refusal.ts";
import type { DecodeContext } from "../formats/decode_context.ts";
import type { EventDrafts } from "../formats/sentry/error_event.ts";
import type { Batch } from "../records/mod.ts";
import { inflate } from "./inflate.ts";
import { policyOf } from "./policy.ts";
import { protocolNamed } from "./protocols/named.ts";

/** A body with all that decoding it needs. */
export interface DecodeJob {
  /** Name of the protocol. */
  readonly protocol: string;
  readonly body: Uint8Array;
  readonly encoding: string;
  readonly maxDecodedBytes: number;
  /** Policies are made from settings here: functions do not cross. */
  readonly settings: ProjectSettings;
  readonly context: Omit<DecodeContext, "policy" | "families" | "drafts">;
}

/** A job as it is sent here. */
export type SentJob = Omit<DecodeJob, "body"> & { readonly body: DataView };

/** What became of a job; the next one comes after it. */
export type DecodeResult =
  | { readonly kind: "decoded"; readonly batch: Batch }
  | { readonly kind: "refused"; readonly refusal: PlainRefusal }
  /** It has what cannot cross, such as an error with all that source maps make of it, or it failed. */
  | { readonly kind: "unsuited" };

/** The fields of a `Refusal`. */
export interface PlainRefusal {
  readonly status: number;
  readonly detail: string;
  readonly outcome: RefusedAs;
  readonly headers: Readonly<Record<string, string>>;
}

parentPort?.on("message", async (job: SentJob | "ready?") => {
  if (job === "ready?") return parentPort?.postMessage("ready");
  const result = await decode(job).catch((error: unknown): DecodeResult =>
    error instanceof Refusal ? { kind: "refused", refusal: plain(error) } : { kind: "unsuited" }
  );
  try {
    parentPort?.postMessage(result, buffersOf(result));
  } catch {
    parentPort?.postMessage({ kind: "unsuited" });
  }
});

/** Smaller bytes may share a buffer with others, and are copied. */
const OWN_BUFFER_BYTES = 65_536;

/** The bytes of files and profiles change hands. */
function buffersOf(result: DecodeResult): ArrayBuffer[] {
  if (result.kind !== "decoded") return [];
  const buffers = new Set<ArrayBuffer>();
  for (const record of result.batch.records) {
    if (record.kind !== "attachment" && record.kind !== "profile") continue;
    const { bytes } = record.blob;
    if (bytes.length >= OWN_BUFFER_BYTES && bytes.buffer instanceof ArrayBuffer) {
      buffers.add(bytes.buffer);
    }
  }
  return [...buffers];
}

async function decode(job: SentJob): Promise<DecodeResult> {
  const { protocol, encoding, maxDecodedBytes, settings, context } = job;
  const { buffer, byteOffset, byteLength } = job.body;
  const body = new Uint8Array(buffer, byteOffset, byteLength);
  const drafts: EventDrafts = new Map();
  const batch = await protocolNamed(protocol).decode(inflate(body, encoding, maxDecodedBytes), {
    ...context,
    policy: policyOf(settings),
    drafts,
  });
  // Series of metrics have methods, and drafts of errors are functions.
  const isUnsuited = drafts.size > 0 || batch.records.some(({ kind }) => kind === "metrics");
  return isUnsuited ? { kind: "unsuited" } : { kind: "decoded", batch };
}

function plain({ status, detail, outcome, headers }: Refusal): PlainRefusal {
  return { status, detail, outcome, headers };
}
