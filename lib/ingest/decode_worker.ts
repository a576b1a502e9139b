/**
 * Entry of a Worker that unpacks and decodes large bodies, so that the isolate that took them answers others meanwhile.
 */
import { parentPort } from "node:worker_threads";
import type { ProjectSettings } from "../accounts/projects.ts";
import { Refusal, type RefusedAs } from "../core/refusal.ts";
import type { DecodeContext } from "../formats/decode_context.ts";
import type { EventDrafts } from "../formats/sentry/error_event.ts";
import type { Batch } from "../records/mod.ts";
import { type CrossingBatch, fromView, toCrossing } from "./crossing.ts";
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
  | { readonly kind: "decoded"; readonly batch: CrossingBatch }
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
  try {
    const decoded = await decode(job);
    if (decoded === null) return parentPort?.postMessage({ kind: "unsuited" });
    const { batch, buffers } = toCrossing(decoded);
    parentPort?.postMessage({ kind: "decoded", batch }, buffers);
  } catch (error) {
    parentPort?.postMessage(
      error instanceof Refusal ? { kind: "refused", refusal: plain(error) } : { kind: "unsuited" },
    );
  }
});

/** @returns null for what cannot cross */
async function decode(job: SentJob): Promise<Batch | null> {
  const { protocol, body, encoding, maxDecodedBytes, settings, context } = job;
  const drafts: EventDrafts = new Map();
  const bytes = inflate(fromView(body), encoding, maxDecodedBytes);
  const batch = await protocolNamed(protocol).decode(bytes, {
    ...context,
    policy: policyOf(settings),
    drafts,
  });
  // Series of metrics have methods, and drafts of errors are functions.
  const isUnsuited = drafts.size > 0 || batch.records.some(({ kind }) => kind === "metrics");
  return isUnsuited ? null : batch;
}

function plain({ status, detail, outcome, headers }: Refusal): PlainRefusal {
  return { status, detail, outcome, headers };
}
