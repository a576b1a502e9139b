/**
 * `deno task test:upstream <checkout of fresh> [<checkout of std>] [tests…]`: types and tests of the app on upstream Fresh
 * instead of our stand-in, in a copy of this tree. Without a checkout of `denoland/std` its packages come from JSR.
 */
import { join, resolve } from "node:path";
import { existsSync } from "node:fs";

interface Manifest {
  name?: string;
  workspace?: string[];
  links?: string[];
  imports?: Record<string, string>;
}

const [fresh, ...others] = Deno.args;
if (fresh === undefined || !existsSync(join(fresh, "packages/fresh/deno.json"))) {
  console.error("Say where a checkout of https://github.com/denoland/fresh is.");
  Deno.exit(2);
}
const std = others.length > 0 && existsSync(join(others[0] ?? "", "path/deno.json"))
  ? others.shift()
  : undefined;
const tests = others.length > 0 ? others : ["test"];

const copy = await Deno.makeTempDir({ prefix: "watchpost_on_upstream_" });
try {
  await copyTree();
  await link(["fresh", "build-id"].map((name) => join(resolve(fresh), "packages", name)));
  const hasTypes = await typesHold();
  const options = ["-A", "--no-check", "--sanitize-ops", "--sanitize-resources"];
  const { success } = await deno(["test", ...options, ...tests], "inherit").output();
  Deno.exitCode = hasTypes && success ? 0 : 1;
} finally {
  await Deno.remove(copy, { recursive: true });
}

/** All that git knows or would take, without the stand-in and what is about nothing else; with the history for tests of upgrades. */
async function copyTree(): Promise<void> {
  const clone = ["clone", "--quiet", "--shared", "--no-checkout", ".", copy];
  await new Deno.Command("git", { args: clone, stderr: "inherit" }).output();
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "-coz", "--exclude-standard"],
    stderr: "inherit",
  }).output();
  const paths = new TextDecoder().decode(stdout).split("\0")
    .filter((path) => path !== "" && !/^(?:test\/)?lib\/fresh\//.test(path) && existsSync(path));
  for (const path of paths) {
    await Deno.mkdir(join(copy, path, ".."), { recursive: true });
    await Deno.copyFile(path, join(copy, path));
  }
  // It names what the stand-in needs.
  await Deno.remove(join(copy, "deno.lock"));
}

/** Makes the copy take upstream's packages from the checkouts. */
async function link(packages: string[]): Promise<void> {
  const path = join(copy, "deno.json");
  const manifest = await readManifest(path);
  const plugin = "test/support/upstream_fresh";
  const ofStd = std === undefined ? [] : await stdPackages(resolve(std));
  manifest.links = [...packages, ...ofStd, `./${plugin}`];
  await Deno.writeTextFile(path, JSON.stringify(manifest, null, 2));

  const { esbuild = "", "@preact/signals": signals = "" } = manifest.imports ?? {};
  const pluginManifest = {
    name: "@deno/esbuild-plugin",
    version: "1.2.0",
    exports: "./esbuild_plugin.ts",
    imports: { esbuild, "@preact/signals": signals },
  };
  await Deno.writeTextFile(join(copy, plugin, "deno.json"), JSON.stringify(pluginManifest));
}

async function stdPackages(root: string): Promise<string[]> {
  const { workspace = [] } = await readManifest(join(root, "deno.json"));
  return workspace.map((folder) => join(root, folder));
}

async function readManifest(path: string): Promise<Manifest> {
  return JSON.parse(await Deno.readTextFile(path));
}

/** Prints what is wrong in the app and its tests; upstream's own sources are held to other options. */
async function typesHold(): Promise<boolean> {
  const { stderr } = await deno(["check", "."], "piped").output();
  const ours = new TextDecoder().decode(stderr).split("\n\n").filter((part) =>
    part.includes(`at file://${copy}/`)
  );
  console.log(ours.length === 0 ? "types: all hold" : ours.join("\n\n"));
  return ours.length === 0;
}

function deno(args: string[], output: "inherit" | "piped"): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args,
    cwd: copy,
    env: { NO_COLOR: "1" },
    stdout: output,
    stderr: output,
  });
}
