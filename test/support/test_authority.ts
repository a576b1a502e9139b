/** An authority of our own, with certificates that are as they should be, and such that are not. */

export interface Identity {
  /** PEM, the leaf first. */
  readonly cert: string;
  readonly key: string;
}

export interface TestAuthority {
  /** PEM of its root. */
  readonly ca: string;
  /** For `good.test` and 127.0.0.1, signed by the root, for 20 days. */
  readonly good: Identity;
  /** For `chain.test`, for 90 days, with an intermediate that ends after 9. */
  readonly chain: Identity;
  /** As `chain`, without the intermediate. */
  readonly missing: Identity;
  /** For `good.test`, ended on 2025-02-01. */
  readonly expired: Identity;
  /** For `good.test`, by nobody. */
  readonly selfSigned: Identity;
}

const SCRIPT = `
set -e
key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
openssl req -x509 $key -days 30 -subj "/CN=Test Root" -keyout ca.key -out ca.pem
ask() { openssl req $key -subj "/CN=$2" -addext "subjectAltName=DNS:$2,IP:127.0.0.1" -keyout "$1.key" -out "$1.csr"; }
ask good good.test
openssl x509 -req -in good.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 20 -copy_extensions copyall -out good.pem
openssl req $key -subj "/CN=Test Intermediate" -keyout inter.key -out inter.csr
printf 'basicConstraints=critical,CA:TRUE\\nkeyUsage=keyCertSign\\n' > inter.ext
openssl x509 -req -in inter.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 9 -extfile inter.ext -out inter.pem
ask missing chain.test
openssl x509 -req -in missing.csr -CA inter.pem -CAkey inter.key -CAcreateserial -days 90 -copy_extensions copyall -out missing.pem
cat missing.pem inter.pem > chain.pem; cp missing.key chain.key
ask expired good.test
touch index; echo 01 > serial
printf '[ca]\\ndefault_ca=x\\n[x]\\ndatabase=index\\nserial=serial\\nnew_certs_dir=.\\ncertificate=ca.pem\\nprivate_key=ca.key\\ndefault_md=sha256\\npolicy=p\\ncopy_extensions=copyall\\n[p]\\ncommonName=supplied\\n' > ca.cnf
openssl ca -batch -config ca.cnf -startdate 20250101000000Z -enddate 20250201000000Z -in expired.csr -out expired.pem -notext
openssl req -x509 $key -days 30 -subj "/CN=good.test" -addext "subjectAltName=DNS:good.test" -keyout selfSigned.key -out selfSigned.pem
`;

/** Makes one with the system's `openssl`. */
export async function testAuthority(): Promise<TestAuthority> {
  const dir = await Deno.makeTempDir();
  try {
    const { success, stderr } = await new Deno.Command("bash", {
      args: ["-c", SCRIPT],
      cwd: dir,
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const read = (name: string) => Deno.readTextFileSync(`${dir}/${name}`);
    const identity = (name: string) => ({ cert: read(`${name}.pem`), key: read(`${name}.key`) });
    return {
      ca: read("ca.pem"),
      good: identity("good"),
      chain: identity("chain"),
      missing: identity("missing"),
      expired: identity("expired"),
      selfSigned: identity("selfSigned"),
    };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Whether this system can make one: tests that need it are skipped and named where it cannot. */
export function hasOpenssl(): boolean {
  try {
    return new Deno.Command("openssl", { args: ["version"], stdout: "null" }).outputSync().success;
  } catch {
    return false;
  }
}
