import { App } from "fresh";
import type { VNode } from "preact";

/** The HTML that Fresh makes of a component, without a build and without a port. */
export async function rendered(node: VNode): Promise<string> {
  const handle = new App().get("/", (ctx) => ctx.render(node)).handler();
  const response = await handle(new Request("http://localhost/"));
  if (!response.ok) throw new Error(`Cannot render: ${await response.text()}`);
  return await response.text();
}

/** Bytes of a text as gzip sends it. */
export async function gzipSize(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}
