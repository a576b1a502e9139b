/** What tools send about releases. */
import { z } from "zod";
import { plainText } from "../api/lists.ts";
import { ApiError } from "../api/route.ts";
import { isOfCalendar } from "../core/time.ts";
import type { NewCommit } from "./commits.ts";
import type { ReleaseChanges } from "./releases.ts";

const MAX_COMMITS = 1_000;
export const MAX_FILES_A_COMMIT = 5_000;
/** Enough for the commits of a long-lived branch with their files. */
export const MAX_RELEASE_BYTES = 5_000_000;

/** With up to nine digits of a second, as tools in Rust write them. */
const instant = z.string().max(40).refine(
  (text) => isOfCalendar(Date.parse(text)),
  "write a date as 2026-11-20T12:00:00Z",
);
const text = (most: number) => plainText.max(most, `write at most ${most} characters`);
const url = text(2_000).refine((each) => each === "" || URL.canParse(each), "write an address");
const commitId = plainText.trim().min(1).max(64, "an id of a commit has at most 64 characters")
  .regex(/^\S+$/, "an id of a commit has no blanks");
/** `a..b` for a range. */
const range = plainText.trim().min(1).max(130).regex(/^\S+$/, "an id of a commit has no blanks");

export const CommitInput = z.object({
  id: commitId,
  repository: text(200).nullish(),
  author_name: text(128).nullish(),
  author_email: text(200).nullish(),
  timestamp: instant.nullish(),
  message: text(100_000).nullish(),
  patch_set: z.array(z.object({
    path: plainText.min(1).max(510),
    type: z.enum(["A", "M", "D"], "write A, M or D"),
  })).max(MAX_FILES_A_COMMIT).nullish(),
});
const RefInput = z.object({
  repository: text(200),
  commit: range,
  previousCommit: commitId.nullish(),
});
const HeadCommitInput = z.object({
  repository: text(200),
  currentId: commitId,
  previousId: commitId.nullish(),
});

export const ReleaseInput = z.object({
  ref: text(250).nullish(),
  url: url.nullish(),
  dateReleased: instant.nullish(),
  dateStarted: instant.nullish(),
  status: z.enum(["open", "archived"], "write open or archived").nullish(),
  commits: z.array(CommitInput).max(MAX_COMMITS).nullish(),
  refs: z.array(RefInput).max(100).nullish(),
  headCommits: z.array(HeadCommitInput).max(100).nullish(),
});
/** Ids come as numbers, too. */
const projectName = z.union([z.string(), z.int()]);
export const NewReleaseInput = ReleaseInput.extend({
  version: z.string(),
  projects: z.array(projectName).nullish(),
});
export const DeployInput = z.object({
  environment: plainText.trim().min(1, "This field may not be blank.").max(64)
    .regex(/^[^/\n\r\t]*$/, "an environment has no slashes"),
  name: text(64).nullish(),
  url: url.nullish(),
  dateStarted: instant.nullish(),
  dateFinished: instant.nullish(),
  projects: z.array(projectName).nullish(),
});
export const RepositoryInput = z.object({
  name: plainText.trim().min(1, "This field may not be blank.").max(200),
  url: url.nullish(),
});

type ReleaseInput = z.output<typeof ReleaseInput>;

/** What is said of the release itself; null leaves what is known, except the date. */
export function changesOf(input: ReleaseInput): ReleaseChanges {
  const { ref, url, status, dateReleased } = input;
  const refs = refsOf(input);
  return {
    ...(ref === null || ref === undefined ? {} : { ref }),
    ...(url === null || url === undefined ? {} : { url }),
    ...(status === null || status === undefined ? {} : { status }),
    ...(dateReleased === undefined ? {} : { releasedAt: dateOf(dateReleased) }),
    ...(refs === null ? {} : { refs }),
  };
}

/**
 * The commits that a release shall have, the newest first; null when nothing is said of them. Of a repository that
 * nobody here can ask, references tell the newest commit only.
 */
export function newCommitsOf(input: ReleaseInput, now: Date): NewCommit[] | null {
  if (input.commits) return input.commits.map((commit) => commitOf(commit, now));
  const refs = refsOf(input);
  return refs?.map(({ repository, commit }) => commitOf({ id: commit, repository }, now)) ?? null;
}

/** @param now when nobody says when it was made */
export function commitOf(input: z.output<typeof CommitInput>, now: Date): NewCommit {
  return {
    id: input.id,
    repository: input.repository ?? "",
    authorName: input.author_name ?? "",
    authorEmail: input.author_email ?? "",
    message: input.message ?? "",
    committedAt: dateOf(input.timestamp) ?? now,
    files: (input.patch_set ?? []).map(({ path, type }) => ({ path, change: type })),
  };
}

interface Ref {
  readonly repository: string;
  readonly commit: string;
  readonly previousCommit: string | null;
}

function refsOf({ refs, headCommits }: ReleaseInput): Ref[] | null {
  if (refs) {
    return refs.map(({ repository, commit, previousCommit }) => {
      const [from, to] = commit.split("..");
      const id = to || from || "";
      if (id.length > 64) throw ApiError.fields({ refs: [`"${id}" is no id of a commit`] });
      return { repository, commit: id, previousCommit: to ? from ?? null : previousCommit ?? null };
    });
  }
  return headCommits?.map(({ repository, currentId, previousId }) => ({
    repository,
    commit: currentId,
    previousCommit: previousId ?? null,
  })) ?? null;
}

/** Null for none. */
export function dateOf(text: string | null | undefined): Date | null {
  return text === null || text === undefined ? null : new Date(text);
}
