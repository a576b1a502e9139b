/**
 * Installs a stock client where its registry is reachable. What cannot be installed is skipped by its
 * tests and says so: a test that did not run never counts as passed.
 */
import { CACHE } from "./cache.ts";

const HERE = new URL("./", import.meta.url);
/** What clients in JavaScript have in common; each gets a copy. */
const STORY = new URL("./javascript/", import.meta.url);

export interface Installed {
  /** Runs the client's program with `SENTRY_DSN` set; throws with its output when it fails. */
  run(dsn: string): Promise<void>;
}

/**
 * A Node client, or null after a line that says why not.
 *
 * @param runtime what runs it instead, of those that its packages bring
 */
export function nodeClient(folder = "node", runtime = "node"): Promise<Installed | null> {
  return install(folder, async (directory) => {
    await copyAll(STORY, directory);
    await command("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], directory);
    return (dsn) => command(runtime, ["main.cjs"], directory, dsn);
  });
}

/** A Python client, or null after a line that says why not. */
export function pythonClient(folder = "python"): Promise<Installed | null> {
  return install(folder, async (directory) => {
    await command("python3", ["-m", "venv", "venv"], directory);
    await command("venv/bin/pip", ["install", "--quiet", "-r", "requirements.txt"], directory);
    return (dsn) => command("venv/bin/python", ["main.py"], directory, dsn);
  });
}

/** A Go client, or null after a line that says why not. */
export function goClient(folder = "go"): Promise<Installed | null> {
  return install(folder, async (directory) => {
    await command("go", ["mod", "tidy"], directory);
    await command("go", ["build", "-o", "failing", "."], directory);
    return (dsn) => command("./failing", [], directory, dsn);
  });
}

/** A client in Deno, or null after a line that says why not. */
export function denoClient(folder = "matrix_deno"): Promise<Installed | null> {
  return install(folder, async (directory) => {
    await copyAll(STORY, directory);
    const options = ["--no-config", "--no-lock", "--node-modules-dir=none"];
    await command(Deno.execPath(), ["cache", ...options, "main.mjs"], directory);
    return (dsn) => command(Deno.execPath(), ["run", "-A", ...options, "main.mjs"], directory, dsn);
  });
}

/** A Bun client, or null after a line that says why not. */
export function bunClient(folder = "matrix_bun"): Promise<Installed | null> {
  return nodeClient(folder, "node_modules/.bin/bun");
}

/** A Java client, or null after a line that says why not. */
export function javaClient(folder = "matrix_java"): Promise<Installed | null> {
  return install(folder, async (directory) => {
    await command("mvn", ["--batch-mode", "--quiet", "package"], directory);
    const classPath = "target/classes:target/dependency/*";
    return (dsn) => command("java", ["-cp", classPath, "Matrix"], directory, dsn);
  });
}

/** A Ruby client of the system's packages, or null after a line that says why not. */
export function rubyClient(folder = "matrix_ruby"): Promise<Installed | null> {
  return install(folder, async (directory) => {
    await command("ruby", ["-e", "require 'sentry-ruby'"], directory);
    return (dsn) => command("ruby", ["main.rb"], directory, dsn);
  });
}

async function install(
  name: string,
  prepare: (directory: URL) => Promise<(dsn: string) => Promise<void>>,
): Promise<Installed | null> {
  const directory = new URL(`${name}/`, CACHE);
  try {
    await copyAll(new URL(`${name}/`, HERE), directory);
    return { run: await prepare(directory) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    console.warn(`skipped: the stock ${name} client cannot be installed here (${reason})`);
    return null;
  }
}

async function copyAll(from: URL, to: URL): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyAll(new URL(`${name}/`, from), new URL(`${name}/`, to));
    else await Deno.copyFile(new URL(name, from), new URL(name, to));
  }
}

async function command(
  program: string,
  args: string[],
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
