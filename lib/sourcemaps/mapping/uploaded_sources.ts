/** Texts of sources that were uploaded as files, for maps that do not have them inside. */
import type { Sql } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { type Artifact, findArtifacts, readArtifact } from "../artifacts/lookup.ts";
import { contextLines } from "./context_lines.ts";
import type { Place } from "./look_up.ts";
import type { FileAnswer } from "./map_event.ts";
import type { Build } from "./resolve.ts";
import { sourceUrl, urlCandidates } from "./source_names.ts";

const MAX_BYTES = 5 * 2 ** 20;
/** Of one event. */
const MAX_SOURCES = 30;

type Stores = { readonly sql: Sql; readonly objects: ObjectStore };

/** Answers with the lines of sources that the release has as files of their own. */
export async function withUploadedSources(
  stores: Stores,
  { projectId, release, dist }: Build,
  answers: FileAnswer[],
): Promise<FileAnswer[]> {
  const urls = new Set(
    answers.flatMap((answer) =>
      "problem" in answer
        ? []
        : answer.places.flatMap((place) => missingUrl(answer.mapUrl, place) ?? [])
    ),
  );
  if (urls.size === 0 || release === "") return answers;
  const wanted = [...urls].slice(0, MAX_SOURCES);
  const found = await findArtifacts(stores.sql, projectId, {
    release,
    dist,
    urls: wanted.flatMap(urlCandidates),
  });
  const texts = new Map<string, string>();
  for (const url of wanted) {
    const text = await textOf(stores, url, found);
    if (text !== null) texts.set(url, text);
  }
  return answers.map((answer) =>
    "problem" in answer ? answer : {
      ...answer,
      places: answer.places.map((place) => {
        const text = texts.get(missingUrl(answer.mapUrl, place) ?? "");
        if (text === undefined || place === null) return place;
        return { ...place, context: contextLines(text, place.line - 1, place.column - 1) };
      }),
    }
  );
}

function missingUrl(mapUrl: string, place: Place | null): string | null {
  return place === null || place.context !== null || place.source === null
    ? null
    : sourceUrl(mapUrl, place.source);
}

async function textOf(
  { objects }: Stores,
  url: string,
  found: readonly Artifact[],
): Promise<string | null> {
  const urls = urlCandidates(url);
  // Tools mark what is no map as a minified file, whatever it is.
  const file = found.find((each) => urls.includes(each.url) && each.type !== "source_map");
  if (file === undefined || file.sizeBytes > MAX_BYTES) return null;
  const bytes = await readArtifact(objects, file);
  return bytes && new TextDecoder().decode(bytes);
}
