/**
 * Releases in the shape of Sentry's API, with their commits, the files of these, and their deploys. One with very many
 * takes several lines, which name the same version.
 */
import { findProject } from "../../accounts/projects.ts";
import {
  commitJson,
  commitsOf,
  deployJson,
  deploysOf,
  filesOfCommits,
  MAX_FILES_A_COMMIT,
  releasesJson,
} from "../../releases/mod.ts";
import type { Sql } from "../../store/database.ts";
import { type ExportSource, linesOf, type Range } from "./source.ts";

interface Head {
  readonly version: string;
  readonly madeBy: string;
  readonly refs: unknown;
}

/** So much of a release was written. */
interface Written {
  readonly commits: number;
  readonly deploys: number;
}

/** Where it goes on: behind a release (`written` is null), or within it. */
interface Place {
  readonly version: string;
  readonly written: Written | null;
}

type ReleaseJson = Awaited<ReturnType<typeof releasesJson>>[number];

/** Whose heads are read at once. */
const RELEASES = 50;
const BATCH_CHARS = 2_000_000;
/** Of one line, but for the commit that goes beyond: imports take lines of 16 MiB. */
const LINE_CHARS = 1_000_000;
const LINE_FILES = 10_000;
const COMMITS_A_LOOK = 50;
const DEPLOYS_A_LINE = 200;

/** Makes the source. @param kv has the project */
export function releasesFrom(kv: Deno.Kv): ExportSource {
  return {
    name: "releases",
    async next({ sql }, range, cursor) {
      const place: Place | null = cursor === null ? null : JSON.parse(cursor);
      const project = await findProject(kv, range.projectId);
      const heads = project === null ? [] : await headsOf(sql, range, place);
      const projects = project === null ? [] : [project];
      const answers = await releasesJson(sql, projects, heads.map(({ version }) => version));
      const byVersion = new Map(answers.map((answer) => [answer.version, answer]));
      const lines: ReleaseLine[] = [];
      const counts = { releases: 0, commits: 0, deploys: 0 };
      const batchTo = (next: Place | null) => ({
        cursor: next && JSON.stringify(next),
        counts,
        pieces: linesOf("releases.jsonl", lines),
      });
      let chars = 0;
      for (const head of heads) {
        const answer = byVersion.get(head.version);
        // Deleted at this moment.
        if (answer === undefined) continue;
        let written = place?.version === head.version ? place.written : null;
        if (written === null) counts.releases++;
        do {
          const part = await partOf(sql, range.projectId, answer, written ?? NOTHING);
          lines.push({ ...answer, madeBy: head.madeBy, refs: head.refs, ...part.line });
          counts.commits += part.line.commits.length;
          counts.deploys += part.line.deploys.length;
          written = part.next;
          chars += part.chars;
          if (chars >= BATCH_CHARS) return batchTo({ version: head.version, written });
        } while (written !== null);
      }
      const last = heads.at(-1);
      const isLast = last === undefined || heads.length < RELEASES;
      return batchTo(isLast ? null : { version: last.version, written: null });
    },
  };
}

const NOTHING: Written = { commits: 0, deploys: 0 };

/** Those that were there before the end of the range, and were made or used in it. */
async function headsOf(
  sql: Sql,
  { projectId, since, until, isWhole }: Range,
  place: Place | null,
): Promise<Head[]> {
  const behind = place === null
    ? sql``
    : place.written === null
    ? sql`and version > ${place.version}`
    : sql`and version >= ${place.version}`;
  const inUse = sql`
    and (greatest(created_at, released_at, last_event) >= ${since} or exists (
      select from deploys
      where deploys.project_id = ${projectId} and deploys.version = releases.version
        and finished_at >= ${since} and finished_at < ${until}
    ))
  `;
  return await sql<Head[]>`
    select version, made_by as "madeBy", refs from releases
    where project_id = ${projectId} and created_at < ${until} ${behind} ${isWhole ? sql`` : inUse}
    order by version limit ${RELEASES}
  `;
}

interface PartLine {
  readonly commitsFrom: number;
  readonly commits: readonly unknown[];
  readonly deploys: readonly unknown[];
}

type ReleaseLine = ReleaseJson & Omit<Head, "version"> & PartLine;

async function partOf(
  sql: Sql,
  projectId: string,
  { version, commitCount, deployCount }: ReleaseJson,
  written: Written,
): Promise<{ readonly line: PartLine; readonly next: Written | null; readonly chars: number }> {
  const { commits, chars } = await commitsFrom(sql, projectId, version, commitCount, written);
  const deploys = deployCount <= written.deploys ? [] : await deploysOf(sql, [projectId], version, {
    offset: written.deploys,
    limit: DEPLOYS_A_LINE,
  });
  const next = {
    commits: written.commits + commits.length,
    deploys: written.deploys + deploys.length,
  };
  const isWhole = (commits.length === 0 || next.commits >= commitCount) &&
    (deploys.length === 0 || next.deploys >= deployCount);
  return {
    line: { commitsFrom: written.commits, commits, deploys: deploys.map(deployJson) },
    next: isWhole ? null : next,
    chars: chars + LINE_OVERHEAD * (1 + deploys.length),
  };
}

/** About so much a release or deploy takes by itself. */
const LINE_OVERHEAD = 500;

/** The next commits of a release with their files, as many as a line has room for. */
async function commitsFrom(
  sql: Sql,
  projectId: string,
  version: string,
  count: number,
  written: Written,
): Promise<{ readonly commits: readonly unknown[]; readonly chars: number }> {
  const commits: unknown[] = [];
  let [chars, files] = [0, 0];
  while (written.commits + commits.length < count) {
    const offset = written.commits + commits.length;
    const some = await commitsOf(sql, projectId, version, { offset, limit: COMMITS_A_LOOK });
    const changed = Map.groupBy(
      await filesOfCommits(sql, projectId, some, MAX_FILES_A_COMMIT),
      keyOf,
    );
    for (const commit of some) {
      const own = changed.get(keyOf(commit)) ?? [];
      const patch = own.map(({ path, change }) => ({ path, type: change }));
      const told = { ...commitJson(commit), patch_set: patch };
      commits.push(told);
      chars += JSON.stringify(told).length;
      files += patch.length;
      if (chars >= LINE_CHARS || files >= LINE_FILES) return { commits, chars };
    }
    if (some.length < COMMITS_A_LOOK) break;
  }
  return { commits, chars };
}

function keyOf(
  { repositoryId, commitId }: { readonly repositoryId: string; readonly commitId: string },
): string {
  return `${repositoryId}/${commitId}`;
}
