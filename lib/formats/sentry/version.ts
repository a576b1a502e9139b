/** Of the grouping algorithm. */
export type GroupingVersion = 1 | 2 | 3;

/**
 * Kept with every group. Count it up when the same event would get another hash, and let `groupEvent()` give
 * the hash of the version before as a second one, so that old issues go on. No new hash may equal an old one of other
 * events: what versions join differently would meet in one issue again.
 *
 * 2: unnamed functions of a browser's scripts do not count beside named ones. 3: source lines count; so does what was
 * thrown that is no error, where the stack is only the SDK's; frames of runtimes and SDKs are never the application's.
 */
export const GROUPING_VERSION: GroupingVersion = 3;
