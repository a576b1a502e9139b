/** What other rooms may use of releases, beside the scope of pages. */
export { CommitJson, commitJson } from "./api_json.ts";
export { commitsOf, type Fix, markFixed, openFixes, releaseOfCommit } from "./commits.ts";
export { deployMarkers } from "./deploys.ts";
export { fixesIn } from "./fixes.ts";
export { releaseHeads } from "./heads.ts";
export { keepPastSessions, type PastHour, type PastSessions } from "./past_sessions.ts";
export { type ReleaseHealth, releaseHealth } from "./health.ts";
export {
  ensureRelease,
  findRelease,
  newestRelease,
  type Release,
  releaseExists,
} from "./releases.ts";
export { SuspectCommits } from "./suspect_panel.tsx";
export { type SuspectCommit, suspectCommits, type SuspectFrame } from "./suspects.ts";
