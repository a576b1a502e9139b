import assert from "node:assert/strict";
import { readIdentity, tellValidity } from "@/lib/server/certificate.ts";
import { identityFiles } from "@/test/support/identity_files.ts";
import { logLines } from "@/test/support/log_lines.ts";
import { hasOpenssl, type Identity, testAuthority } from "@/test/support/test_authority.ts";

const ignore = !hasOpenssl();

Deno.test(
  "a certificate with its key is read, and without settings there is none",
  { ignore },
  async () => {
    const { good } = await testAuthority();
    await using files = await identityFiles(good);
    assert.deepEqual(readIdentity({ tls: files }), good);
    assert.equal(readIdentity({ tls: null }), null);
  },
);

Deno.test("files that nobody can be served with are refused in one sentence that names them", {
  ignore,
}, async () => {
  const { good, chain } = await testAuthority();
  const refused = async (identity: Identity, message: RegExp) => {
    await using files = await identityFiles(identity);
    assert.throws(() => readIdentity({ tls: files }), { name: "ConfigError", message });
  };
  await refused({ cert: "x", key: good.key }, /cert\.pem \(TLS_CERT\) has no certificate in PEM/);
  await refused({ cert: good.cert, key: "x" }, /key\.pem \(TLS_KEY\) has no private key in PEM/);
  await refused(
    { cert: good.cert, key: "-----BEGIN ENCRYPTED PRIVATE KEY-----" },
    /key\.pem \(TLS_KEY\) has a key with a passphrase; store it without one/,
  );
  await refused({ cert: good.cert, key: chain.key }, /\(TLS_KEY\) cannot be used together: /);
  await refused(
    { cert: "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n", key: good.key },
    /\(TLS_KEY\) cannot be used together: /,
  );
  assert.throws(() => readIdentity({ tls: { certFile: "/none/cert.pem", keyFile: "k" } }), {
    message: "Cannot start: /none/cert.pem (TLS_CERT) cannot be read: there is no such file",
  });
});

Deno.test("the log tells until when the certificate holds, and warns before its end and after", {
  ignore,
}, async () => {
  const { good } = await testAuthority();
  const told = (at: Date) => {
    const { log, lines } = logLines();
    tellValidity(good, log, at);
    return lines.map(({ level, message }) => `${level}: ${message}`);
  };
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
  assert.deepEqual(told(inDays(1)), ["info: TLS certificate"]);
  assert.deepEqual(told(inDays(15)), ["warn: the TLS certificate ends soon"]);
  assert.deepEqual(told(inDays(21)), ["warn: the TLS certificate has ended: clients refuse it"]);
  assert.deepEqual(told(inDays(-1)), ["warn: the TLS certificate is not valid yet"]);
});
