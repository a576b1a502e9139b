/** Profiles on their way, as the Setup page tells users to send them. */
import type { ListeningApp } from "../../support/listening_app.ts";
import { publicKeyOf } from "../clients/otel_env.ts";

/** What an upload is answered with. */
export interface Answer {
  readonly id: string;
  readonly sample_types: readonly { readonly type: string; readonly unit: string }[];
  readonly samples: number;
  readonly duration_ms: number;
}

/** Fetches an address. @throws {Error} for any status but 200 */
export function curlGet(url: string): Promise<Uint8Array<ArrayBuffer>> {
  return curl(["--fail-with-body", url]);
}

/**
 * Uploads a profile.
 *
 * @param parameters of the address, such as `service`
 * @throws {Error} for any status but 200
 */
export async function curlUpload(
  { url, serverDsn }: Pick<ListeningApp, "url" | "serverDsn">,
  profile: Uint8Array,
  parameters: Readonly<Record<string, string>>,
): Promise<Answer> {
  const answer = await curl([
    "--fail-with-body",
    ...["--data-binary", "@-", "-H", `Authorization: Bearer ${publicKeyOf(serverDsn)}`],
    ...["-H", "Content-Type: application/octet-stream"],
    `${url}/api/v1/profiles/pprof?${new URLSearchParams(parameters)}`,
  ], profile);
  return JSON.parse(new TextDecoder().decode(answer));
}

async function curl(
  args: readonly string[],
  input: Uint8Array = new Uint8Array(),
): Promise<Uint8Array<ArrayBuffer>> {
  const process = new Deno.Command("curl", {
    args: ["-sS", ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = process.stdin.getWriter();
  await writer.write(input);
  await writer.close();
  const { success, stdout, stderr } = await process.output();
  if (success) return stdout;
  const decoder = new TextDecoder();
  throw new Error(`curl ${args.join(" ")}: ${decoder.decode(stderr)}${decoder.decode(stdout)}`);
}
