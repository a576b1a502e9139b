import assert from "node:assert/strict";
import { dirname } from "node:path";
import { unzipSync } from "fflate";
import type { Project } from "@/lib/accounts/projects.ts";
import { changeIssues, SYSTEM } from "@/lib/errors/mod.ts";
import { download } from "@/lib/transfers/client/download.ts";
import { foreignItems } from "@/lib/transfers/client/foreign.ts";
import { importOptions, watchpostFrom } from "@/lib/transfers/client/options.ts";
import { sendPath } from "@/lib/transfers/client/send.ts";
import { type Api, ApiRefused, ask } from "@/lib/transfers/client/api.ts";
import { sendMaps, sendOtlp, sendSentry, TOKEN, transferred } from "../../support/transferred.ts";

interface Served extends AsyncDisposable {
  readonly api: Api;
  readonly asked: string[];
  readonly waits: number[];
}

/** An API of a test's own. */
function served(answer: (path: string, url: string) => Response): Served {
  const asked: string[] = [];
  const waits: number[] = [];
  const server = Deno.serve({ port: 0, onListen() {} }, (req) => {
    const { pathname, search, origin } = new URL(req.url);
    assert.equal(req.headers.get("authorization"), "Bearer secret");
    asked.push(pathname + search);
    return answer(pathname + search, origin);
  });
  const url = `http://localhost:${server.addr.port}`;
  const wait = (seconds: number) => Promise.resolve(void waits.push(seconds));
  return {
    api: { url, token: "secret", wait },
    asked,
    waits,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("Sentry's issues and events are paged by Link, each issue behind its events", async () => {
  await using site = served((path, url) => {
    const link = (more: boolean) => ({
      headers: {
        link: `<${url}/x?cursor=0:0:1>; rel="previous"; results="false", ` +
          `<${url}/api/0/projects/a/b/issues/?query=&cursor=2>; rel="next"; results="${more}"`,
      },
    });
    if (path.includes("cursor=2")) {
      return Response.json([{ id: "20", firstSeen: "x" }], link(false));
    }
    if (path.startsWith("/api/0/projects/a/b/issues/")) {
      return Response.json([{ id: "10", firstSeen: "x" }], link(true));
    }
    if (path.startsWith("/api/0/issues/10/")) {
      return Response.json([{ id: "e1", eventID: "e1", entries: [] }, { id: "e2", eventID: "e2" }]);
    }
    if (path === "/api/0/projects/a/b/events/e2/") {
      return Response.json({ id: "e2", eventID: "e2", entries: [1] });
    }
    return Response.json([]);
  });
  const items = await Array.fromAsync(foreignItems(site.api, "sentry", "a/b"));
  assert.deepEqual(items, [
    { id: "e1", eventID: "e1", entries: [] },
    { id: "e2", eventID: "e2", entries: [1] },
    { id: "10", firstSeen: "x" },
    { id: "20", firstSeen: "x" },
  ]);
});

Deno.test("Bugsink's pages lead to the next, and each event is asked for by itself", async () => {
  await using site = served((path, url) => {
    const base = "/api/canonical/0";
    if (path === `${base}/issues/?project=1`) {
      return Response.json({ next: `${url}${base}/issues/?cursor=x`, results: [{ id: "i1" }] });
    }
    if (path === `${base}/events/?issue=i1`) {
      return Response.json({ next: null, results: [{ id: "e1" }] });
    }
    if (path === `${base}/events/e1/`) return Response.json({ id: "e1", data: {} });
    return Response.json({ next: null, results: [] });
  });
  const items = await Array.fromAsync(foreignItems(site.api, "bugsink", "1"));
  assert.deepEqual(items, [{ id: "e1", data: {} }, { id: "i1" }]);
});

Deno.test("who is asked too often is asked again as late as they say, and else ever later", async () => {
  let tries = 0;
  await using site = served(() => {
    tries++;
    if (tries === 1) return new Response("", { status: 429, headers: { "retry-after": "17" } });
    return tries < 4 ? new Response("", { status: 502 }) : Response.json([]);
  });
  await (await ask(site.api, "/x")).body?.cancel();
  assert.deepEqual(site.waits, [17, 2, 4]);
});

Deno.test("a refusal ends it with a sentence, and a page elsewhere never gets the token", async () => {
  await using site = served(() => new Response("no such project", { status: 404 }));
  await assert.rejects(ask(site.api, "/x"), /answers 404: no such project/);
  await assert.rejects(ask(site.api, "https://elsewhere.example/x"), /does not get its token/);
  assert.equal(site.asked.length, 1);
});

Deno.test("what is asked for on the terminal is checked before anything is sent", () => {
  const api = ["--from=bugsink", "--url=https://b.example/", "--project=1"];
  assert.deepEqual(importOptions(["--to=a/b", ...api], { IMPORT_TOKEN: "t" }), {
    to: "a/b",
    source: {
      kind: "api",
      from: "bugsink",
      api: { url: "https://b.example", token: "t" },
      project: "1",
    },
  });
  assert.deepEqual(importOptions(["--to=a/b", "x.zip"], {}).source, {
    kind: "path",
    path: "x.zip",
  });
  assert.deepEqual(importOptions(["--to=a/b", "--settings", "x.zip"], {}).source, {
    kind: "path",
    path: "x.zip",
    takesSettings: true,
  });
  for (
    const args of [[], ["x.zip"], ["--to=a", "x"], ["--to=a/b"], ["--to=a/b", ...api], ["--odd"]]
  ) {
    assert.throws(() => importOptions(args, {}), ApiRefused, args.join(" "));
  }
  assert.throws(() => watchpostFrom({}), /WATCHPOST_URL/);
});

Deno.test("a project goes through the terminal: downloaded, unpacked, and sent as a folder", async () => {
  await using world = await transferred();
  const { project, services } = world;
  await sendSentry(world);
  await sendOtlp(world);
  await sendMaps(world);
  const [issue] = await world.read<{ id: string }[]>(project, "/issues/?query=");
  await changeIssues(
    services,
    project.id,
    [issue?.id ?? ""],
    { status: { to: "resolved" } },
    SYSTEM,
  );
  const server = Deno.serve({ port: 0, onListen() {} }, async (req) => {
    const { pathname, search } = new URL(req.url);
    const body = req.method === "POST" ? { body: await req.bytes() } : {};
    return await world.send(pathname + search, {
      method: req.method,
      headers: req.headers,
      ...body,
    });
  });
  const api = {
    url: `http://localhost:${server.addr.port}`,
    token: TOKEN,
    wait: () => world.work(),
  };
  const folder = await Deno.makeTempDir();
  try {
    const path = await download(api, `acme/${project.slug}`, folder);
    const unpacked = `${folder}/unpacked`;
    for (const [name, bytes] of Object.entries(unzipSync(await Deno.readFile(path)))) {
      await Deno.mkdir(dirname(`${unpacked}/${name}`), { recursive: true });
      await Deno.writeFile(`${unpacked}/${name}`, bytes);
    }
    const copy = await world.empty("Copy");
    const told: string[] = [];
    await sendPath(api, `acme/${copy.slug}`, unpacked, (line) => told.push(line));
    assert.deepEqual(told.sort(), [
      "artifacts.jsonl.zip: source_maps 3",
      "attachments.jsonl.zip: attachments 4",
      "events.jsonl.zip: events 6",
      "issues.jsonl.zip: issues 4",
      "logs.jsonl.zip: logs 5",
      "metrics.jsonl.zip: metric_points 11",
      "profiles.jsonl.zip: profiles 1",
      "releases.jsonl.zip: releases 5",
      "settings.json.zip: settings_left_out 1",
      "spans.jsonl.zip: spans 4, transactions 1",
      "transactions.jsonl.zip: transactions 1",
    ]);
    const standing = async (of: Project) =>
      (await world.read<{ title: string; status: string; count: string }[]>(of, "/issues/?query="))
        .map(({ title, status, count }) => `${title} ${status} ${count}`).sort();
    assert.deepEqual(await standing(copy), await standing(project));
  } finally {
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("of a folder that goes first which others name: settings, issues, incidents", async () => {
  const done = { id: "1", state: "done", counts: {}, error: "" };
  await using site = served(() => Response.json(done));
  const folder = await Deno.makeTempDir();
  const names = ["settings.json", "issues.jsonl", "incidents.jsonl", "uptime_checks.jsonl"];
  try {
    for (const name of ["alerts.jsonl", ...names.toReversed(), "events.jsonl"]) {
      await Deno.writeTextFile(`${folder}/${name}`, "{}\n");
    }
    const told: string[] = [];
    await sendPath(site.api, "acme/copy", folder, (line) => told.push(line));
    assert.deepEqual(
      told.map((line) => line.replace(/\.zip: nothing$/, "")),
      ["events.jsonl", ...names, "alerts.jsonl"],
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
