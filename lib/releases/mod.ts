/** What other rooms may use of releases, beside the scope of pages. */
export { MAX_FILES_A_COMMIT } from "./api_input.ts";
export { CommitJson, commitJson, deployJson, releasesJson } from "./api_json.ts";
export {
  commitsOf,
  filesOfCommits,
  type Fix,
  markFixed,
  openFixes,
  releaseOfCommit,
} from "./commits.ts";
export { deployMarkers, deploysOf } from "./deploys.ts";
export { fixesIn } from "./fixes.ts";
export { releaseHeads } from "./heads.ts";
export { keepPastRelease } from "./past_releases.ts";
export { keepPastSessions, type PastHour, type PastSessions } from "./past_sessions.ts";
export { isRelease, readRelease } from "./read_release.ts";
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
