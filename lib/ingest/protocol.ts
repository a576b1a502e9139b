import type { KeyType } from "../accounts/keys.ts";
import type { Refusal } from "../core/refusal.ts";
import type { DecodeContext } from "../formats/decode_context.ts";
import type { Batch, Category } from "../records/mod.ts";
import type { Credentials } from "./identify.ts";
import type { BodySize, FindWhole } from "./receive.ts";

/**
 * One way to send telemetry. The pipeline does the rest, the same for all.
 *
 * @template Decoded what `decode()` returns: a batch at once, or later where only asynchronous means read a body
 */
export interface Protocol<Decoded extends Batch | Promise<Batch> = Batch> {
  /** Names the protocol in the spool: a released name never changes. */
  readonly name: string;
  /** What a request counts as that is refused before anybody has looked into it. */
  readonly category: Category;
  /** Types of keys that are let in. */
  readonly keyTypes: readonly KeyType[];
  /** Whether decoding needs what is known of metrics, and tells more of them. */
  readonly usesFamilies?: true;
  /** How large bodies may be that are no events; operators may allow more. */
  readonly body?: BodySize;
  /** The key in the head of a request, or null. @throws {Refusal} 401 when it names two */
  credentials(req: Request, url: URL): Credentials | null;
  /** The key in the decompressed body, for protocols that allow it there. */
  credentialsInBody?(body: Uint8Array): Credentials | null;
  /** Looks at what is refused whatever its body says, before a permit is spent and the body is read. @throws {Refusal} */
  refuseUnread?(req: Request): void;
  /** Tells what is whole of a body over a limit, which is stored before the rest is refused, and what is lost. */
  readonly findWhole?: FindWhole;
  /** Records and outcomes of one request. @throws {Refusal} 400 when nothing in it can be read */
  decode(body: Uint8Array, context: DecodeContext): Decoded;
  /**
   * @param batch what is stored, without what sampling took; fields of its own that a protocol gave it are there
   * @param req tells which form the client wants the answer in
   */
  reply(batch: Batch, req: Request): Response;
  /** @param req tells which form the client wants the answer in */
  refuse(refusal: Refusal, req: Request): Response;
}

/** A protocol of either kind. */
export type AnyProtocol = Protocol<Batch | Promise<Batch>>;
