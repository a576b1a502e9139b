/**
 * Stands in for `jsr:@deno/esbuild-plugin`, with which upstream Fresh bundles islands and which no other registry has: as
 * much of it as our islands need. It finds folders by the app's import map, what deno.json links by the exports there,
 * and packages of npm where Deno has put them.
 */

// Deno can tell where a package is once something has imported it; no server code imports this one.
import "@preact/signals";
import type { Plugin } from "esbuild";
import { findPackageJSON } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

interface Manifest {
  readonly name?: string;
  readonly exports?: string | Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, string>>;
  readonly links?: readonly string[];
}

/** Marks what is esbuild's to resolve from the manifest that was found. */
const HANDED_ON = Symbol();

/** The plugin under upstream's name; it has options, about what no island of ours does. */
export function denoPlugin(): Plugin {
  return {
    name: "resolve-like-deno",
    setup(build) {
      const root = Deno.cwd();
      const { imports = {}, links = [] } = readManifest(root);
      const linked = new Map(links.flatMap((link) => exportsOf(resolve(root, link))));

      build.onResolve({ filter: /^file:/ }, ({ path }) => ({ path: fileURLToPath(path) }));

      build.onResolve({ filter: /^[@\w]/ }, async ({ path, importer, kind, pluginData }) => {
        if (pluginData === HANDED_ON || path.startsWith("file:")) return;
        const target = mapped(path, imports);
        if (target.startsWith(".")) return { path: join(root, target) };
        const file = linked.get(withoutVersion(target));
        if (file !== undefined) return { path: file };

        const name = path.split("/", path.startsWith("@") ? 2 : 1).join("/");
        const from = importer === "" ? join(root, "main.ts") : importer;
        const manifest = findPackageJSON(name, pathToFileURL(from));
        if (manifest === undefined) return;
        // A package can import itself by name; that way esbuild applies its exports for browsers.
        return await build.resolve(path, {
          kind,
          importer: manifest,
          resolveDir: dirname(manifest),
          pluginData: HANDED_ON,
        });
      });
    },
  };
}

/** What the import map makes of a specifier: of the whole, or of a package or folder that it begins with. */
function mapped(specifier: string, imports: Readonly<Record<string, string>>): string {
  const key = Object.keys(imports).filter((each) =>
    each === specifier || specifier.startsWith(each.endsWith("/") ? each : `${each}/`)
  ).reduce((longest, each) => each.length > longest.length ? each : longest, "");
  return (imports[key] ?? "") + specifier.slice(key.length);
}

/** `jsr:@scope/name@^1.2.3/part` → `@scope/name/part` */
function withoutVersion(specifier: string): string {
  return specifier.replace(/^jsr:/, "").replace(/^(@[^/]+\/[^/@]+)@[^/]+/, "$1");
}

/** Each specifier of a linked package, with its file. */
function exportsOf(folder: string): [specifier: string, file: string][] {
  const { name = "", exports = {} } = readManifest(folder);
  return Object.entries(typeof exports === "string" ? { ".": exports } : exports)
    .map(([part, file]) => [name + part.slice(1), join(folder, file)]);
}

function readManifest(folder: string): Manifest {
  return JSON.parse(Deno.readTextFileSync(join(folder, "deno.json")));
}
