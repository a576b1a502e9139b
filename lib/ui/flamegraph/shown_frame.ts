/** What a function is called and where it stands, as people are shown it. */
export interface ShownFrame {
  readonly name: string;
  readonly file: string;
  /** 0 when unknown. */
  readonly line: number;
}

/** `price_of (main.py:6)`, as py-spy writes frames of collapsed stacks; without `:6` under `--function`. */
const PY_SPY = /^(.{1,500}) \(([^()]{1,500}\.py|<[^()<>]{1,100}>)(?::(\d{1,9}))?\)$/;
/** `./main.cjs:priceOf:13`, as `@pyroscope/nodejs` names functions. */
const PYROSCOPE_NODE = /^([^:]{1,500}\.[cm]?[jt]sx?|node:[\w/.-]{1,100}):([^:]{0,500}):(\d{1,9})$/;

/** Takes apart names into which agents have put the file and the line; others stay as they are. */
export function shownFrame(frame: ShownFrame): ShownFrame {
  const { name, file, line } = frame;
  // Boxes ask with every picture, and hardly any name ends like these.
  if (file === "" && name.endsWith(")")) {
    const [, bare, path, at] = PY_SPY.exec(name) ?? [];
    return bare === undefined || path === undefined
      ? frame
      : { name: bare, file: path, line: Number(at ?? 0) };
  }
  if (!/\d$/.test(name) || !name.includes(":")) return frame;
  const [, path, bare, at] = PYROSCOPE_NODE.exec(name) ?? [];
  if (path === undefined) return frame;
  const isItsFile = file === "" || file.endsWith(path.replace(/^\.{0,2}\//, ""));
  if (!isItsFile) return frame;
  return { name: bare || "(anonymous)", file: file || path, line: line || Number(at) };
}
