/** Names the migrations as they are now: what was made of another state of them is not used again. */
export async function hashOfMigrations(): Promise<string> {
  const dir = new URL("../../lib/store/migrations/", import.meta.url);
  const texts = await Promise.all(filesBelow(dir).map((file) => Deno.readTextFile(file)));
  const bytes = new TextEncoder().encode(texts.join("\0"));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, 16);
}

function filesBelow(dir: URL): URL[] {
  const entries = [...Deno.readDirSync(dir)].sort((a, b) => a.name < b.name ? -1 : 1);
  return entries.flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(new URL(`${name}/`, dir)) : [new URL(name, dir)]
  );
}
