import type { Method } from "./types.ts";

/** What the router found for a method and a path. */
export interface Match<Item> {
  /** The pattern that matched, or null when no route has this path. */
  pattern: string | null;
  /** Empty when there is no item. */
  params: Record<string, string>;
  /** Null when the path has no answer to this method. */
  item: Item | null;
  /** The methods that the path does answer. */
  methods: Method[];
}

interface Entry<Item> {
  pattern: string;
  byMethod: Map<string, Item>;
}

interface DynamicEntry<Item> extends Entry<Item> {
  regexp: RegExp;
  names: string[];
  /** `""`, `/a` or `/a/b`: every path of this pattern begins with these parts. */
  head: string;
}

const IS_DYNAMIC = /[*:{}+?()]/;

/**
 * Finds routes: literal paths by look-up, patterns by trying, in the order of registration, those that begin as the path
 * does. An app of hundreds of patterns would else try most of them for each request.
 */
export class Router<Item> {
  #static = new Map<string, Entry<Item>>();
  #dynamic = new Map<string, DynamicEntry<Item>>();
  /** All literal beginnings of patterns. */
  #heads = new Set<string>();
  /** By the longest of these that a path begins with: the patterns that it may belong to. */
  #candidates = new Map<string, DynamicEntry<Item>[]>();

  /** Adds an answer; a method that the pattern already answers stays as it is. */
  add(method: Method, pattern: string, item: Item): void {
    const { byMethod } = this.#entry(pattern);
    if (!byMethod.has(method)) byMethod.set(method, item);
  }

  match(method: string, pathname: string): Match<Item> {
    const entry = this.#static.get(pathname) ?? this.#static.get(toggleSlash(pathname));
    if (entry !== undefined) return found(entry, method, () => Object.create(null));

    for (const entry of this.#candidatesOf(pathname)) {
      const values = entry.regexp.exec(pathname);
      if (values !== null) return found(entry, method, () => decodeParams(entry.names, values));
    }
    return { pattern: null, params: Object.create(null), item: null, methods: [] };
  }

  #candidatesOf(pathname: string): DynamicEntry<Item>[] {
    const [, first = "", second = ""] = pathname.split("/", 3);
    const whole = `/${first}/${second}`;
    const head = this.#heads.has(whole) ? whole : this.#heads.has(`/${first}`) ? `/${first}` : "";
    const known = this.#candidates.get(head);
    if (known !== undefined) return known;
    const entries = [...this.#dynamic.values()].filter((entry) =>
      entry.head === "" || entry.head === head || entry.head === `/${first}`
    );
    this.#candidates.set(head, entries);
    return entries;
  }

  #entry(pattern: string): Entry<Item> {
    const known = this.#static.get(pattern) ?? this.#dynamic.get(pattern);
    if (known !== undefined) return known;

    const entry = { pattern, byMethod: new Map<string, Item>() };
    if (IS_DYNAMIC.test(pattern)) {
      const head = headOf(pattern);
      this.#heads.add(head).add(`/${head.split("/", 2)[1] ?? ""}`);
      this.#candidates.clear();
      this.#dynamic.set(pattern, { ...entry, ...compilePattern(pattern), head });
    } else {
      this.#static.set(pattern, entry);
    }
    return entry;
  }
}

/** The first two parts of a pattern, as far as they are literal. */
function headOf(pattern: string): string {
  const [, first = "", second = ""] = pattern.split("/", 3);
  if (first === "" || IS_DYNAMIC.test(first)) return "";
  return second === "" || IS_DYNAMIC.test(second) ? `/${first}` : `/${first}/${second}`;
}

function toggleSlash(pathname: string): string {
  return pathname.endsWith("/") ? pathname.slice(0, -1) : pathname + "/";
}

function found<Item>(
  { pattern, byMethod }: Entry<Item>,
  method: string,
  decode: () => Record<string, string>,
): Match<Item> {
  const item = byMethod.get(method) ?? (method === "HEAD" ? byMethod.get("GET") : undefined) ??
    null;
  return {
    pattern,
    params: item === null ? Object.create(null) : decode(),
    item,
    methods: [...byMethod.keys()] as Method[],
  };
}

/** @throws {URIError} as upstream does */
function decodeParams(names: string[], values: RegExpExecArray): Record<string, string> {
  const params: Record<string, string> = Object.create(null);
  names.forEach((name, index) => {
    const value = values[index + 1] ?? "";
    params[name] = value.includes("%") ? decodeURI(value) : value;
  });
  return params;
}

const TOKEN = /\{([^{}]*)\}(\??)|(\/?):(\w+)([?*]?)|\*|[^{:*/]+|./g;

/** Translates `/a/:b`, `/:rest*`, `{/}?` and `*` as URLPattern reads them, only faster to match. */
function compilePattern(pattern: string): { regexp: RegExp; names: string[] } {
  const names: string[] = [];

  const translate = (text: string): string =>
    text.replaceAll(TOKEN, (token, group, optional, slash, name, modifier) => {
      if (group !== undefined) return `(?:${translate(group)})${optional}`;
      if (token === "*") {
        names.push(String(names.length));
        return "(.*)";
      }
      if (name === undefined) return token.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

      names.push(name);
      if (modifier === "") return `${slash}([^/]+?)`;
      const more = modifier === "*" && slash !== "" ? "(?:/[^/]+?)*" : "";
      return `(?:${slash}([^/]+?${more}))?`;
    });

  return { regexp: new RegExp(`^${translate(pattern)}$`), names };
}
