/** The crosshair that the charts of one key share. */

/** Shows the crosshair at an instant in ms, or hides it for null. */
export type ShowCrosshair = (at: number | null) => void;

const groups = new Map<string, Set<ShowCrosshair>>();

/** Lets a chart take part in the group of a key; answers with a function that ends it. */
export function joinCrosshair(key: string, show: ShowCrosshair): () => void {
  const group = groups.get(key) ?? new Set();
  groups.set(key, group.add(show));
  return () => {
    group.delete(show);
    if (group.size === 0) groups.delete(key);
  };
}

/** Moves the crosshair of all other charts of the group. */
export function shareCrosshair(key: string, own: ShowCrosshair, at: number | null): void {
  for (const show of groups.get(key) ?? []) {
    if (show !== own) show(at);
  }
}
