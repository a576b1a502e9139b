/** Names of sources and files: those that people read, and those that files are found by. */

/**
 * Under which names a release may have a file, the most exact first. `~` stands for scheme and host.
 *
 * @param url as frames have it
 */
export function urlCandidates(url: string): string[] {
  const whole = url.replace(/#.*$/, "");
  const bare = whole.replace(/\?.*$/, "");
  return [...new Set([whole, bare, hostless(whole), hostless(bare)])].filter((each) => each !== "");
}

function hostless(url: string): string {
  const path = url.replace(/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/]*/, "");
  return path.startsWith("/") ? `~${path}` : path === url ? "" : `~/${path}`;
}

/** A reference in a file as a name of its own: against the file's URL, which may begin with `~`. */
export function joined(base: string, reference: string): string {
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(reference) || reference.startsWith("~/")) return reference;
  const [, root = "", path = ""] = /^([a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/]*|~)?(.*)$/s
    .exec(base.replace(/[?#].*$/, "")) ?? [];
  const whole = reference.startsWith("/")
    ? reference
    : `${path.slice(0, path.lastIndexOf("/") + 1)}${reference}`;
  return root + withoutDots(whole);
}

function withoutDots(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") {
      if (parts.length > 0 && parts.at(-1) !== "" && parts.at(-1) !== "..") parts.pop();
    } else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** The source of a frame as an address. @param mapUrl the address of the map, or of the minified file */
export function sourceUrl(mapUrl: string, source: string): string {
  return joined(mapUrl, source);
}

/** The file of a source as people write it: `webpack://shop/./src/cart.ts` → `./src/cart.ts`. */
export function sourceFile(source: string): string {
  const [, bundler] = /^(?:webpack|turbopack):\/\/[^/]*\/(.*)$/s.exec(source) ?? [];
  if (bundler !== undefined) {
    const file = bundler.replace(/^\[project\]\//, "");
    const tilde = file.indexOf("~/");
    return tilde > 0 && file[tilde - 1] === "/" ? file.slice(tilde) : file;
  }
  return source;
}

const MODULE_SCHEME = /^(?:https?|webpack|turbopack|app):/;
const DULL_FOLDER =
  /^(?:js|javascript|build|built|dist|static|assets|public|node_modules|bower_components|\.{1,2}|~|_next|[0-9a-f]{7,40}|v?\d+(?:\.\d+)*)$/i;

/** A name for the module of a source: `https://shop.test/static/js/src/cart.min.js` → `src/cart`. Null where there is none. */
export function moduleOf(url: string): string | null {
  if (!MODULE_SCHEME.test(url)) return null;
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/[?#].*$/, "");
  const parts = path.split("/").filter((part) => part !== "");
  while (parts.length > 1 && DULL_FOLDER.test(parts[0] ?? "")) parts.shift();
  const name = parts.join("/").replace(/\.[a-z0-9]{1,8}$/i, "").replace(/[.-]min$/i, "");
  return name === "" ? null : name;
}

/** Whether a source belongs to a library or to the build tool. */
export function isLibrary(source: string): boolean {
  return /(?:^|\/)node_modules\//.test(source) || /^~\//.test(source) ||
    /^(?:webpack:\/\/[^/]*\/)?(?:\(webpack\)|webpack\/(?:bootstrap|runtime|before-startup|startup))/
      .test(source);
}
