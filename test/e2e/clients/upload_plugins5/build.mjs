// Builds the app of its first argument into the folder of its second, with a plugin that uploads: `node build.mjs vite …`.
import { dirname } from "node:path";

const { sentryVitePlugin } = await import("@sentry/vite-plugin");
const { build } = await import("vite");
const [, entry, outDir] = process.argv.slice(2);
await build({
  root: dirname(entry),
  configFile: false,
  logLevel: "warn",
  build: { outDir, sourcemap: true, rollupOptions: { input: entry } },
  plugins: [sentryVitePlugin({ telemetry: false, release: { name: process.env.RELEASE } })],
});
