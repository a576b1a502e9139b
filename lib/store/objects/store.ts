/** Where big blobs live. Both kinds, a folder and S3, behave the same. */
export interface ObjectStore {
  /** Stores bytes under a key, whole or not at all, replacing what was there. Durable when it resolves. */
  put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<void>;
  /** The bytes, or null when there are none under the key. */
  get(key: string): Promise<Uint8Array | null>;
  /** Removes a key; nothing happens when it is absent. */
  delete(key: string): Promise<void>;
  /** All keys that start with `prefix`, in key order. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** @throws {Error} when the store cannot be used; the message says why */
  check(): Promise<void>;
  close(): void;
}

export interface PutOptions {
  /** Told to whoever downloads from S3 directly; a folder has no place for it. */
  readonly contentType?: string;
}

export interface ListedObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
}

const MAX_KEY_LENGTH = 512;
/** Parts never begin with a dot: that rules out `..`, and leaves such names to the folder store itself. */
const KEY = /^[a-zA-Z0-9_-][a-zA-Z0-9._-]*(\/[a-zA-Z0-9_-][a-zA-Z0-9._-]*)*$/;
const PREFIX = /^([a-zA-Z0-9_-][a-zA-Z0-9._-]*\/)*([a-zA-Z0-9_-][a-zA-Z0-9._-]*)?$/;

/**
 * Refuses keys that are no relative path of letters, digits, `.`, `_` and `-`.
 *
 * A key must not be the folder of another (`a` beside `a/b`), nor differ from it in case only: some file systems
 * cannot hold both.
 *
 * @throws {RangeError}
 */
export function checkKey(key: string): void {
  if (!KEY.test(key) || key.length > MAX_KEY_LENGTH) {
    throw new RangeError(`Object key ${JSON.stringify(key)} is not allowed`);
  }
}

/**
 * Refuses what no key could start with; the empty prefix means all.
 *
 * @throws {RangeError}
 */
export function checkPrefix(prefix: string): void {
  if (!PREFIX.test(prefix) || prefix.length > MAX_KEY_LENGTH) {
    throw new RangeError(`Object key prefix ${JSON.stringify(prefix)} is not allowed`);
  }
}
