/**
 * Installs a stock client where its registry is reachable. What cannot be installed is skipped by its
 * tests and says so: a test that did not run never counts as passed.
 */
import { keptFolder } from "./cache.ts";

const HERE = new URL("./", import.meta.url);
/** What clients in JavaScript have in common; each gets a copy. */
const STORY = new URL("./javascript/", import.meta.url);

export interface Installed {
  /** Where its program is. */
  readonly directory: URL;
  /** Runs the client's program with `SENTRY_DSN` set; throws with its output when it fails. */
  run(dsn: string): Promise<void>;
}

/** How a client is installed in a folder that has its files, and then run there. */
interface Recipe {
  /** Folders whose files it is made of. */
  readonly sources: readonly URL[];
  readonly install: readonly (readonly [program: string, ...args: string[]])[];
  readonly run: readonly [program: string, ...args: string[]];
}

/**
 * A Node client, or null after a line that says why not.
 *
 * @param runtime what runs it instead, of those that its packages bring
 */
export function nodeClient(folder = "node", runtime = "node"): Promise<Installed | null> {
  return install(folder, {
    sources: [STORY, sourceOf(folder)],
    install: [["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"]],
    run: [runtime, "main.cjs"],
  });
}

/** A Python client, or null after a line that says why not. */
export function pythonClient(folder = "python"): Promise<Installed | null> {
  return install(folder, {
    sources: [sourceOf(folder)],
    install: [
      ["python3", "-m", "venv", "venv"],
      ["venv/bin/pip", "install", "--quiet", "-r", "requirements.txt"],
    ],
    run: ["venv/bin/python", "main.py"],
  });
}

/** A Go client, or null after a line that says why not. */
export function goClient(folder = "go"): Promise<Installed | null> {
  return install(folder, {
    sources: [sourceOf(folder)],
    install: [["go", "mod", "tidy"], ["go", "build", "-o", "failing", "."]],
    run: ["./failing"],
  });
}

/** A client in Deno, or null after a line that says why not. */
export function denoClient(folder = "matrix_deno"): Promise<Installed | null> {
  const options = ["--no-config", "--no-lock", "--node-modules-dir=none"];
  return install(folder, {
    sources: [STORY, sourceOf(folder)],
    install: [[Deno.execPath(), "cache", ...options, "main.mjs"]],
    run: [Deno.execPath(), "run", "-A", ...options, "main.mjs"],
  });
}

/** A Bun client, or null after a line that says why not. */
export function bunClient(folder = "matrix_bun"): Promise<Installed | null> {
  return nodeClient(folder, "node_modules/.bin/bun");
}

/** A Java client, or null after a line that says why not. */
export function javaClient(folder = "matrix_java"): Promise<Installed | null> {
  return install(folder, {
    sources: [sourceOf(folder)],
    install: [["mvn", "--batch-mode", "--quiet", "package"]],
    run: ["java", "-cp", "target/classes:target/dependency/*", "Matrix"],
  });
}

/** A Ruby client of the system's packages, or null after a line that says why not. */
export function rubyClient(folder = "matrix_ruby"): Promise<Installed | null> {
  return install(folder, {
    sources: [sourceOf(folder)],
    install: [["ruby", "-e", "require 'sentry-ruby'"]],
    run: ["ruby", "main.rb"],
  });
}

function sourceOf(folder: string): URL {
  return new URL(`${folder}/`, HERE);
}

async function install(name: string, recipe: Recipe): Promise<Installed | null> {
  try {
    const files = (await Promise.all(recipe.sources.map((source) => filesIn(source)))).flat();
    const directory = await keptFolder(`${name}_${await hashOf(files, recipe)}`, async (folder) => {
      for (const { path, bytes } of files) {
        const file = new URL(path, folder);
        await Deno.mkdir(new URL("./", file), { recursive: true });
        await Deno.writeFile(file, bytes);
      }
      for (const each of recipe.install) await command(each, folder);
    });
    return { directory, run: (dsn) => command(recipe.run, directory, dsn) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    console.warn(`skipped: the stock ${name} client cannot be installed here (${reason})`);
    return null;
  }
}

interface SourceFile {
  /** Below the client's folder. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

async function filesIn(folder: URL, below = ""): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  const entries = await Array.fromAsync(Deno.readDir(new URL(below, folder)));
  for (const { name, isDirectory } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    const path = below + name;
    if (isDirectory) files.push(...await filesIn(folder, `${path}/`));
    else files.push({ path, bytes: await Deno.readFile(new URL(path, folder)) });
  }
  return files;
}

/** Of everything that decides what is installed. */
async function hashOf(files: readonly SourceFile[], { install, run }: Recipe): Promise<string> {
  const parts = files.flatMap(({ path, bytes }) => [`\n${path}\n`, bytes]);
  const all = await new Blob([JSON.stringify([install, run]), ...parts]).arrayBuffer();
  return new Uint8Array(await crypto.subtle.digest("SHA-256", all)).toHex().slice(0, 12);
}

async function command(
  [program, ...args]: readonly [string, ...string[]],
  directory: URL,
  dsn?: string,
): Promise<void> {
  const path = program.includes("/") ? new URL(program, directory).pathname : program;
  const { success, stdout, stderr } = await new Deno.Command(path, {
    args,
    cwd: directory,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    ...(dsn === undefined ? {} : { env: { SENTRY_DSN: dsn } }),
  }).output();
  if (success) return;
  const text = new TextDecoder().decode(stderr) + new TextDecoder().decode(stdout);
  throw new Error(`${program} ${args.join(" ")} failed: ${text.trim()}`);
}
