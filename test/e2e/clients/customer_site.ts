import assert from "node:assert/strict";

/** A customer's site of its own origin, so that the SDK's request crosses origins as in life. */
export function servePage(script: string): AsyncDisposable & { url: string } {
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
export async function bundle(path: string, options: readonly string[] = []): Promise<string> {
  const output = await Deno.makeTempFile({ suffix: ".js" });
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform=browser", ...options, "--output", output, path],
    cwd: new URL("../", import.meta.url),
    stderr: "piped",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const script = await Deno.readTextFile(output);
  await Deno.remove(output);
  return script;
}
