import assert from "node:assert/strict";
import { checkSettings, stepsBetween } from "@/lib/server/doctor/settings.ts";

function meanings(env: Record<string, string>, level: string): string[] {
  return checkSettings(env).findings.filter((each) => each.level === level)
    .map(({ meaning, remedy }) => `${meaning} ${remedy ?? ""}`.trim());
}

const GOOD = { SERVICE_BASE_URL: "https://watch.example.com", SERVICE_TRUST_PROXY: "true" };

Deno.test("settings that go together have nothing to be said against", () => {
  const { findings, config } = checkSettings(GOOD);
  assert.deepEqual(findings.map(({ level }) => level), ["ok"]);
  assert.equal(config?.baseUrl, GOOD.SERVICE_BASE_URL);
});

Deno.test("a name that is no setting is told with the likely one", () => {
  const unknown = meanings({
    ...GOOD,
    SERVICE_RETENTION_DAY: "30",
    SERVICE_PUBLIC_URL: "https://example.com",
    DATABASE_URI: "postgres://db/watchpost",
    SERVICE_NOTHING_LIKE_IT_AT_ALL: "1",
    // Those of others are theirs.
    LOG_LEVEL: "debug",
    HOSTNAME: "box",
    DENO_DIR: "/deno",
  }, "warning");
  assert.deepEqual(unknown, [
    "DATABASE_URI is no setting of Watchpost: it changes nothing. Call it DATABASE_URL, if that is what you meant.",
    "SERVICE_NOTHING_LIKE_IT_AT_ALL is no setting of Watchpost: it changes nothing. Take it away, or look for the right name in docs/settings.md.",
    "SERVICE_PUBLIC_URL is no setting of Watchpost: it changes nothing. Call it SERVICE_BASE_URL, if that is what you meant.",
    "SERVICE_RETENTION_DAY is no setting of Watchpost: it changes nothing. Call it SERVICE_RETENTION_DAYS, if that is what you meant.",
  ]);
});

Deno.test("all wrong values are told at once, and never a password", () => {
  const env = {
    ...GOOD,
    PORT: "eighty",
    LOG_FORMAT: "xml",
    DATABASE_URL: "mysql://u:hunter2@db/x",
  };
  const { config } = checkSettings(env);
  const problems = meanings(env, "problem").join("\n");
  assert.equal(config, null);
  for (const name of ["PORT is eighty", "LOG_FORMAT is xml", "DATABASE_URL is mysql:"]) {
    assert.ok(problems.includes(name), problems);
  }
  assert.doesNotMatch(problems, /hunter2/);
});

Deno.test("settings that are right by themselves and not together are told", () => {
  const cases: [env: Record<string, string>, expected: RegExp][] = [
    [{}, /^DSNs and links name http:\/\/localhost:8000/],
    [{ ...GOOD, SERVICE_TRUST_PROXY: "" }, /SERVICE_TRUST_PROXY is not set/],
    [{ ...GOOD, SERVICE_ISOLATES: "4" }, /single thread/],
    [{ ...GOOD, SMTP_PASSWORD: "secret" }, /^SMTP_PASSWORD changes nothing while SMTP_HOST/],
    [
      {
        ...GOOD,
        SMTP_HOST: "mail.example.com",
        SMTP_FROM: "a@example.com",
        SMTP_USERNAME: "a",
        SMTP_PASSWORD: "b",
        SMTP_SECURITY: "none",
      },
      /in the clear, because SMTP_SECURITY is none/,
    ],
  ];
  for (const [env, expected] of cases) {
    const found = meanings(env, "warning");
    assert.equal(found.length, 1, found.join("\n"));
    assert.match(found[0] ?? "", expected);
  }
  const tls = { ...GOOD, TLS_CERT: "/nowhere/cert.pem", TLS_KEY: "/nowhere/key.pem" };
  assert.match(meanings(tls, "problem").join(), /cert\.pem \(TLS_CERT\) cannot be read/);
  const token = "one-token-for-all-0123";
  const [same] = meanings(
    { ...GOOD, SERVICE_ADMIN_TOKEN: token, SERVICE_METRICS_TOKEN: token },
    "problem",
  );
  assert.match(same ?? "", /may do everything/);
  assert.doesNotMatch(same ?? "", new RegExp(token));
});

Deno.test("a typo is a letter changed, put in, left out or exchanged with its neighbour", () => {
  assert.equal(stepsBetween("PORT", "PORT"), 0);
  assert.equal(stepsBetween("PROT", "PORT"), 1);
  assert.equal(stepsBetween("PORTS", "PORT"), 1);
  assert.equal(stepsBetween("PIRT", "PORT"), 1);
  assert.equal(stepsBetween("", "PORT"), 4);
});
