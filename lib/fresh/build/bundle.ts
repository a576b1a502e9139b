// Deno can tell where a package is once something has imported it; no server code imports this one.
import "@preact/signals";
import * as esbuild from "esbuild";
import { findPackageJSON } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export interface BundleOptions {
  root: string;
  mode: "development" | "production";
  target: string | string[];
  /** The file of each bundle, by name. */
  entryPoints: Record<string, string>;
}

/** Bundles modules for the browser, with what they share in chunks; the result is by file name. */
export async function bundle(
  { root, mode, target, entryPoints }: BundleOptions,
): Promise<Map<string, esbuild.OutputFile>> {
  await Promise.all(Object.values(entryPoints).map((file) => import(pathToFileURL(file).href)));
  try {
    const { outputFiles } = await esbuild.build({
      entryPoints: { "fresh-runtime": localPath("../client/boot.ts"), ...entryPoints },
      absWorkingDir: root,
      outdir: root,
      write: false,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      target,
      minify: mode === "production",
      sourcemap: mode === "production" ? false : "inline",
      jsx: "automatic",
      jsxImportSource: "preact",
      tsconfigRaw: {},
      alias: await folderAliases(root),
      define: { "process.env.NODE_ENV": JSON.stringify(mode) },
      plugins: [resolveLikeDeno],
      logLevel: "silent",
    });
    return new Map(outputFiles.map((file) => [relative(root, file.path), file]));
  } finally {
    await esbuild.stop();
  }
}

/** Finds packages where Deno has put them: with or without a node_modules folder. */
const resolveLikeDeno: esbuild.Plugin = {
  name: "resolve-like-deno",
  setup(build) {
    build.onResolve({ filter: /^fresh\/runtime$/ }, () => ({ path: localPath("../runtime.ts") }));

    build.onResolve(
      { filter: /^(@[\w.-]+\/)?[\w.-]+(\/|$)/ },
      async ({ path, importer, ...args }) => {
        const isRelative = path.startsWith(".");
        if (
          isRelative || args.kind === "entry-point" || args.pluginData === resolveLikeDeno
        ) return;
        const name = path.split("/", path.startsWith("@") ? 2 : 1).join("/");
        const manifest = findPackageJSON(name, importer);
        if (manifest === undefined) return;

        // A package can import itself by name; that way esbuild applies its exports for browsers.
        return await build.resolve(path, {
          kind: args.kind,
          importer: manifest,
          resolveDir: dirname(manifest),
          pluginData: resolveLikeDeno,
        });
      },
    );
  },
};

/** The folders that the app's import map names, such as `"@/": "./"`, as esbuild takes them. */
async function folderAliases(root: string): Promise<Record<string, string>> {
  const { imports = {} }: { imports?: Record<string, string> } = JSON.parse(
    await Deno.readTextFile(join(root, "deno.json")).catch(() => "{}"),
  );
  return Object.fromEntries(
    Object.entries(imports)
      .filter(([name, target]) => name.endsWith("/") && target.startsWith("."))
      .map(([name, target]) => [name.slice(0, -1), join(root, target)]),
  );
}

function localPath(specifier: string): string {
  return fileURLToPath(new URL(specifier, import.meta.url));
}
