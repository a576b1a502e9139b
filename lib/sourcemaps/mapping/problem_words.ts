/** Why frames keep their minified places, as events have it in English, in the reader's language. */
import { storedWords } from "../../core/language/stored_words.ts";
import { message } from "../../core/language/translate.ts";

/** The sentences are made where the problems are found; the narrower ones stand first. */
export const problemWords = storedWords([
  message(
    "No ProGuard mapping with UUID {uuid} was uploaded to this project: upload the mapping.txt of this very build.",
  ),
  message("The mapping cannot be used: It could not be read within {seconds} s."),
  message("The mapping cannot be used: {reason}"),
  message("The source map cannot be used: It could not be read within {seconds} s."),
  message("The source map cannot be used: {reason}"),
  message("The source map could not be read just now."),
  message("The source map was deleted."),
  message("The source map has a segment of {n} fields."),
  message("The source map has a position outside of any file."),
  message("The mappings of the source map are cut off."),
  message("The mappings of the source map are garbage."),
  message("It was not looked for."),
  message("It was not looked up."),
  message(
    "The source map has nothing for line {line}, column {column}: it may belong to another build, or the file was changed after the build.",
  ),
  message(
    "The source map has nothing for line {line}: it may belong to another build, or the file was changed after the build.",
  ),
  message("The source map is larger than {size} MiB."),
  message("The source map has too many parts."),
  message("The source map is not JSON."),
  message("The source map is no JSON object."),
  message("The source map has more than {n} sections."),
  message("The sections of the source map are nested too deeply."),
  message('The source map has no "mappings", so it is none.'),
  message("The mappings of the source map are longer than {size} MiB."),
  message("The source map has more than {n} positions."),
  message("The minified file has no source map inside."),
  message("The source map inside the minified file cannot be decoded."),
  message(
    "{file} was uploaded without a source map: neither the file nor the upload names one.",
  ),
  message("{file} names the source map {map}, which was not uploaded with it."),
  message(
    "No source map with debug id {debugId} was uploaded to this project: the build that is deployed is another one than the one that was uploaded.",
  ),
  message(
    "The event has neither a debug id for this file nor a release, so there is nothing to find its source map by.",
  ),
  message(
    "Release {release}, dist {dist}, has no uploaded file {file}; it was uploaded with {dists}. Both sides must name the same dist.",
  ),
  message(
    "Release {release} has no uploaded file {file}; it was uploaded with {dists}. Both sides must name the same dist.",
  ),
  message(
    "Release {release}, dist {dist}, has no uploaded file {file}. Upload it under this name, or inject debug ids before you deploy.",
  ),
  message(
    "Release {release} has no uploaded file {file}. Upload it under this name, or inject debug ids before you deploy.",
  ),
]);
