/** What other rooms may use of errors. */
export { findEvent } from "./events.ts";
export { matches, matching, matchingButScope } from "./search/conditions.ts";
export { errorCounts, firstEvent } from "./issue_counts.ts";
export { countHits } from "./issue_hits.ts";
export { addMapping, inputOf as mappingInput, listMappings } from "./code/mappings.ts";
export {
  type DiscardedGroup,
  discardedGroups,
  discardGroup,
  MAX_GROUP_HASHES,
} from "./manage/discarded_groups.ts";
export { finishSplits } from "./manage/follow_splits.ts";
export { forgetUser, type FoundEvent, removeEvents, removeFiles } from "./manage/remove_events.ts";
export { readEvent } from "./manage/move_events.ts";
export { purgeDeletedIssues } from "./manage/purge.ts";
export { finishMoves } from "./issue_moves.ts";
export { parseIssueSearch } from "./search/parse.ts";
export type { Searcher } from "./search/people.ts";
export { settle } from "./search/settle.ts";
export {
  allOf,
  conditionsOf,
  type IssueFilter,
  type IssueNode,
  type IssueTerm,
} from "./search/terms.ts";
export {
  markOwnersTold,
  ownersAreUntold,
  ownersOf,
  type UntoldOwner,
  untoldOwners,
} from "./ownership/issue_owners.ts";
export { type Fallthrough, FALLTHROUGHS, isUndecided, whoHears } from "./ownership/who_hears.ts";
export {
  AUTO_ASSIGNMENTS,
  findCodeowners,
  ownershipSettings,
  saveCodeowners,
  saveOwnership,
} from "./ownership/settings.ts";
export { listSearches } from "./saved/saved_searches.ts";
export { sharedSearches, shareSearch } from "./saved/shared_searches.ts";
export { startOwnership } from "./ownership/clock.ts";
export { startRemapping } from "./remap/remap_job.ts";
export { type IssueRow, listIssues } from "./issues.ts";
export { type ChangeDone, changeIn, changeIssues, type IssueChange } from "./workflow/change.ts";
export { adoptIssue, type ForeignComment, type ForeignIssue } from "./workflow/adopt.ts";
export type { StatusChange } from "./workflow/change_status.ts";
export { mergeIssues } from "./issue_merge.ts";
export { undoChange } from "./workflow/undo_change.ts";
export { type Assignee, type IssueActor, type Priority, SYSTEM } from "./workflow/state.ts";
export { findIssueNamed, parseShortId, shortIdOf } from "./workflow/short_id.ts";
export { issueWords, monitorTexts } from "./monitor_words.ts";
export { issuesOfRelease } from "./workflow/of_release.ts";
export { resolveFixed } from "./workflow/resolve_fixed.ts";
export { unassignTeam } from "./workflow/unassign_team.ts";
