/** What other rooms may use of errors. */
export { findEvent } from "./events.ts";
export { matching, matchingButScope } from "./issue_conditions.ts";
export { errorCounts, firstEvent } from "./issue_counts.ts";
export { finishMoves } from "./issue_merge.ts";
export { type IssueFilter, type IssueTerm, parseIssueSearch } from "./issue_search.ts";
export { type IssueRow, listIssues, setIssueStatus } from "./issues.ts";
