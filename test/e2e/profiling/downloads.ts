/** Exports as somebody downloads them from the pages. */
import assert from "node:assert/strict";
import type { ListeningApp } from "../../support/listening_app.ts";

export type App = Pick<ListeningApp, "url" | "owner" | "projectId">;

/** What is stored of a profile, as its page gives it away. */
export function storedBytes(app: App, profileId: string): Promise<Uint8Array> {
  return download(app, `/${profileId}/export`, { format: "stored" });
}

/**
 * Downloads a file as the owner.
 *
 * @param path below the section on profiles, as `/export`
 * @throws {AssertionError} for any status but 200
 */
export async function download(
  { url, owner, projectId }: App,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<Uint8Array> {
  const address = `${url}/projects/${projectId}/profiling${path}?${new URLSearchParams(query)}`;
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const response = await fetch(address, { headers: { cookie, "sec-fetch-site": "same-origin" } });
  const bytes = await response.bytes();
  assert.equal(
    response.status,
    200,
    `${address}: ${new TextDecoder().decode(bytes.slice(0, 400))}`,
  );
  return bytes;
}
