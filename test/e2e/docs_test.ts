/** What the README and the pages of `docs/` tell people to type is typed here. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import settings from "../../deno.json" with { type: "json" };
import { SCOPES } from "../../lib/accounts/members.ts";
import { createApiToken } from "../../lib/accounts/api_tokens.ts";
import { listeningApp } from "../support/listening_app.ts";
import { pprofGzip } from "../support/pprof.ts";
import { publicKeyOf } from "./clients/otel_env.ts";

const PAGES = ["README.md", "CONTRIBUTING.md", ...docs()];

function docs(): string[] {
  return [...Deno.readDirSync("docs")].map(({ name }) => `docs/${name}`)
    .filter((path) => path.endsWith(".md")).sort();
}

/** The shell blocks of a page. */
function commandsOf(page: string): string[] {
  const text = Deno.readTextFileSync(page);
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block ?? "");
}

/** The headings of a page as GitHub makes addresses of them. */
function anchorsOf(page: string): string[] {
  return [...Deno.readTextFileSync(page).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-")
  );
}

Deno.test("every task that a page names is one", () => {
  for (const page of PAGES) {
    for (const [, task = ""] of Deno.readTextFileSync(page).matchAll(/\btask ([a-z][a-z:-]*)/g)) {
      assert.ok(task in settings.tasks, `${page}: deno task ${task}`);
    }
  }
});

Deno.test("every link between pages leads somewhere", () => {
  for (const page of PAGES) {
    for (const [, link = ""] of Deno.readTextFileSync(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : join(dirname(page), path);
      assert.ok(Deno.statSync(target).isFile, `${page}: ${link}`);
      if (anchor !== undefined) assert.ok(anchorsOf(target).includes(anchor), `${page}: ${link}`);
    }
  }
});

Deno.test("docs/settings.md has every setting that the start reads, and no other", () => {
  const names = (file: string, pattern: RegExp) =>
    [...new Set(Deno.readTextFileSync(file).match(pattern))].map((name) => name.slice(1, -1))
      .sort();
  assert.deepEqual(
    names("docs/settings.md", /`[A-Z][A-Z0-9_]{3,}`/g),
    names("lib/core/config.ts", /"[A-Z][A-Z0-9_]{3,}"/g),
  );
});

Deno.test("every curl of the pages is answered", async () => {
  const blocks = PAGES.flatMap(commandsOf).filter((block) => block.includes("curl "));
  assert.ok(blocks.length >= 3);
  await using app = await listeningApp();
  const { user: { id: userId } } = await app.member("manager");
  const { token } = await createApiToken(app.services.kv, {
    organizationId: app.organization.id,
    name: "Script",
    scopes: SCOPES.filter((scope) => scope.endsWith(":read")),
    userId,
  });
  const key = publicKeyOf(app.serverDsn);
  await sendMetrics(app.url, key);
  await using program = profiledProgram();

  for (const block of blocks) {
    const script = block.replaceAll("http://localhost:8000", app.url)
      .replaceAll("http://localhost:6060", program.url)
      .replaceAll("<public key>", key);
    const { success, stdout, stderr } = await new Deno.Command("bash", {
      args: [
        "-eo",
        "pipefail",
        "-c",
        `curl() { command curl -sS --fail-with-body "$@"; }\n${script}`,
      ],
      env: { TOKEN: token },
    }).output();
    const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assert.ok(success, `${block}\n${said}`);
  }
});

/** What the examples ask for. */
async function sendMetrics(url: string, key: string): Promise<void> {
  const timeUnixNano = `${Date.now()}000000`;
  const startTimeUnixNano = `${Date.now() - 60_000}000000`;
  const attributes = [
    { key: "http.route", value: { stringValue: "/api/orders" } },
    { key: "http.request.method", value: { stringValue: "GET" } },
  ];
  const sum = (name: string) => ({
    name,
    sum: {
      aggregationTemporality: 1,
      isMonotonic: true,
      dataPoints: [{ timeUnixNano, startTimeUnixNano, asInt: "3" }],
    },
  });
  const metrics = [sum("http.errors"), sum("http.requests"), {
    name: "http.server.request.duration",
    unit: "s",
    histogram: {
      aggregationTemporality: 1,
      dataPoints: [{
        timeUnixNano,
        startTimeUnixNano,
        attributes,
        count: "3",
        sum: 0.6,
        bucketCounts: ["1", "2"],
        explicitBounds: [0.1],
      }],
    },
  }];
  const response = await fetch(`${url}/v1/metrics`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ resourceMetrics: [{ resource: {}, scopeMetrics: [{ metrics }] }] }),
  });
  assert.deepEqual([response.status, await response.json()], [200, {}]);
}

/** Answers as the profiling endpoint of a Go program does. */
function profiledProgram(): AsyncDisposable & { readonly url: string } {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(pprofGzip()),
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
