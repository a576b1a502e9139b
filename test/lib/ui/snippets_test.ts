import assert from "node:assert/strict";
import { PLATFORMS } from "../../../lib/ui/platforms.ts";
import { snippetFor, SNIPPETS } from "../../../lib/ui/snippets/mod.ts";
import { TEST_MESSAGE } from "../../../lib/ui/snippets/snippet.ts";

const DSN = "https://0123456789abcdef0123456789abcdef@watchpost.example/prefix/7";

Deno.test("every snippet installs the SDK, gives it the DSN once and sends a test error", () => {
  for (const { platform, steps } of SNIPPETS) {
    const code = steps(DSN).map((step) => step.code).join("\n");
    assert.equal(code.split(DSN).length - 1, 1, platform);
    assert.ok(code.includes(TEST_MESSAGE), platform);
    assert.equal(steps(DSN)[0]?.language, "bash", platform);
  }
});

Deno.test("only the browser's snippet shows the browser key", () => {
  const browser = SNIPPETS.filter(({ key }) => key === "browser");
  assert.deepEqual(browser.map(({ platform }) => platform), ["javascript"]);
});

Deno.test("every platform but the last has a snippet", () => {
  const platforms = PLATFORMS.map(({ id }) => id).filter((id) => id !== "other");
  assert.deepEqual(SNIPPETS.map(({ platform }) => platform), platforms);
});

Deno.test("snippetFor() takes the one asked for, then the project's platform, then the first", () => {
  assert.equal(snippetFor("go", "python").platform, "go");
  assert.equal(snippetFor(null, "python-django").platform, "python");
  assert.equal(snippetFor("cobol", "other").platform, "javascript");
});
