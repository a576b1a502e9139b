/**
 * Addresses to which a function leads, as templates: `{name}`, `{file}`, `{line}` stand for what a function has, and
 * `{regexp}` for a regular expression that matches its name exactly. All are written so that they can stand in an
 * address; `{file}` keeps its slashes.
 */
export interface FlameLinks {
  /** Callers and callees of a function. */
  readonly function?: string;
  /** The same graph of the stacks that hold a function. */
  readonly focus?: string;
  /** The same graph without those stacks. */
  readonly ignore?: string;
  /** Source in a repository, such as `https://github.com/acme/shop/blob/main/{file}#L{line}`. */
  readonly source?: string;
  /** What paths of own files begin with, and the repository's do not; `""`: nothing. */
  readonly sourceRoot?: string;
}

export interface LinkedFunction {
  readonly name: string;
  readonly file: string;
  /** 0 when unknown. */
  readonly line: number;
}

/**
 * Fills a template in.
 *
 * @returns null without a template, when it asks for a file that is not known, or when it would lead to a script
 */
export function filledLink(template: string | undefined, at: LinkedFunction): string | null {
  if (template === undefined || !/^(?:https?:\/\/|\/|\?)/.test(template)) return null;
  if (template.includes("{file}") && at.file === "") return null;
  const values: Record<string, string> = {
    name: encodeURIComponent(wellFormed(at.name)),
    file: wellFormed(at.file).replace(/^\.?\/+/, "").split("/").map(encodeURIComponent).join("/"),
    line: String(at.line || 1),
    regexp: encodeURIComponent(`^${wellFormed(at.name).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`),
  };
  return template.replace(/\{(name|file|line|regexp)\}/g, (_, key: string) => values[key] ?? "");
}

/** Lone halves of surrogate pairs make `encodeURIComponent` throw. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}
