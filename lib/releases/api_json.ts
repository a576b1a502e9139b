/** Releases, commits and deploys in the shapes of Sentry's API. */
import { z } from "zod";
import type { Project } from "../accounts/projects.ts";
import { packageOf, parseVersion } from "../records/version.ts";
import type { Sql } from "../store/database.ts";
import type { Commit, CommitFile } from "./commits.ts";
import { lastCommits } from "./commits.ts";
import { type Deploy, lastDeploys } from "./deploys.ts";
import { newIssuesOf } from "./health.ts";
import { type Release, releasesNamed } from "./releases.ts";
import type { Repository } from "./repositories.ts";

const time = z.iso.datetime();
const AuthorJson = z.object({ name: z.string(), email: z.string() });
export const RepositoryJson = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string().nullable(),
  provider: z.object({ id: z.string(), name: z.string() }),
  status: z.string(),
  dateCreated: time,
}).meta({ title: "Repository" });
export const CommitJson = z.object({
  id: z.string(),
  message: z.string(),
  dateCreated: time,
  author: AuthorJson.nullable(),
  repository: RepositoryJson.partial().nullable(),
}).meta({ title: "Commit" });
export const CommitFileJson = z.object({
  id: z.string(),
  filename: z.string(),
  type: z.string(),
  commitMessage: z.string(),
  author: AuthorJson.nullable(),
  repoName: z.string(),
  dateCreated: time,
}).meta({ title: "Commit file" });
export const DeployJson = z.object({
  id: z.string(),
  environment: z.string(),
  name: z.string().nullable(),
  url: z.string().nullable(),
  dateStarted: time.nullable(),
  dateFinished: time,
}).meta({ title: "Deploy" });
export const ReleaseJson = z.object({
  id: z.int(),
  version: z.string(),
  shortVersion: z.string(),
  versionInfo: z.looseObject({}),
  status: z.string(),
  ref: z.string().nullable(),
  url: z.string().nullable(),
  dateCreated: time,
  dateReleased: time.nullable(),
  dateStarted: time.nullable(),
  firstEvent: time.nullable(),
  lastEvent: time.nullable(),
  newGroups: z.int(),
  commitCount: z.int(),
  lastCommit: CommitJson.nullable(),
  deployCount: z.int(),
  lastDeploy: DeployJson.nullable(),
  authors: z.array(AuthorJson),
  owner: z.null(),
  data: z.object({}),
  projects: z.array(z.object({
    id: z.int(),
    slug: z.string(),
    name: z.string(),
    platform: z.string(),
    newGroups: z.int(),
    hasHealthData: z.boolean(),
  })),
}).meta({ title: "Release" });

/** The releases of these names, in their order, of all these projects. */
export async function releasesJson(
  sql: Sql,
  projects: readonly Project[],
  versions: readonly string[],
): Promise<z.infer<typeof ReleaseJson>[]> {
  const ids = projects.map(({ id }) => id);
  const [releases, commits, deploys, newIssues] = await Promise.all([
    releasesNamed(sql, ids, versions),
    lastCommits(sql, ids, versions),
    lastDeploys(sql, ids, versions),
    newIssuesOf(sql, ids, versions),
  ]);
  const byVersion = Map.groupBy(releases, ({ version }) => version);
  return versions.flatMap((version) => {
    const found = byVersion.get(version) ?? [];
    const [first] = found;
    if (first === undefined) return [];
    const commit = commits.get(version);
    const deploy = deploys.get(version);
    const newGroups = (projectId: string) => newIssues.get(`${projectId}/${version}`) ?? 0;
    const dates = (date: (release: Release) => Date | null) =>
      found.flatMap((release) => date(release)?.getTime() ?? []);
    const least = (times: number[]) => times.length === 0 ? null : iso(Math.min(...times));
    const most = (times: number[]) => times.length === 0 ? null : iso(Math.max(...times));
    return [{
      id: Number(first.id),
      version,
      shortVersion: shortVersion(version),
      versionInfo: versionInfo(version),
      status: first.status,
      ref: found.find(({ ref }) => ref !== "")?.ref ?? null,
      url: found.find(({ url }) => url !== "")?.url ?? null,
      dateCreated: least(dates(({ createdAt }) => createdAt)) ?? first.createdAt.toISOString(),
      dateReleased: most(dates(({ releasedAt }) => releasedAt)),
      dateStarted: null,
      firstEvent: least(dates(({ firstEvent }) => firstEvent)),
      lastEvent: most(dates(({ lastEvent }) => lastEvent)),
      newGroups: found.reduce((sum, { projectId }) => sum + newGroups(projectId), 0),
      commitCount: Math.max(...found.map(({ commitCount }) => commitCount)),
      lastCommit: commit === undefined ? null : commitJson(commit),
      deployCount: deploy?.count ?? 0,
      lastDeploy: deploy === undefined ? null : deployJson(deploy),
      authors: commit === undefined ? [] : [authorJson(commit)].filter((author) => author !== null),
      owner: null,
      data: {},
      projects: projects
        .filter(({ id }) => found.some(({ projectId }) => projectId === id))
        .map(({ id, slug, name, platform }) => ({
          id: Number(id),
          slug,
          name,
          platform,
          newGroups: newGroups(id),
          hasHealthData: found.some((each) => each.projectId === id && each.lastEvent !== null),
        })),
    }];
  });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** The version without its package; of what names a commit its first digits. */
export function shortVersion(version: string): string {
  const text = version.slice(version.lastIndexOf("@") + 1) || version;
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/i.test(text) ? text.slice(0, 12) : text;
}

function versionInfo(release: string) {
  const version = parseVersion(release);
  const [major = 0, minor = 0, patch = 0] = version?.numbers ?? [];
  const at = release.lastIndexOf("@");
  return {
    package: packageOf(release),
    version: version === null ? { raw: release.slice(at + 1) } : {
      raw: release.slice(at + 1),
      major,
      minor,
      patch,
      pre: version.preRelease || null,
      buildCode: version.build || null,
      components: version.numbers.length,
    },
    description: shortVersion(release),
    buildHash: version?.build || null,
  };
}

type Authored = Pick<Commit, "authorName" | "authorEmail">;

export function authorJson({ authorName, authorEmail }: Authored) {
  if (authorName === "" && authorEmail === "") return null;
  return { name: authorName || authorEmail, email: authorEmail };
}

export function commitJson(commit: Commit): z.infer<typeof CommitJson> {
  const { commitId, message, committedAt, repository, repositoryUrl, repositoryId } = commit;
  return {
    id: commitId,
    message,
    dateCreated: committedAt.toISOString(),
    author: authorJson(commit),
    repository: repository === ""
      ? null
      : { id: repositoryId, name: repository, url: repositoryUrl || null },
  };
}

export function commitFileJson(file: CommitFile): z.infer<typeof CommitFileJson> {
  return {
    id: `${file.commitId}:${file.path}`,
    filename: file.path,
    type: file.change,
    commitMessage: file.message,
    author: authorJson(file),
    repoName: file.repository,
    dateCreated: file.committedAt.toISOString(),
  };
}

export function deployJson(deploy: Deploy): z.infer<typeof DeployJson> {
  return {
    id: deploy.id,
    environment: deploy.environment,
    name: deploy.name || null,
    url: deploy.url || null,
    dateStarted: deploy.startedAt?.toISOString() ?? null,
    dateFinished: deploy.finishedAt.toISOString(),
  };
}

/** Nobody speaks with a forge here: all are of Sentry's kind without an integration. */
export function repositoryJson(
  { id, name, url, createdAt }: Repository,
): z.infer<typeof RepositoryJson> {
  return {
    id,
    name,
    url: url || null,
    provider: { id: "unknown", name: "Unknown provider" },
    status: "active",
    dateCreated: createdAt.toISOString(),
  };
}
