import assert from "node:assert/strict";

/** What works for nobody in particular, or for who sees all projects anyway. */
const SEE_ALL = [
  "lib/accounts/projects.ts",
  "lib/accounts/visibility.ts",
  "lib/end_users",
  "lib/monitors/status/measured.ts",
  "lib/projects/api_teams.ts",
  "lib/projects/organization_life.ts",
  "lib/server/control_mirror.ts",
  "lib/server/load_instance.ts",
  // Each project passes the gate by itself, and what does not is counted.
  "lib/traces/open_trace.ts",
  // Managers and owners read these.
  "routes/(ui)/organizations/[organization]/settings/audit/index.tsx",
  "routes/(ui)/organizations/[organization]/settings/end-users/index.tsx",
];

Deno.test("nobody lists all projects of an organization but who works for nobody in particular", async () => {
  const found: string[] = [];
  for (const folder of ["lib", "routes"]) {
    for await (const path of filesBelow(folder)) {
      const text = await Deno.readTextFile(path);
      if (/\blistProject(s|Ids)\b/.test(text)) found.push(path);
    }
  }
  const others = found.filter((path) => !SEE_ALL.some((known) => path.startsWith(known)));
  assert.deepEqual(others, [], "use listVisibleProjects() or listProjectsSeenBy()");
});

async function* filesBelow(folder: string): AsyncIterable<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* filesBelow(path);
    else if (/\.tsx?$/.test(name)) yield path;
  }
}
