/** Releases, commits and deploys by stock sentry-cli, 2.58 and 3.x, out of a real git repository. */
import assert from "node:assert/strict";
import { createApiToken } from "@/lib/accounts/api_tokens.ts";
import { listMembers, SCOPES } from "@/lib/accounts/members.ts";
import { commitsOf, openFixes } from "@/lib/releases/commits.ts";
import { deploysOf } from "@/lib/releases/deploys.ts";
import { findRelease } from "@/lib/releases/releases.ts";
import { suspectCommits } from "@/lib/releases/suspects.ts";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";
import { nodeClient } from "./clients/install.ts";

const clients = await nodeClient("releases_cli");

async function run(program: string, args: string[], cwd: string, env: Record<string, string> = {}) {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, cwd, env }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  return { success, text };
}

async function ok(...command: Parameters<typeof run>): Promise<string> {
  const { success, text } = await run(...command);
  assert.ok(success, `${command[0]} ${command[1].join(" ")}: ${text}`);
  return text;
}

async function commit(repository: TempDir, path: string, text: string, message: string) {
  await Deno.mkdir(repository.join("src"), { recursive: true });
  await Deno.writeTextFile(repository.join(path), text);
  const who = ["-c", "user.name=Ann", "-c", "user.email=ann@acme.example"];
  await ok("git", ["add", "."], repository.path);
  await ok("git", [...who, "commit", "-q", "-m", message], repository.path);
  return (await ok("git", ["rev-parse", "HEAD"], repository.path)).trim();
}

async function repositoryOf(folder: TempDir) {
  await ok("git", ["init", "-q"], folder.path);
  await ok("git", ["remote", "add", "origin", "https://git.example/acme/shop.git"], folder.path);
  await commit(folder, "src/cart.ts", "1", "Begin");
  return await commit(folder, "src/pay.ts", "2", "Pay in cents\n\nFixes SHOP-1A");
}

async function environment({ url, services, organization }: ListeningApp) {
  const [owner] = await listMembers(services.kv, organization.id);
  const { token } = await createApiToken(services.kv, {
    organizationId: organization.id,
    userId: owner?.user.id ?? "",
    name: "CI",
    scopes: SCOPES,
  });
  return {
    SENTRY_URL: url,
    SENTRY_AUTH_TOKEN: token,
    SENTRY_ORG: organization.slug,
    SENTRY_PROJECT: "shop",
    SENTRY_LOG_LEVEL: "warn",
  };
}

for (const line of ["2", "3"]) {
  Deno.test({
    name: `sentry-cli ${line} makes, fills, finalizes, deploys, lists and deletes a release`,
    ignore: clients === null,
    async fn() {
      await using app = await listeningApp();
      await using folder = await tempDir();
      const head = await repositoryOf(folder);
      const env = await environment(app);
      const program = new URL(
        `node_modules/sentry-cli-${line}/bin/sentry-cli`,
        clients?.directory,
      ).pathname;
      const cli = (...args: string[]) => ok(program, args, folder.path, env);
      const { sql } = app.services;
      const version = "shop@1.2.0+7";

      await cli("releases", "new", version);
      await cli("releases", "new", version);
      await cli("releases", "set-commits", version, "--auto", "--ignore-missing");
      await cli("releases", "finalize", version);
      await cli("deploys", "new", "--release", version, "-e", "production");

      const release = await findRelease(sql, app.projectId, version);
      assert.ok(release?.releasedAt);
      const commits = await commitsOf(sql, app.projectId, version);
      assert.deepEqual(commits.map(({ message }) => message.split("\n")[0]), [
        "Pay in cents",
        "Begin",
      ]);
      assert.deepEqual([commits[0]?.commitId, commits[0]?.authorEmail, commits[0]?.repository], [
        head,
        "ann@acme.example",
        // What it calls a remote that no repository here is for.
        "origin",
      ]);
      assert.deepEqual([...await openFixes(sql, app.projectId, version)], [
        { shortId: "SHOP-1A", commitId: head },
      ]);
      const [suspect] = await suspectCommits(sql, app.projectId, {
        release: version,
        frames: [{ path: "/srv/app/src/pay.ts" }],
      });
      assert.equal(suspect?.commitId, head);
      const deploys = await deploysOf(sql, [app.projectId], version);
      assert.deepEqual(deploys.map((deploy) => deploy.environment), ["production"]);

      assert.match(await cli("releases", "list"), /1\.2\.0/);
      assert.match(await cli("releases", "info", version), /1\.2\.0/);
      assert.match(await cli("deploys", "list", "--release", version), /production/);

      // The next one has what came since.
      const next = await commit(folder, "src/cart.ts", "3", "Count again");
      await cli("releases", "new", "shop@1.3.0");
      await cli("releases", "set-commits", "shop@1.3.0", "--local");
      const since = await commitsOf(sql, app.projectId, "shop@1.3.0");
      assert.equal(since[0]?.commitId, next);
      await cli("releases", "set-commits", "shop@1.3.0", "--clear");
      assert.equal((await commitsOf(sql, app.projectId, "shop@1.3.0")).length, 0);

      await cli("releases", "delete", version);
      assert.equal(await findRelease(sql, app.projectId, version), null);
      const missing = await run(program, ["releases", "info", "nope"], folder.path, env);
      assert.equal(missing.success, false);
    },
  });
}
