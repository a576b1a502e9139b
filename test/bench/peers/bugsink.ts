import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { freePort } from "../../support/server.ts";
import { waitFor } from "../../support/wait_for.ts";
import { treeCpuSeconds } from "../process_stats.ts";
import { pythonPrograms, VERSIONS } from "./install.ts";
import type { Peer } from "./peer.ts";

/** As its own container has them: one for each core, at most four. */
const WORKERS = Math.min(4, navigator.hardwareConcurrency);
const START_LIMIT_MS = 180_000;

/** What differs from its template for one server: no limits but the machine's, and no mails. */
const SETTINGS = `
for _limit in ("5_MINUTES", "HOUR", "MONTH"):
    BUGSINK[f"MAX_EVENTS_PER_{_limit}"] = 1_000_000_000
    BUGSINK[f"MAX_EVENTS_PER_PROJECT_PER_{_limit}"] = 1_000_000_000
ALLOWED_HOSTS = ["*"]
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
`;

const NEW_PROJECT = `
from projects.models import Project
p = Project.objects.create(name="Bench", slug="bench", retention_max_event_count=1_000_000_000,
    alert_on_new_issue=False, alert_on_regression=False, alert_on_unmute=False)
print(f"KEY {p.id} {p.sentry_key.hex}")
`;

/** Starts Bugsink on SQLite as its guide has it, with its background worker; null after a line that says why not. */
export async function startBugsink(): Promise<Peer | null> {
  const bin = await pythonPrograms("bugsink", VERSIONS.bugsink);
  if (bin === null) return null;
  await using made = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "watchpost-bugsink-" });
  made.defer(() => Deno.remove(dir, { recursive: true }));
  const port = freePort();
  const run = async (program: string, ...args: string[]) => await output(bin, dir, program, args);
  await run("bugsink-create-conf", "--template=singleserver", `--base-dir=${dir}`);
  const conf = join(dir, "bugsink_conf.py");
  await Deno.writeTextFile(conf, SETTINGS, { append: true });
  await run("bugsink-manage", "migrate");
  await run("bugsink-manage", "migrate", "--database=snappea");
  const said = await run("bugsink-manage", "shell", "-c", NEW_PROJECT);
  const [, id = "", key = ""] = /KEY (\d+) ([0-9a-f]+)/.exec(said) ?? [];
  const address = `127.0.0.1:${port}`;
  const web = ["bugsink.wsgi", `--bind=${address}`, `--workers=${WORKERS}`];
  const processes = [start(bin, dir, "bugsink-runsnappea", []), start(bin, dir, "gunicorn", web)];
  made.defer(() => stopped(processes));
  const url = `http://${address}`;
  await waitFor("Bugsink", async () => {
    const answer = await fetch(`${url}/health/ready`).catch(() => null);
    await answer?.body?.cancel();
    return answer !== null || null;
  }, START_LIMIT_MS);
  const database = new DatabaseSync(join(dir, "db.sqlite3"), { readOnly: true });
  made.defer(() => database.close());
  const all = made.move();
  return {
    name: `Bugsink ${VERSIONS.bugsink}`,
    url,
    paths: [`/api/${id}/envelope/?sentry_key=${key}`],
    cpu: () => processes.reduce((sum, { pid }) => sum + treeCpuSeconds(pid), 0),
    stored() {
      const row = database.prepare("select count(*) as count from events_event").get();
      return Promise.resolve(Number(row?.count));
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function output(
  bin: string,
  dir: string,
  program: string,
  args: readonly string[],
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(join(bin, program), {
    args: [...args],
    cwd: dir,
    env: { DJANGO_SETTINGS_MODULE: "bugsink_conf", PYTHONPATH: dir, HOME: dir },
  }).output();
  if (!success) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

function start(bin: string, dir: string, program: string, args: string[]): Deno.ChildProcess {
  return new Deno.Command(join(bin, program), {
    args,
    cwd: dir,
    env: { DJANGO_SETTINGS_MODULE: "bugsink_conf", PYTHONPATH: dir, HOME: dir },
    stdout: "null",
    stderr: "null",
  }).spawn();
}

async function stopped(processes: readonly Deno.ChildProcess[]): Promise<void> {
  for (const process of processes) {
    try {
      process.kill("SIGTERM");
    } catch {
      // Ended by itself.
    }
  }
  await Promise.all(processes.map(({ status }) => status));
}
