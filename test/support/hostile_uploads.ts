/** Forms with files as no browser and no tool sends them. */
export interface Upload {
  readonly what: string;
  /** `Content-Type` */
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

const TYPE = "multipart/form-data; boundary=b";
const CONTENT = "PK\x03\x04 is no archive";
const encoder = new TextEncoder();

/** Names of files: paths, what no store takes, what looks like the form's own. */
const NAMES: readonly (readonly [what: string, name: string])[] = [
  ["a path", "../../../etc/passwd"],
  ["a path of Windows", "C:\\windows\\system32\\x.zip"],
  ["NUL", "a\0b.zip"],
  ["nothing", ""],
  ["a name of 200 kB", "x".repeat(200_000)],
  ["a name of 15 kB", "x".repeat(15_000)],
  ["half a character", "a\ufffdb"],
  ["a line break", "a%0D%0Acontent-type: text/html"],
  ["what every object has", "__proto__"],
];

/** @param field that the address knows */
export function* hostileUploads(field: string): Iterable<Upload> {
  const head = (name: string, file?: string) =>
    `Content-Disposition: form-data; name="${name}"${
      file === undefined ? "" : `; filename="${file}"`
    }`;
  const part = (head: string, content = CONTENT) => `--b\r\n${head}\r\n\r\n${content}\r\n`;
  const upload = (what: string, body: string, type = TYPE): Upload => (
    { what, type, body: encoder.encode(body) }
  );
  const good = part(head(field, "a.zip"));
  const end = "--b--\r\n";
  yield upload("no boundary", good + end, "multipart/form-data");
  yield upload("an empty boundary", good + end, "multipart/form-data; boundary=");
  yield upload("another boundary", good + end, "multipart/form-data; boundary=c");
  yield upload("two boundaries", good + end, `${TYPE}; boundary=c`);
  yield upload("a long boundary", good + end, `multipart/form-data; boundary=${"b".repeat(5_000)}`);
  yield upload("a boundary of another kind", good + end, 'multipart/form-data; boundary="\\"b"');
  yield upload("a plain form", "file=1&".repeat(100_000), "application/x-www-form-urlencoded");
  yield upload("another type", "{}", "application/json");
  yield upload("nothing", "");
  yield upload("no form", "x".repeat(1_000));
  yield upload("no part", end);
  yield upload("a form without an end", good);
  yield upload("half a part", good.slice(0, 40));
  yield upload("bare line ends", (good + end).replaceAll("\r", ""));
  yield upload("a part without headers", part("") + end);
  yield upload("a part without a name", part("Content-Disposition: form-data") + end);
  yield upload("a part of 20,000 headers", part(headers(head(field, "a.zip"))) + end);
  yield upload("another part", part(head("other", "a.zip")) + end);
  yield upload("a text", part(head(field)) + end);
  yield upload("an empty file", part(head(field, "a.zip"), "") + end);
  yield upload("the same part twice", good + good + end);
  yield upload("the same part 100,000 times", part(head(field, "a"), "").repeat(100_000) + end);
  yield upload("100,000 others", part(head("a"), "").repeat(100_000) + end);
  for (const [what, name] of NAMES) {
    yield upload(`a file called ${what}`, part(head(field, name)) + end);
    yield upload(`a part called ${what}`, part(head(name, "a.zip")) + end);
  }
  const bytes = encoder.encode(good + end);
  yield {
    what: "names of no UTF-8",
    type: TYPE,
    body: bytes.map((byte) => byte === 0x61 ? 0xff : byte),
  };
}

function headers(first: string): string {
  return [first, ...Array.from({ length: 20_000 }, (_, i) => `h${i}: 1`)].join("\r\n");
}
