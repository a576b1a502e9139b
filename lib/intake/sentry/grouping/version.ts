/** Of the grouping algorithm. */
export type GroupingVersion = 1 | 2;

/**
 * Kept with every group. Count it up when the same event would get another hash, and let `groupEvent()` give
 * the hash of the version before as a second one, so that old issues go on.
 */
export const GROUPING_VERSION: GroupingVersion = 2;
