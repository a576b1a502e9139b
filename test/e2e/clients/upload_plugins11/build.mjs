// Builds the app of its first argument into the folder of its second, with a plugin that uploads: `node build.mjs vite …`.
import { dirname, join } from "node:path";

const [bundler, entry, outdir] = process.argv.slice(2);
const options = { telemetry: false, release: { name: process.env.RELEASE } };

const bundlers = {
  async vite() {
    const { build } = await import("vite");
    const { sentryVitePlugin } = await import("@sentry/vite-plugin");
    await viteBuild(build, sentryVitePlugin);
  },
  async "vite-newest"() {
    const { build } = await import("vite");
    const { sentryVitePlugin } = await import("@sentry/bundler-plugins/vite");
    await viteBuild(build, sentryVitePlugin);
  },
  async webpack() {
    const { default: webpack } = await import("webpack");
    const { sentryWebpackPlugin } = await import("@sentry/webpack-plugin");
    await new Promise((resolve, reject) =>
      webpack({
        mode: "production",
        devtool: "source-map",
        context: dirname(entry),
        entry,
        output: { path: outdir, filename: "app.js" },
        plugins: [sentryWebpackPlugin(options)],
      }, (error, stats) => {
        const problem = error ?? (stats.hasErrors() ? new Error(stats.toString()) : null);
        return problem ? reject(problem) : resolve();
      })
    );
  },
  async esbuild() {
    const { build } = await import("esbuild");
    const { sentryEsbuildPlugin } = await import("@sentry/bundler-plugins/esbuild");
    await build({
      entryPoints: [entry],
      outfile: join(outdir, "app.js"),
      bundle: true,
      minify: true,
      sourcemap: true,
      plugins: [sentryEsbuildPlugin(options)],
    });
  },
  async rollup() {
    const { rollup } = await import("rollup");
    const { sentryRollupPlugin } = await import("@sentry/bundler-plugins/rollup");
    const output = { dir: outdir, sourcemap: true };
    const bundle = await rollup({ input: entry, plugins: [sentryRollupPlugin(options)] });
    await bundle.write(output);
    await bundle.close();
  },
};

async function viteBuild(build, plugin) {
  await build({
    root: dirname(entry),
    configFile: false,
    logLevel: "warn",
    build: { outDir: outdir, sourcemap: true, rollupOptions: { input: entry } },
    plugins: [plugin(options)],
  });
}

await bundlers[bundler]();
