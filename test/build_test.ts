import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import "./support/built_app.ts";

Deno.test("nobody can read beside the scripts which sources they were made of", async () => {
  const scripts = fileURLToPath(new URL("../_fresh/static/_fresh/js", import.meta.url));
  let found = 0;
  for await (const build of Deno.readDir(scripts)) {
    for await (const { name } of Deno.readDir(join(scripts, build.name))) {
      if (name.endsWith(".js")) found++;
      else assert.equal(await Deno.readTextFile(join(scripts, build.name, name)), "{}", name);
    }
  }
  assert.ok(found > 0);
});
