/** What other rooms may use of errors. */
export { errorCounts } from "./error_counts.ts";
export { findEvent } from "./events.ts";
export { matching, matchingButScope } from "./issue_conditions.ts";
export { firstEvent } from "./issue_counts.ts";
export { finishMoves } from "./issue_merge.ts";
export { type IssueFilter, type IssueTerm, parseIssueSearch } from "./issue_search.ts";
