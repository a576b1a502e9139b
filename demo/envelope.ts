/** What SDKs post: a header, and items of a header and a payload each. */
export interface Envelope {
  readonly header: Readonly<Record<string, unknown>>;
  readonly items: readonly Item[];
}

export interface Item {
  readonly header: Readonly<Record<string, unknown>>;
  /** JSON, or text as it is. */
  readonly payload: unknown;
}

/** The envelope as it goes over the wire. */
export function serialize({ header, items }: Envelope): string {
  const lines = [JSON.stringify({ ...header, sent_at: new Date().toISOString() })];
  for (const item of items) {
    const text = typeof item.payload === "string" ? item.payload : JSON.stringify(item.payload);
    const length = new TextEncoder().encode(text).length;
    lines.push(JSON.stringify({ ...item.header, length }), text);
  }
  return lines.join("\n");
}
