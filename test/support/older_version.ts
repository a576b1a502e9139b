/** The code of an earlier version, as it runs beside this one while instances are upgraded one by one. */
const ROOT = new URL("../../", import.meta.url);
/** Before the first release: the last commit of which it was said that one can upgrade from it. Its last migration is 39. */
const BEFORE_RELEASES = "d5c3e4510b467b54f628239435f4cf0953675282";

/** A folder with the code. */
export interface OlderVersion extends AsyncDisposable {
  readonly root: URL;
}

/** The last tag, or null after a line that says that history is missing. */
export async function findOlderVersion(): Promise<string | null> {
  const tag = await git("describe", "--tags", "--abbrev=0", "HEAD~1");
  const commit = await git("rev-parse", "--verify", `${tag ?? BEFORE_RELEASES}^{commit}`);
  if (commit === null) console.warn("skipped: the last version is not in the history that is here");
  return commit;
}

/** Checks a commit out, into a folder of its own. */
export async function olderVersion(commit: string): Promise<OlderVersion> {
  const dir = await Deno.makeTempDir({ prefix: "watchpost-older-" });
  await git("worktree", "add", "--detach", "--force", dir, commit);
  return {
    root: new URL(`file://${dir}/`),
    [Symbol.asyncDispose]: async () => void await git("worktree", "remove", "--force", dir),
  };
}

/** What it prints; null when it fails. */
async function git(...args: string[]): Promise<string | null> {
  const { success, stdout } = await new Deno.Command("git", {
    args,
    cwd: ROOT,
    stdin: "null",
    stderr: "null",
  }).output();
  return success ? new TextDecoder().decode(stdout).trim() : null;
}
