import type { Level, Span } from "../../records/mod.ts";
import type { JsonObject } from "../json.ts";
import type { OtlpSender } from "./sender.ts";

/** Where an exception was thrown. */
export interface Scene {
  readonly sender: OtlpSender;
  readonly resource: JsonObject;
  readonly level: Level;
  /** 32 lower-case hex digits, or `""`. */
  readonly traceId: string;
  /** 16 lower-case hex digits, or `""`. */
  readonly spanId: string;
  /** The span itself, where the request has it. */
  readonly span?: Span;
  /** Name of the transaction, or `""`. */
  readonly transaction: string;
  /** Name of the logger, or `""`. */
  readonly logger: string;
  /** What a log said, or `""`. */
  readonly message: string;
}
