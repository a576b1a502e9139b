import type { DiskSpace } from "../core/disk_space.ts";
import { StoreUnavailable } from "../core/store_errors.ts";

/**
 * Refuses to write while the disk is full: the SQLite engine of `Deno.Kv` answers a failed write with a panic, which
 * ends the process. Reading goes on.
 *
 * @returns the same KV; its writes throw {StoreUnavailable} while there is no room
 */
export function guardKv(kv: Deno.Kv, disk: DiskSpace): Deno.Kv {
  const guarded = <A extends unknown[], R>(write: (...args: A) => Promise<R>) => (...args: A) =>
    disk.isFull() ? Promise.reject(noRoom()) : write(...args);
  const atomic = kv.atomic.bind(kv);
  kv.set = guarded(kv.set.bind(kv));
  kv.delete = guarded(kv.delete.bind(kv));
  kv.enqueue = guarded(kv.enqueue.bind(kv));
  kv.atomic = () => {
    const operation = atomic();
    operation.commit = guarded(operation.commit.bind(operation));
    return operation;
  };
  return kv;
}

function noRoom(): StoreUnavailable {
  return new StoreUnavailable(
    "The disk of Watchpost is full. Nothing can be changed until it has room.",
  );
}
