import { joinChanges } from "../accounts/kv_changes.ts";
import { NUMBERS } from "../core/measures/measures.ts";
import type { SocketAddress } from "../store/embedded/server.ts";

/** One of the isolates by which this process serves. */
export interface Isolate {
  /** From 1. The first one opens and locks the embedded stores, does what the clock asks for, and starts the others. */
  readonly number: number;
  /** Where the first one's embedded Postgres listens; null in the first one, and with a server of its own. */
  readonly postgres: SocketAddress | null;
  /** Where all count what they do; absent in the first one, which has made it. */
  readonly numbers?: SharedArrayBuffer;
  /** Where all count their changes of the embedded KV; likewise. */
  readonly changes?: SharedArrayBuffer;
}

let current: Isolate = { number: 1, postgres: null };

/** The isolate that this code runs in. */
export function thisIsolate(): Isolate {
  return current;
}

/** Makes this isolate one beside the first, before anything is opened in it. */
export function becomeIsolate(isolate: Isolate): void {
  current = isolate;
  if (isolate.numbers !== undefined) NUMBERS.join(isolate.numbers, isolate.number);
  if (isolate.changes !== undefined) joinChanges(isolate.changes);
}
