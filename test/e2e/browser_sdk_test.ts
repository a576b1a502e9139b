import assert from "node:assert/strict";
import { type ApiIssue, issuesOf } from "../support/api_client.ts";
import { CHROMIUM, openBrowser } from "../support/chromium.ts";
import { ADMIN_TOKEN, startServer } from "../support/server.ts";
import { waitFor } from "../support/wait_for.ts";

Deno.test({
  name:
    "what a page throws is on the Issues page within two seconds, sent by the stock browser SDK",
  ignore: CHROMIUM === null,
  // Playwright keeps handles of its own until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const script = await bundle("clients/browser/main.ts");
    await using server = await startServer();
    const project = await server.createProject("Web shop", "javascript");
    await using site = servePage(script);
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(`${site.url}/?dsn=${encodeURIComponent(project.browserDsn)}`);
    await page.click("button");

    const issue = await waitFor<ApiIssue>(
      "the page's error",
      async () => (await issuesOf(server.url, ADMIN_TOKEN, project))[0],
      2_000,
    );
    assert.equal(
      issue.title,
      "TypeError: Cannot read properties of undefined (reading 'reduce')",
    );
    assert.equal(issue.count, "1");
  },
});

/** A customer's site of its own origin, so that the SDK's request crosses origins as in life. */
function servePage(script: string): AsyncDisposable & { url: string } {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) =>
      new URL(request.url).pathname === "/app.js"
        ? new Response(script, { headers: { "content-type": "text/javascript" } })
        : new Response(
          `<!doctype html><title>Shop</title><button>Total</button><script src="/app.js"></script>`,
          { headers: { "content-type": "text/html" } },
        ),
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Deno's own bundler, because it knows where npm packages are. */
async function bundle(path: string): Promise<string> {
  const output = await Deno.makeTempFile({ suffix: ".js" });
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform=browser", "--output", output, path],
    cwd: new URL("./", import.meta.url),
    stderr: "piped",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const script = await Deno.readTextFile(output);
  await Deno.remove(output);
  return script;
}
