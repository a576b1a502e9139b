import assert from "node:assert/strict";
import { PLATFORMS } from "@/lib/projects/platforms.tsx";
import { snippetFor, SNIPPETS } from "@/lib/projects/snippets/mod.ts";
import { TEST_MESSAGE, TRACING_NOTE } from "@/lib/projects/snippets/sdks.ts";

const DSN = "https://0123456789abcdef0123456789abcdef@watchpost.example/prefix/7";

const sdkSnippets = SNIPPETS.filter(({ isChoice }) => !isChoice);

Deno.test("every Sentry snippet installs the SDK, gives it the DSN once and sends a test error", () => {
  for (const { platform, steps } of sdkSnippets) {
    const code = steps(DSN).map((step) => step.code).join("\n");
    assert.equal(code.split(DSN).length - 1, 1, platform);
    assert.ok(code.includes(TEST_MESSAGE), platform);
    assert.equal(steps(DSN)[0]?.language, "bash", platform);
  }
});

Deno.test("every Sentry snippet turns tracing on and says what the rate means", () => {
  for (const { platform, steps } of sdkSnippets) {
    const code = steps(DSN).map((step) => step.code).join("\n");
    assert.match(code, /traces_?sample_?rate\W.*1\.0/i, platform);
    assert.ok(steps(DSN).some(({ note }) => note?.includes(TRACING_NOTE)), platform);
  }
});

Deno.test("OpenTelemetry's snippet tells address and key to SDKs and to the Collector", () => {
  const steps = snippetFor("opentelemetry", "node").steps(DSN);
  const text = (title: string) => steps.find((step) => step.title.includes(title))?.code ?? "";
  const key = "0123456789abcdef0123456789abcdef";
  assert.match(text("environment"), /ENDPOINT=https:\/\/watchpost\.example\/prefix$/m);
  assert.match(text("environment"), new RegExp(`HEADERS="Authorization=Bearer%20${key}"`));
  assert.match(text("Collector"), /endpoint: https:\/\/watchpost\.example\/prefix$/m);
  assert.match(text("Collector"), new RegExp(`Authorization: Bearer ${key}$`, "m"));
  for (const language of ["Node.js", "Python", "Java", "Go", "Deno"]) {
    assert.notEqual(text(language), "", language);
  }
});

Deno.test("every way to send a profile is told address and key, or the DSN", () => {
  const steps = snippetFor("profiling", "node").steps(DSN);
  const key = "0123456789abcdef0123456789abcdef";
  const text = (title: string) => steps.find((step) => step.title.startsWith(title))?.code ?? "";
  const upload = "https://watchpost.example/prefix/api/v1/profiles/pprof?service=my-service";
  for (const title of ["Go", "Node.js", "Rust: upload"]) {
    assert.ok(text(title).includes(upload), title);
    assert.ok(text(title).includes(`Bearer ${key}`), title);
  }
  assert.match(text("Go"), /debug\/pprof\/profile\?seconds=10/);
  assert.match(text("Go: tie"), /"trace_id", traceID/);
  assert.match(text("Python"), /watchpost\.example\/prefix\/ingest\?.*format=folded/);
  for (const title of ["Node.js with Sentry", "Python with Sentry"]) {
    assert.ok(text(title).includes(DSN), title);
  }
  assert.ok(text("Pyroscope").includes(`authToken: "${key}"`));
  assert.match(text("OpenTelemetry"), /profiles_endpoint: .*\/prefix\/v1development\/profiles$/m);
});

Deno.test("every way to send metrics is told address and key, or the DSN", () => {
  const steps = snippetFor("metrics", "node").steps(DSN);
  const key = "0123456789abcdef0123456789abcdef";
  const text = (title: string) => steps.find((step) => step.title.startsWith(title))?.code ?? "";
  assert.match(
    text("OpenTelemetry: the environment"),
    /ENDPOINT=https:\/\/watchpost\.example\/prefix$/m,
  );
  assert.match(text("OpenTelemetry: the environment"), new RegExp(`Bearer%20${key}`));
  for (const language of ["Node.js", "Python", "Go"]) {
    assert.notEqual(text(`OpenTelemetry: ${language}`), "", language);
  }
  assert.match(text("Machines"), new RegExp(`Authorization: Bearer ${key}$`, "m"));
  assert.match(text("Prometheus"), /url: https:\/\/watchpost\.example\/prefix\/api\/v1\/write$/m);
  assert.match(text("Prometheus"), new RegExp(`credentials: ${key}$`, "m"));
  for (const title of ["Node.js with Sentry", "Python with Sentry"]) {
    assert.ok(text(title).includes(DSN), title);
  }
});

Deno.test("every builder is told the loader's line, with the path prefix, and the policy fits it", () => {
  const steps = snippetFor("sites", "node").steps(DSN);
  const text = (title: string) => steps.find((step) => step.title === title)?.code ?? "";
  const url = "https://watchpost.example/prefix/js/0123456789abcdef0123456789abcdef.js";
  for (const title of ["The line", "Tilda", "Wix", "Squarespace", "Webflow", "Shopify"]) {
    assert.equal(text(title), `<script crossorigin async\n  src="${url}"></script>`, title);
  }
  for (const title of ["Google Tag Manager", "Options"]) {
    assert.ok(text(title).includes(url), title);
  }
  assert.equal(
    text("Content-Security-Policy"),
    "script-src https://watchpost.example/prefix/js/\nconnect-src https://watchpost.example/prefix/js/",
  );
  assert.equal(text("A shop or CMS with an extension"), DSN);
  assert.ok(text("Throw a test error").includes(TEST_MESSAGE));
});

Deno.test("only the browser's snippet shows the browser key", () => {
  const browser = SNIPPETS.filter(({ key }) => key === "browser");
  assert.deepEqual(browser.map(({ platform }) => platform), ["javascript"]);
});

Deno.test("every platform but the last has a snippet", () => {
  const platforms = PLATFORMS.map(({ id }) => id).filter((id) => id !== "other");
  const snippets = [...sdkSnippets, snippetFor("sites", "")];
  assert.deepEqual(snippets.map(({ platform }) => platform), platforms);
});

Deno.test("snippetFor() takes the one asked for, then the project's platform, then the first", () => {
  assert.equal(snippetFor("go", "python").platform, "go");
  assert.equal(snippetFor(null, "python-django").platform, "python");
  assert.equal(snippetFor("cobol", "other").platform, "javascript");
});

Deno.test("platforms as SDKs name them open on the snippet of their family", () => {
  const families: Readonly<Record<string, readonly string[]>> = {
    javascript: ["javascript", "javascript-react", "javascript-vue", "javascript-angular"],
    node: ["node", "node-express", "nestjs", "node-nestjs", "javascript-nextjs", "deno", "bun"],
    python: ["python", "django", "python-django", "python-fastapi", "flask"],
    php: ["php", "laravel", "php-laravel", "php-symfony"],
    go: ["go", "go-gin"],
    java: ["java", "java-spring-boot", "kotlin", "java-logback"],
    ruby: ["ruby", "ruby-rails", "rails"],
    dotnet: ["dotnet", "csharp", "dotnet-aspnetcore"],
    rust: ["rust", "rust-actix"],
    sites: ["sites", "tilda", "shopify"],
  };
  for (const [family, ids] of Object.entries(families)) {
    for (const id of ids) {
      assert.equal(snippetFor(null, id).platform, family, id);
      assert.equal(snippetFor(id, "other").platform, family, id);
    }
  }
  assert.equal(snippetFor("metrics", "rust").platform, "metrics");
  assert.equal(snippetFor("constructor", "ruby").platform, "ruby");
});
