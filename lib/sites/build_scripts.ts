/**
 * Builds what pages of customers load: the loader, and the bundle of the pinned `@sentry/browser`. The npm package has no
 * bundle for browsers (its maintainers put that on their own CDN only), so it is made here of the package's modules.
 */
import * as esbuild from "esbuild";
import { createHash } from "node:crypto";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
// Deno can tell where a package is once something has imported it.
import { SDK_VERSION } from "@sentry/browser";
import { type BuiltScripts, MANIFEST, SCRIPTS_FOLDER } from "./script_files.ts";

/** As the SDK itself: Chrome 80, Firefox 74, Safari 14. */
const BUNDLE_TARGET = "es2020";
/** Whatever still opens today's pages can read it. */
const LOADER_TARGET = "es2017";

/**
 * Writes the scripts into `folder`, each compressed as well as can be.
 *
 * @param folder absolute path of the build's folder, such as `/app/_fresh`
 * @throws {Error} with the bundler's own words
 */
export async function buildScripts(folder: string): Promise<void> {
  const [loader, sdk] = [await bundleLoader(), await bundleSdk()];
  await esbuild.stop();
  const target = join(folder, SCRIPTS_FOLDER);
  await Deno.mkdir(target, { recursive: true });
  // Of equal versions, too: the file is cached for a year under this name.
  const hash = createHash("sha256").update(sdk).digest("hex").slice(0, 8);
  const name = `bundle-${SDK_VERSION}-${hash}.min.js`;
  const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await Deno.writeFile(join(target, name), sdk);
  await Deno.writeFile(join(target, `${name}.br`), brotliCompressSync(sdk, { params: quality }));
  await Deno.writeFile(join(target, `${name}.gz`), gzipSync(sdk, { level: 9 }));
  const manifest: BuiltScripts = { loader, bundle: name };
  await Deno.writeTextFile(join(target, MANIFEST), JSON.stringify(manifest));
  for await (const { name: old } of Deno.readDir(target)) {
    if (old !== MANIFEST && !old.startsWith(name)) await Deno.remove(join(target, old));
  }
}

async function bundleLoader(): Promise<string> {
  const bytes = await bundle({ entryPoints: [localPath("loader.ts")], target: LOADER_TARGET });
  return new TextDecoder().decode(bytes).trim();
}

/** `Sentry` becomes a plain object: pages set properties of it, which a module's exports do not allow. */
function bundleSdk(): Promise<Uint8Array> {
  return bundle({
    entryPoints: [localPath("browser_sdk.ts")],
    target: BUNDLE_TARGET,
    globalName: "Sentry",
    banner: {
      js: `/*! @sentry/browser ${SDK_VERSION}, MIT, github.com/getsentry/sentry-javascript */`,
    },
    footer: { js: "Sentry=Object.assign({},Sentry);" },
    define: {
      __SENTRY_DEBUG__: "false",
      "process.env.NODE_ENV": '"production"',
    },
    plugins: [resolveLikeDeno],
  });
}

async function bundle(options: esbuild.BuildOptions): Promise<Uint8Array> {
  const { outputFiles } = await esbuild.build({
    bundle: true,
    format: "iife",
    platform: "browser",
    minify: true,
    legalComments: "none",
    tsconfigRaw: {},
    logLevel: "silent",
    ...options,
    write: false,
  });
  const [file] = outputFiles ?? [];
  if (file === undefined) throw new Error("The bundler made nothing");
  return file.contents;
}

/** Finds packages where Deno has put them: with or without a node_modules folder. */
const resolveLikeDeno: esbuild.Plugin = {
  name: "resolve-like-deno",
  setup(build) {
    build.onResolve({ filter: /^@?[a-z]/ }, async ({ path, importer, kind, pluginData }) => {
      if (kind === "entry-point" || pluginData === resolveLikeDeno) return;
      const name = path.split("/", path.startsWith("@") ? 2 : 1).join("/");
      const manifest = findPackageJSON(name, importer);
      if (manifest === undefined) return;
      // A package can import itself by name; so esbuild applies its exports for browsers.
      const resolveDir = dirname(manifest);
      return await build.resolve(path, {
        kind,
        importer: manifest,
        resolveDir,
        pluginData: resolveLikeDeno,
      });
    });
  },
};

function localPath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
