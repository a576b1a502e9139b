/** What ownership rules look at: paths, modules, the address and the tags of an event. */
import type { NormalizedEvent } from "../../formats/sentry/normalized_event.ts";
import { searchTags } from "../../formats/sentry/error_event.ts";
import { sourcePath } from "../code/suspects.ts";

export interface OwnedSubject {
  /** Of all frames, with `/` between folders. */
  readonly paths: readonly string[];
  readonly modules: readonly string[];
  readonly urls: readonly string[];
  readonly tags: readonly (readonly [name: string, value: string])[];
}

/** An event has a few hundred at most; the rest is a loop. */
const MAX_TEXTS = 500;
const MAX_LENGTH = 1_000;

/** The subject that an event is. */
export function subjectOf(event: NormalizedEvent): OwnedSubject {
  const frames = [
    ...(event.exception?.values ?? []).map(({ stacktrace }) => stacktrace),
    event.stacktrace,
    ...(event.threads?.values ?? []).map(({ stacktrace }) => stacktrace),
  ].flatMap((stack) => (stack?.frames ?? []).toReversed());
  return {
    paths: distinct(frames.flatMap((frame) => [
      slashed(frame.filename),
      slashed(frame.abs_path),
      slashed(sourcePath(frame, event.platform)),
    ])),
    modules: distinct(frames.map(({ module = "" }) => module)),
    urls: distinct([event.request?.url ?? ""]),
    tags: [...searchTags(event), ...userTags(event)],
  };
}

/** As somebody enters it to try rules: an address is an address, and a path as well. */
export function subjectOfText(text: string): OwnedSubject {
  const [, name = "", value = ""] = /^tags\.([^:=\s]+)[:=](.*)$/s.exec(text) ?? [];
  if (name !== "") return { paths: [], modules: [], urls: [], tags: [[name, value.trim()]] };
  return {
    paths: [slashed(text)],
    modules: [text],
    urls: /^https?:\/\//i.test(text) ? [text] : [],
    tags: [],
  };
}

function slashed(path: string | undefined): string {
  return (path ?? "").replaceAll("\\", "/");
}

function distinct(texts: readonly string[]): string[] {
  const known = new Set(
    texts.filter((text) => text !== "").map((text) => text.slice(0, MAX_LENGTH)),
  );
  return [...known].slice(0, MAX_TEXTS);
}

/** `tags.user.email` and the like. */
function userTags({ user }: NormalizedEvent): [string, string][] {
  if (user === undefined) return [];
  const { data, geo: _, ...known } = user;
  return Object.entries({ ...data, ...known }).flatMap(([name, value]) =>
    typeof value === "string" || typeof value === "number"
      ? [[`user.${name}`, String(value)] as [string, string]]
      : []
  );
}
