/** What a window has brought for one group of a rule. */
export interface GroupValue {
  /** As `AlertState.group`. */
  readonly group: string;
  /** What notices call the group, or `""`. */
  readonly words: string;
  /** Null: no data. */
  readonly value: number | null;
}

/** More groups than this are not told apart: those with the largest values are. */
export const MAX_GROUPS = 500;

/** The group of labels, as `host=a, zone=b`: the same text for the same labels in whatever order. */
export function groupOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels).toSorted(([a], [b]) => a < b ? -1 : 1)
    .map(([label, value]) => `${label}=${value === "" ? "(none)" : value}`).join(", ");
}
