/** Files and items on their way into a project of a Watchpost, in uploads that it takes. */
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { type Api, ApiRefused, ask } from "./api.ts";

/** What is told while it goes on. */
export type Tell = (line: string) => void;

/** Of one upload, before it is compressed. */
const UPLOAD_BYTES = 24_000_000;

/** Sends items as JSON lines, those of an issue before it and in the same upload as far as they fit. @returns how many */
export async function sendItems(
  to: Api,
  project: string,
  items: AsyncIterable<unknown>,
  tell: Tell,
): Promise<number> {
  let lines: string[] = [];
  let [bytes, count] = [0, 0];
  const send = async () => {
    if (lines.length === 0) return;
    const body = new Uint8Array(gzipSync(lines.join("\n")));
    await sendFile(to, project, { name: "items.jsonl.gz", bytes: body }, tell);
    [lines, bytes] = [[], 0];
  };
  for await (const item of items) {
    count++;
    const line = JSON.stringify(item);
    lines.push(line);
    bytes += line.length;
    if (bytes >= UPLOAD_BYTES && (isIssue(item) || bytes >= 2 * UPLOAD_BYTES)) await send();
  }
  await send();
  return count;
}

function isIssue(item: unknown): boolean {
  return typeof item === "object" && item !== null &&
    ("firstSeen" in item || "first_seen" in item);
}

const encoder = new TextEncoder();

/** Sends one file, or the files below a folder in several uploads. @returns how many files */
export async function sendPath(
  to: Api,
  project: string,
  path: string,
  tell: Tell,
  takesSettings = false,
): Promise<number> {
  const { isDirectory } = await Deno.stat(path);
  if (!isDirectory) {
    const bytes = await Deno.readFile(path);
    await sendFile(to, project, { name: basename(path), bytes, takesSettings }, tell);
    return 1;
  }
  const names = await Array.fromAsync(filesBelow(path, ""));
  const data = names.filter((name) => JSON_FILE.test(name) && name !== ABOUT)
    .sort((a, b) => placeOf(a) - placeOf(b));
  const about = names.includes(ABOUT) ? { [ABOUT]: await Deno.readFile(join(path, ABOUT)) } : {};
  for (const name of data) {
    for await (const files of uploadsOf(path, name)) {
      const bytes = zipSync({ ...about, ...files });
      await sendFile(to, project, { name: `${basename(name)}.zip`, bytes, takesSettings }, tell);
    }
  }
  return data.length;
}

const JSON_FILE = /\.(?:json|jsonl|ndjson)$/i;
const ABOUT = "export.json";
/** What these name has come before: events, monitors and alerts, incidents. */
const LAST = [
  "settings.json",
  "issues.jsonl",
  "incidents.jsonl",
  "uptime_checks.jsonl",
  "uptime_hours.jsonl",
  "alerts.jsonl",
];

function placeOf(name: string): number {
  // Releases are told of before events name them.
  return basename(name) === "releases.jsonl" ? -2 : LAST.indexOf(basename(name));
}

/** A file of lines in pieces, each with the files that its lines name; any other one as it is. */
async function* uploadsOf(
  folder: string,
  name: string,
): AsyncGenerator<Record<string, Uint8Array>> {
  const { size } = await Deno.stat(join(folder, name));
  if (
    !name.endsWith("l") ||
    size < UPLOAD_BYTES && !/(?:profiles|attachments|artifacts)\.jsonl$/.test(name)
  ) {
    yield { [name]: await Deno.readFile(join(folder, name)) };
    return;
  }
  let lines: string[] = [];
  let files: Record<string, Uint8Array> = {};
  let bytes = 0;
  const lineStream = (await Deno.open(join(folder, name))).readable
    .pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
  for await (const line of lineStream) {
    lines.push(line);
    bytes += line.length;
    for (const file of filesIn(line)) {
      files[file] = await Deno.readFile(join(folder, file));
      bytes += files[file]?.length ?? 0;
    }
    if (bytes < UPLOAD_BYTES) continue;
    yield { [name]: encoder.encode(lines.join("\n")), ...files };
    [lines, files, bytes] = [[], {}, 0];
  }
  if (lines.length > 0) yield { [name]: encoder.encode(lines.join("\n")), ...files };
}

/** The file of a profile or an attachment, those of a bundle; never one elsewhere. */
function filesIn(line: string): string[] {
  const found = line.startsWith('{"artifactBundle":')
    ? line.matchAll(/"(artifacts\/[\w-]+)":\{/g)
    : line.matchAll(/"(?:file|original)":"((?:profiles|attachments)\/[\w.-]+)"/g);
  return [...found].flatMap(([, name]) => name ?? []);
}

/** Text by lines, without their ends. */
class TextLineStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform(text, out) {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line.trim() !== "") out.enqueue(line);
      },
      flush(out) {
        if (rest.trim() !== "") out.enqueue(rest);
      },
    });
  }
}

async function* filesBelow(folder: string, prefix: string): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(join(folder, prefix))) {
    if (isDirectory) yield* filesBelow(folder, `${prefix}${name}/`);
    else if (isFile) yield prefix + name;
  }
}

interface Receipt {
  readonly id: string;
  readonly state: "waiting" | "done" | "failed";
  readonly counts: Readonly<Record<string, number>>;
  readonly error: string;
}

interface Upload {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly takesSettings?: boolean;
}

/** Sends a file, and waits until it is taken in. @throws {ApiRefused} when it is not */
async function sendFile(
  to: Api,
  project: string,
  { name, bytes, takesSettings = false }: Upload,
  tell: Tell,
): Promise<void> {
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(bytes)]), name);
  const imports = `/api/0/projects/${project}/imports/`;
  const path = takesSettings ? `${imports}?settings=true` : imports;
  const asked: Receipt = await (await ask(to, path, { method: "POST", body: form })).json();
  const done = await ended(to, `${imports}${asked.id}/`);
  if (done.state === "failed") throw new ApiRefused(`${name}: ${done.error}`);
  const counts = Object.entries(done.counts).map(([kind, count]) => `${kind} ${count}`);
  tell(`${name}: ${counts.join(", ") || "nothing"}`);
}

const LOOK_SEC = 2;

/** How an export or import ended. @param path of its receipt */
export async function ended(api: Api, path: string): Promise<Receipt> {
  const wait = api.wait ?? ((seconds) => new Promise((done) => setTimeout(done, seconds * 1_000)));
  while (true) {
    const receipt: Receipt = await (await ask(api, path)).json();
    if (receipt.state !== "waiting") return receipt;
    await wait(LOOK_SEC);
  }
}
