/** What is done with a request that was let in: its body is decoded, and what is in it made durable. */
import { type Project, settingsOf } from "../accounts/projects.ts";
import { Refusal } from "../core/refusal.ts";
import type { DecodeContext } from "../formats/decode_context.ts";
import type { EventDrafts } from "../formats/sentry/error_event.ts";
import type { SeriesLimits } from "../metrics/series_limits.ts";
import type { Batch } from "../records/mod.ts";
import type { Backend } from "../store/stores.ts";
import { limitSeries, sample } from "./admit.ts";
import { type Decoder, hasCostWorker, isLarge, WorkerEnded } from "./decoders.ts";
import { commit, keepUnread, noteFirstEvent } from "./durable.ts";
import type { FamilyStore } from "./family_store.ts";
import { mapErrors, type MapServices } from "./map_errors.ts";
import type { AnyProtocol } from "./protocol.ts";
import { type Body, bodySize } from "./receive.ts";
import type { Spool } from "./spool.ts";
import type { Writer } from "./writer/writer.ts";

/** Where requests go, and what decides about them on the way. */
export interface TakeServices extends Backend, Omit<MapServices, "log"> {
  readonly writer: Writer;
  /** How many series of metrics projects have. */
  readonly seriesLimits: SeriesLimits;
  /** What remote write was told of metrics. */
  readonly families: FamilyStore;
  readonly spool: Spool;
  /** Where large bodies are decoded. */
  readonly decoder: Decoder;
}

/** What decoding needs, with the errors that wait for their source maps. */
export type TakeContext = DecodeContext & { readonly drafts: EventDrafts };

/** What became of a request. */
interface Taken {
  /** What is stored of it; null when a decoder failed on it, and nobody knows what is in it. */
  readonly batch: Batch | null;
  /** Whether it is in Postgres, rather than in the spool or set aside. */
  readonly isStored: boolean;
}

/** Decodes a body and makes what is in it durable. @throws {Refusal} */
export async function take(
  protocol: AnyProtocol,
  body: Body,
  context: TakeContext,
  project: Project,
  services: TakeServices,
): Promise<Taken> {
  const { usesFamilies } = protocol;
  if (usesFamilies) await services.families.ready(project.id);
  const large = await decodeLarge(protocol, body, context, project, services);
  const decoded = large ?? await decodeHere(protocol, await body.decoded(), context);
  const { policy: _, families: __, drafts, ...facts } = context;
  const request = { ...facts, protocol: protocol.name, ...await body.asReceived() };
  if (decoded instanceof DecoderFailure) {
    await keepUnread(request, decoded.cause, services);
    return { batch: null, isStored: false };
  }
  const sampled = sample(decoded, settingsOf(project).sampleRate);
  const limited = await limitSeries(sampled, project.id, services.seriesLimits);
  const { batch, late } = await mapErrors(limited, drafts, project.id, services);
  const isStored = await commit(batch, request, services);
  if (isStored && late.length > 0) await services.missingMaps.later(project.id, late);
  if (usesFamilies) await services.families.save(project.id);
  if (batch.records.length > 0) await noteFirstEvent(services.kv, project, context.receivedAt);
  return { batch, isStored };
}

/** A decoder threw what is no refusal, or its Workers have ended: a bug of ours. */
class DecoderFailure {
  constructor(readonly cause: unknown) {}
}

/** @throws {Refusal} as the protocol does */
async function decodeHere(
  protocol: AnyProtocol,
  bytes: Uint8Array,
  context: DecodeContext,
): Promise<Batch | DecoderFailure> {
  try {
    return await protocol.decode(bytes, context);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return new DecoderFailure(error);
  }
}

/**
 * Decodes a large body in a Worker.
 *
 * @returns null for a body that is decoded here: a small one, one over a limit of which a part is taken, or one that has
 * what the Worker cannot hand out
 * @throws {Refusal} as decoding here would
 */
async function decodeLarge(
  protocol: AnyProtocol,
  body: Body,
  { policy: _, families: __, drafts: ___, ...context }: TakeContext,
  project: Project,
  { config, decoder }: TakeServices,
): Promise<Batch | DecoderFailure | null> {
  const whole = await body.whole();
  if (whole === null || !isLarge(whole, protocol)) return null;
  const settings = settingsOf(project);
  const { maxDecodedBytes } = bodySize(protocol.body, config.maxEventBytes);
  const job = { ...whole, protocol: protocol.name, maxDecodedBytes, settings, context };
  try {
    return await decoder.decode(job);
  } catch (error) {
    // Decoded here it might end the whole process.
    if (error instanceof WorkerEnded) return new DecoderFailure(error);
    // One that unfolds too far; one that has cost a Worker is not tried again here.
    const isOver = error instanceof Refusal && error.status === 413 && !hasCostWorker(error);
    if (isOver && protocol.findWhole !== undefined) return null;
    throw error;
  }
}
