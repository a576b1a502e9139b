/** Suspect commits: those of a release that changed the files in which an error happened. */
import { storable } from "../core/errors.ts";
import type { Queryable } from "../store/database.ts";
import { changesOfFiles, type Commit, type CommitFile } from "./commits.ts";
import { likePackageOf } from "./releases.ts";

/** A frame of a program's own code, as far as its file goes. */
export interface SuspectFrame {
  /** As `./src/cart.ts` or `app:///src/cart.ts`. */
  readonly path: string;
}

export interface SuspectQuery {
  readonly release: string;
  /** In-app frames, the innermost first. */
  readonly frames: readonly SuspectFrame[];
}

export interface SuspectCommit extends Commit {
  /** Equal parts of the paths, from the end. */
  readonly score: number;
  /** The file that it changed. */
  readonly path: string;
}

/** Frames farther out are seldom at fault. */
const MAX_FRAMES = 25;
/** The release itself, and those of its package before it. */
const MAX_RELEASES = 5;
const MAX_SUSPECTS = 5;

/**
 * The commits of a release, and of those shortly before it, that changed files of these frames; of the innermost frame
 * first, and for each the newest. A file's name alone is no match where the frame knows its folder.
 */
export async function suspectCommits(
  sql: Queryable,
  projectId: string,
  { release, frames }: SuspectQuery,
): Promise<SuspectCommit[]> {
  const paths = frames.slice(0, MAX_FRAMES).map(({ path }) => partsOf(path));
  if (release === "" || paths.length === 0) return [];
  const versions = await withThoseBefore(sql, projectId, release);
  const names = [...new Set(paths.flatMap((parts) => parts.at(-1) ?? []))];
  if (versions.length === 0 || names.length === 0) return [];
  return rankFiles(paths, await changesOfFiles(sql, projectId, versions, names));
}

async function withThoseBefore(
  sql: Queryable,
  projectId: string,
  version: string,
): Promise<string[]> {
  // Compared where they are kept: a `Date` has no microseconds.
  const rows = await sql<{ version: string }[]>`
    select version from releases
    where project_id = ${projectId} and commit_count > 0 and ${likePackageOf(sql, version)}
      and (created_at, id) <= (
        select created_at, id from releases
        where project_id = ${projectId} and version = ${storable(version)}
      )
    order by created_at desc, id desc limit ${MAX_RELEASES}
  `;
  return rows.map((row) => row.version);
}

/** Ranks the commits by the frames whose files they changed. */
export function rankFiles(
  frames: readonly (readonly string[])[],
  files: readonly CommitFile[],
): SuspectCommit[] {
  const changed = files.map((file) => ({ file, parts: partsOf(file.path) }));
  const suspects = new Map<string, SuspectCommit>();
  for (const frame of frames) {
    const scored = changed.map(({ file, parts }) => ({ file, score: scoreOf(frame, parts) }));
    const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
    if (best === 0) continue;
    const [newest] = scored.filter(({ score }) => score === best)
      .map(({ file }) => file)
      .sort((a, b) => b.committedAt.getTime() - a.committedAt.getTime());
    if (newest === undefined || suspects.has(newest.commitId)) continue;
    suspects.set(newest.commitId, { ...newest, score: best });
    if (suspects.size === MAX_SUSPECTS) break;
  }
  return [...suspects.values()];
}

/** How many parts of two paths are equal, from the end; one alone does not count when there are more. */
function scoreOf(frame: readonly string[], file: readonly string[]): number {
  let score = 0;
  while (score < Math.min(frame.length, file.length)) {
    if (frame.at(-1 - score) !== file.at(-1 - score)) break;
    score++;
  }
  return score === 1 && frame.length > 1 && file.length > 1 ? 0 : score;
}

/** `["src", "cart.ts"]` of `webpack:///./src/cart.ts?8f2a`; case does not count. */
export function partsOf(path: string): string[] {
  return path.toLowerCase().replaceAll("\\", "/").replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*\//, "")
    .replace(/[?#].*$/, "").split("/").filter((part) =>
      part !== "" && part !== "." && part !== ".."
    );
}
