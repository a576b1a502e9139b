const UNKNOWN = new Set(["", "?", "<anonymous>", "anonymous", "Anonymous function", "<unknown>"]);

/**
 * The part of a function's name that stays the same from build to build, or undefined when the function has no
 * name worth comparing.
 */
export function stableFunctionName(name: string, platform: string): string | undefined {
  const stable = (CLEANERS.get(platform) ?? ((same) => same))(name).trim();
  return UNKNOWN.has(stable) ? undefined : stable;
}

type Cleaner = (name: string) => string;

/** `async Object.load [as run]` → `load`; Firefox marks functions inside anonymous ones with `/<`. */
const javascript: Cleaner = (name) => {
  if (name.endsWith("/<")) return "";
  const bare = name.replace(/ \[as [^\]]{0,200}\]$/, "").replace(/^(?:async |new )+/, "");
  return bare.slice(bare.lastIndexOf(".") + 1);
};

/** PHP 8.4 puts file and line into a closure's name, and every version puts the path into an anonymous class's. */
const php: Cleaner = (name) =>
  name.replace(/\{closure[^}]*\}/g, "{closure}")
    .replace(/@anonymous[^]*?(?=::|->|$)/g, "@anonymous");

/** `block (2 levels) in run` → `block in run`; compiled templates end in changing digits. */
const ruby: Cleaner = (name) =>
  name.replace(/^block \(\d+ levels\) in /, "block in ").replace(/_{2,}\d+_\d+$/, "");

const java: Cleaner = (name) => name.startsWith("lambda$") ? "" : name;

/** Objective-C methods are named with brackets and colons; all else loses parameters, templates and hashes. */
const native: Cleaner = (name) =>
  /^[-+]\[/.test(name) ? name : withoutBrackets(name)
    .replace(/::h[0-9a-f]{16}$/, "")
    .replace(/__\d+/g, "__");

/** Drops `(…)` and `<…>` with all they hold, unless nothing else would be left. */
function withoutBrackets(name: string): string {
  let kept = "";
  let depth = 0;
  for (const char of name) {
    if (char === "(" || char === "<") depth++;
    if (depth === 0) kept += char;
    if ((char === ")" || char === ">") && depth > 0) depth--;
  }
  return kept.trim() === "" ? name : kept;
}

const CLEANERS: ReadonlyMap<string, Cleaner> = new Map([
  ...["javascript", "node"].map((platform) => [platform, javascript] as const),
  ...["native", "c", "cocoa", "objc", "csharp", "rust", "swift"]
    .map((platform) => [platform, native] as const),
  ["php", php],
  ["ruby", ruby],
  ["java", java],
]);
