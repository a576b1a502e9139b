import { keyOf } from "./kv.ts";

/**
 * How often this process has changed the KV that it alone has: whoever remembers what it has read from it knows without
 * a question whether that still holds. A number in memory that all isolates share; nothing of it is stored.
 */
let changes = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const counted = new WeakSet<Deno.Kv>();

/**
 * Counts, in place, all that is written through a KV before whoever writes it is told that it is done.
 *
 * @param kv that other processes change nothing in that anybody remembers by {@linkcode changesOf}
 */
export function countChanges(kv: Deno.Kv): Deno.Kv {
  counted.add(kv);
  // A write that failed may have been done all the same.
  return wrapWrites(kv, (write) => write().finally(() => Atomics.add(changes, 0, 1)));
}

/**
 * A number that is another one after each change, if this process knows of all of them. To be taken before what is
 * remembered is read.
 *
 * @returns null for a KV that others change as well
 */
export function changesOf(kv: Deno.Kv): number | null {
  return counted.has(kv) ? Atomics.load(changes, 0) : null;
}

/** For isolates that are to count together with this one. */
export function changesMemory(): SharedArrayBuffer {
  return changes.buffer;
}

/** Counts together with the isolate that has this memory, before anything is opened. */
export function joinChanges(memory: SharedArrayBuffer): void {
  changes = new Int32Array(memory);
}

/** How the keys of what `findIngest()` reads begin. */
const OF_INTAKE: readonly unknown[] = [
  keyOf.ingestKey(""),
  keyOf.project(""),
  keyOf.quota(""),
  keyOf.organization(""),
  keyOf.intakeRevision(),
].map(([first]) => first);

/**
 * Refuses, in place, to change what intake reads: a process beside the service must not, as the service looks for changes
 * of its own alone.
 */
export function refuseIntakeChanges(kv: Deno.Kv): Deno.Kv {
  const atomic = kv.atomic.bind(kv);
  kv.set = refusing(kv.set.bind(kv));
  kv.delete = refusing(kv.delete.bind(kv));
  kv.atomic = () => {
    const operation = atomic();
    operation.set = refusing(operation.set.bind(operation));
    operation.delete = refusing(operation.delete.bind(operation));
    return operation;
  };
  return kv;
}

function refusing<A extends unknown[], R>(write: (key: Deno.KvKey, ...others: A) => R) {
  return (key: Deno.KvKey, ...others: A): R => {
    const [first] = key;
    if (!OF_INTAKE.includes(first)) return write(key, ...others);
    throw new TypeError(
      `Cannot change ${String(first)} while the service runs: it would not hear of it`,
    );
  };
}

type Wrap = <R>(write: () => Promise<R>) => Promise<R>;

/** Changes, in place, how all writes of a KV are done. */
export function wrapWrites(kv: Deno.Kv, wrap: Wrap): Deno.Kv {
  const wrapped = <A extends unknown[], R>(write: (...args: A) => Promise<R>) => (...args: A) =>
    wrap(() => write(...args));
  const atomic = kv.atomic.bind(kv);
  kv.set = wrapped(kv.set.bind(kv));
  kv.delete = wrapped(kv.delete.bind(kv));
  kv.enqueue = wrapped(kv.enqueue.bind(kv));
  kv.atomic = () => {
    const operation = atomic();
    operation.commit = wrapped(operation.commit.bind(operation));
    return operation;
  };
  return kv;
}
