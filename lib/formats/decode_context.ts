import type { JsonObject } from "./json.ts";
import type { FamilyMemory } from "./prometheus/families.ts";
import type { EventDrafts } from "./sentry/error_event.ts";
import type { NormalizedEvent } from "./sentry/normalized_event.ts";

/** What a decoder may use beside the bytes. Everything in it survives in the spool. */
export interface DecodeContext extends Sender {
  /** UUID, version 7: ids of records that bring none are made from it, see `recordId` in `ids.ts`. */
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
  /** Where decoders note what errors were made of, for source maps; neither is this kept. */
  readonly drafts?: EventDrafts;
  /** `name/version` of the client as its credentials say, or null. */
  readonly client: string | null;
  readonly retentionDays: number;
  /** Bytes of one event after decompression. */
  readonly maxEventBytes: number;
}

/** Who sent a request, as far as filters look at it. */
export interface Sender {
  readonly clientAddress: string | null;
  /** `User-Agent` of the request, or null. */
  readonly userAgent: string | null;
}

/** What a project's settings make of a record before it is stored. Decoders ask it for every record. */
export interface Policy {
  /** False: neither the client's address nor one in a payload is stored. */
  readonly keepsAddresses: boolean;
  /**
   * Why the project does not want an event, as a machine word such as `browser_extensions`; or null. Asked after
   * normalising and before scrubbing.
   */
  filterEvent(event: NormalizedEvent, sender: Sender): string | null;
  /** The same for records that are no events: by release, address and user agent alone. */
  filterOther(release: string, sender: Sender): string | null;
  /** Takes secrets (and addresses, when they are not kept) out of an event, in place. */
  scrubEvent(event: NormalizedEvent): void;
  /** The same for free-form JSON: attributes, span data, contexts. In place. */
  scrubObject(object: JsonObject): void;
  /** A text without secrets. */
  scrubText(text: string): string;
  /** The fingerprint that the project's rules give an event, or null. Asked after scrubbing. */
  fingerprintOf(event: NormalizedEvent): readonly string[] | null;
}
