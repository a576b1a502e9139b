import type { Batch, Category } from "../records/mod.ts";
import type { KeyType } from "../accounts/keys.ts";
import type { Credentials } from "./credentials.ts";
import type { FamilyMemory } from "../formats/prometheus/families.ts";
import type { Policy, Sender } from "./policy.ts";
import type { BodySize, FindWhole } from "./receive.ts";
import type { Refusal } from "../core/refusal.ts";

/** What a decoder may use beside the bytes. Everything in it survives in the spool. */
export interface DecodeContext extends Sender {
  /** UUID, version 7: ids of records that bring none are made from it, see `record_id.ts`. */
  readonly requestId: string;
  readonly projectId: string;
  /** The key that the request was let in with. */
  readonly publicKey: string;
  readonly receivedAt: Date;
  /** Path and query of the request; the query without the key. */
  readonly address: string;
  /** `Content-Type` of the request as sent, or `""`. */
  readonly contentType: string;
  /** What the project's settings make of records. Looked up anew for a replay. */
  readonly policy: Policy;
  /** What remote write was told of metrics; neither is this kept with a request. */
  readonly families?: FamilyMemory;
  /** `name/version` of the client as its credentials say, or null. */
  readonly client: string | null;
  readonly retentionDays: number;
  /** Bytes of one event after decompression. */
  readonly maxEventBytes: number;
}

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
