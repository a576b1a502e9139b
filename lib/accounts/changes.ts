/** Tells whoever keeps a copy which projects have changed. */

const listeners = new WeakMap<Deno.Kv, (projectId: string) => void>();

/** Has `listener` told of every project that this process changes in `kv`, keys included; null ends it. */
export function onProjectChange(
  kv: Deno.Kv,
  listener: ((projectId: string) => void) | null,
): void {
  if (listener === null) listeners.delete(kv);
  else listeners.set(kv, listener);
}

/** To be called after each commit that changes a project or its keys. */
export function projectChanged(kv: Deno.Kv, projectId: string): void {
  listeners.get(kv)?.(projectId);
}
