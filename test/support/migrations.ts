/** Names the migrations as they are now: what was made of another state of them is not used again. */
export async function hashOfMigrations(): Promise<string> {
  const dir = new URL("../../lib/store/migrations/", import.meta.url);
  const names = [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
  const texts = await Promise.all(names.map((name) => Deno.readTextFile(new URL(name, dir))));
  const bytes = new TextEncoder().encode(texts.join("\0"));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, 16);
}
