/**
 * Writes, for every language but English, a script with the messages that islands use: those that stand in the files that
 * an island imports, and in what these import. The whole catalogue would be ten times as long.
 */
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { MESSAGES_GLOBAL, messagesPath } from "./browser_language.ts";
import { russian } from "../core/language/ru.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CATALOGUES: Readonly<Record<string, Readonly<Record<string, string>>>> = { ru: russian };
// Types alone are not bundled.
const IMPORT =
  /^(?:import|export)\b(?! type\b)[^"';]*"([^"]+)"|^\} from "([^"]+)"|\bimport\("([^"]+)"\)/gm;
const TEXT = /"(?:[^"\\\n]|\\.)*"/g;
// As the formatter leaves texts with quotes in them.
const QUOTING_TEXT = /'([^'\n]*"[^'\n]*)'/g;

/** Writes `static/messages.<language>.js`; leaves what would be the same as it is. */
export async function buildMessages(): Promise<void> {
  const texts = textsOfIslands();
  for (const [language, catalogue] of Object.entries(CATALOGUES)) {
    const used = Object.entries(catalogue).filter(([key]) => texts.has(key));
    const json = JSON.stringify(Object.fromEntries(used));
    await writeIfOther(
      join(ROOT, "static", messagesPath(language)),
      `globalThis.${MESSAGES_GLOBAL}=${json};\n`,
    );
  }
}

/** Every text in quotes in a file that reaches a browser: what of it is a message is in the catalogue. */
function textsOfIslands(): Set<string> {
  const texts = new Set<string>();
  const seen = new Set<string>();
  const walk = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const source = Deno.readTextFileSync(join(ROOT, file));
    for (const [text] of source.matchAll(TEXT)) texts.add(unquoted(text));
    for (const [, text = ""] of source.matchAll(QUOTING_TEXT)) texts.add(text);
    importsOf(file, source).forEach(walk);
  };
  for (const { name } of Deno.readDirSync(join(ROOT, "islands"))) walk(`islands/${name}`);
  return texts;
}

/** The files of ours that a file imports when it runs. */
function importsOf(file: string, source: string): string[] {
  return [...source.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? "")
    .filter((specifier) => /^(?:\.\.?|@)\/.*\.tsx?$/.test(specifier))
    .map((specifier) =>
      specifier.startsWith("@/") ? specifier.slice(2) : normalize(join(dirname(file), specifier))
    );
}

function unquoted(literal: string): string {
  try {
    return JSON.parse(literal);
  } catch {
    return "";
  }
}

async function writeIfOther(path: string, text: string): Promise<void> {
  const known = await Deno.readTextFile(path).catch(() => null);
  if (known !== text) await Deno.writeTextFile(path, text);
}

if (import.meta.main) await buildMessages();
