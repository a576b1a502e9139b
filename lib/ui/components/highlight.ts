/** Syntax colours on the server: code in, coloured pieces by line out, never HTML from outside. */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import csharp from "highlight.js/lib/languages/csharp";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";

const LANGUAGES = {
  bash,
  csharp,
  css,
  go,
  java,
  javascript,
  json,
  php,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
};
export type Language = keyof typeof LANGUAGES | "text";

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** Colouring costs about a millisecond per 10 KB; what is longer is shown plain. */
const MAX_CHARACTERS = 100_000;
/**
 * Of everything but JSON: several grammars take a time that grows with the square of a word, and of blank lines. A word of
 * 16,000 characters took that of Java 2.7 s.
 */
const MAX_SOURCE_CHARACTERS = 20_000;
const LONG_LINE = /[^\n]{1001}/;

export interface CodeToken {
  readonly text: string;
  /** Class that colours it (see styles/code.css), or `""`. */
  readonly class: string;
}

/** Colours `code` and splits it into lines. Unknown languages and very long code come back plain. */
export function highlightLines(code: string, language: Language): CodeToken[][] {
  const lines: CodeToken[][] = [[]];
  for (const token of tokens(code, language)) {
    token.text.split("\n").forEach((text, index) => {
      if (index > 0) lines.push([]);
      if (text !== "") lines.at(-1)?.push({ text, class: token.class });
    });
  }
  return lines;
}

/** The language of a source file, by the end of its name. */
export function languageOfFile(name: string): Language {
  const ending = /\.([a-z0-9]+)(?:[?#].*)?$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  // Names come from strangers: `a.constructor` must not find what every object inherits.
  return Object.hasOwn(LANGUAGE_OF_ENDING, ending) ? LANGUAGE_OF_ENDING[ending] ?? "text" : "text";
}

const LANGUAGE_OF_ENDING: Readonly<Record<string, Language>> = {
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  ts: "typescript",
  tsx: "typescript",
  mts: "typescript",
  cts: "typescript",
  vue: "xml",
  svelte: "xml",
  html: "xml",
  xml: "xml",
  py: "python",
  php: "php",
  go: "go",
  java: "java",
  kt: "java",
  rb: "ruby",
  sql: "sql",
  sh: "bash",
  css: "css",
  json: "json",
};

function tokens(code: string, language: Language): CodeToken[] {
  if (!isColoured(code, language)) return [{ text: code, class: "" }];
  return readTokens(hljs.highlight(code, { language, ignoreIllegals: true }).value);
}

function isColoured(code: string, language: Language): boolean {
  if (language === "text" || code.length > MAX_CHARACTERS) return false;
  return language === "json" || code.length <= MAX_SOURCE_CHARACTERS && !LONG_LINE.test(code);
}

/**
 * Reads highlight.js' output back into tokens, so that pages are built from text and never from HTML.
 * That output is nothing but text with five escapes and `<span class="…">` pairs.
 */
function readTokens(html: string): CodeToken[] {
  const found: CodeToken[] = [];
  const open: string[] = [];
  for (const part of html.split(/(<span class="[^"]*">|<\/span>)/)) {
    if (part === "</span>") open.pop();
    else if (part.startsWith("<span class=")) open.push(part.slice(13, -2));
    else if (part !== "") found.push({ text: unescape(part), class: open.at(-1) ?? "" });
  }
  return found;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
  "&amp;": "&",
};

function unescape(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#x27|amp);/g, (escape) => ESCAPES[escape] ?? escape);
}
