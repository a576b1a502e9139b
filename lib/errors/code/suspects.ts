/** Which commits may be at fault for an error: from the frames of an event to the files that releases changed. */
import { isInApp } from "../../formats/sentry/frames.ts";
import type { Frame, NormalizedEvent } from "../../formats/sentry/normalized_event.ts";
import { type SuspectCommit, suspectCommits, type SuspectFrame } from "../../releases/mod.ts";
import type { Sql } from "../../store/database.ts";

/** Of an event, what tells whom to suspect. */
interface Suspected {
  /** As it is stored. */
  readonly payload: string;
  readonly release: string;
}

/**
 * The commits that changed the files of an event's frames, of the release in which the issue was first seen and of the
 * four before it. What has no first release is asked for by the event's own.
 *
 * @returns none when nobody told of commits, or none of them fits
 */
export async function suspectsOfEvent(
  sql: Sql,
  projectId: string,
  firstRelease: string,
  { payload, release }: Suspected,
): Promise<SuspectCommit[]> {
  const asked = firstRelease || release;
  if (asked === "") return [];
  return await suspectCommits(sql, projectId, {
    release: asked,
    frames: suspectFrames(JSON.parse(payload)),
  });
}

/** The application's own frames of an event, the innermost of what was thrown last first. */
export function suspectFrames(event: NormalizedEvent): SuspectFrame[] {
  const stacks = [
    ...(event.exception?.values ?? []).toReversed().map(({ stacktrace }) => stacktrace),
    event.stacktrace,
    ...(event.threads?.values ?? []).filter(({ crashed }) => crashed)
      .map(({ stacktrace }) => stacktrace),
  ];
  return stacks.flatMap((stack) => (stack?.frames ?? []).toReversed())
    .filter((frame) => isInApp(frame, event.platform))
    .flatMap((frame) => {
      const path = sourcePath(frame, event.platform);
      return path === "" ? [] : [{ path }];
    });
}

/** Their frames name a file without its folder, which the package tells. */
const IN_PACKAGES = new Set(["java", "kotlin", "scala", "groovy"]);

/** The file of a frame, with its folder where only its module tells it; `""` for none. */
export function sourcePath(frame: Frame, platform: string): string {
  const { filename = "", abs_path: whole = "", module = "" } = frame;
  const path = filename || whole;
  const isInPackage = IN_PACKAGES.has(frame.platform ?? platform) && !/[/\\]/.test(path);
  if (!isInPackage || path === "" || !module.includes(".")) return path;
  return `${module.slice(0, module.lastIndexOf(".")).replaceAll(".", "/")}/${path}`;
}
