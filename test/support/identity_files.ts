/** Certificate and key in files, as an operator has them. */
import { join } from "node:path";
import type { Identity } from "./test_authority.ts";

export interface IdentityFiles extends AsyncDisposable {
  readonly certFile: string;
  readonly keyFile: string;
  /** Writes others into the same files. */
  write(identity: Identity): Promise<void>;
}

/** Writes both into a folder of their own, which goes with them. */
export async function identityFiles(identity: Identity): Promise<IdentityFiles> {
  const folder = await Deno.makeTempDir();
  const certFile = join(folder, "cert.pem");
  const keyFile = join(folder, "key.pem");
  const write = async ({ cert, key }: Identity) => {
    await Deno.writeTextFile(certFile, cert);
    await Deno.writeTextFile(keyFile, key);
  };
  await write(identity);
  return {
    certFile,
    keyFile,
    write,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
