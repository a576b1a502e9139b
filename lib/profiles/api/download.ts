/** What a file is called after. */
export interface FileFacts {
  /** May be `""`. */
  readonly service: string;
  /** As `cpu:nanoseconds`. */
  readonly type: string;
  readonly time: Date;
  /** Without its dot. */
  readonly ending: string;
}

/** What is in files comes from anybody: opened all the same, it shall run nothing, and not be taken for something else. */
const SAFETY = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "cache-control": "private, no-cache",
} as const;

/** A file to be saved, as `checkout-cpu-20261120T101500Z.pb.gz`. */
export function download(
  body: Uint8Array | string,
  contentType: string,
  facts: FileFacts,
): Response {
  const bytes = typeof body === "string" ? body : new Uint8Array(body);
  return new Response(bytes, {
    headers: {
      ...SAFETY,
      "content-type": contentType,
      "content-disposition": `attachment; filename="${fileName(facts)}"`,
    },
  });
}

function fileName({ service, type, time, ending }: FileFacts): string {
  const seconds = time.toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "");
  const [name = ""] = type.split(":");
  const parts = [plain(service) || "profile", plain(name) || "values", seconds];
  return `${parts.join("-")}.${ending}`;
}

/** What all systems allow in names, and no header needs quotes for. */
function plain(text: string): string {
  return text.replaceAll(/[^\w.]+/g, "-").replaceAll(/^[-.]+|[-.]+$/g, "").slice(0, 80);
}
