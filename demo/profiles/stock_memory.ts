/** What the Go stock service allocates, and what it keeps of it. */
import { call, stacksOf, type WeightedStack } from "./calls.ts";
import { REGRESSED } from "./stock_code.ts";

const GO = "/usr/local/go/src";
const STOCK = "/src/stock/internal";

/** Places that allocate, with the size of their objects and the share that stays. */
export interface Allocations {
  readonly stack: WeightedStack;
  readonly bytes: number;
  /** Of what was allocated in the last minutes. */
  readonly kept: number;
}

/** Sizes and shares by the innermost function. */
const SIZES: Readonly<Record<string, { readonly bytes: number; readonly kept: number }>> = {
  "bufio.NewReaderSize": { bytes: 4_096, kept: 0.2 },
  "example.com/stock/internal/store.scanItem": { bytes: 256, kept: 0.02 },
  "example.com/stock/internal/cache.(*Cache).Put": { bytes: 640, kept: 0.9 },
  "encoding/json.appendString[go.shape.string]": { bytes: 128, kept: 0 },
  "regexp/syntax.(*parser).push": { bytes: 96, kept: 0 },
  "regexp.compileOnePass": { bytes: 1_024, kept: 0.001 },
};

/** All places of a release that allocate. */
export function allocationsOf(release: string): readonly Allocations[] {
  return stacksOf([
    call(
      "net/http.(*conn).serve",
      `${GO}/net/http/server.go`,
      2067,
      0,
      call(
        "net/http.newBufioReader",
        `${GO}/net/http/server.go`,
        851,
        0,
        call("bufio.NewReaderSize", `${GO}/bufio/bufio.go`, 57, 3),
      ),
      call(
        "example.com/stock/internal/server.(*Server).List",
        `${STOCK}/server/list.go`,
        44,
        0,
        call(
          "example.com/stock/internal/store.(*Store).List",
          `${STOCK}/store/list.go`,
          29,
          0,
          call("example.com/stock/internal/store.scanItem", `${STOCK}/store/scan.go`, 12, 40),
          call("example.com/stock/internal/cache.(*Cache).Put", `${STOCK}/cache/cache.go`, 58, 6),
        ),
        call(
          "encoding/json.(*Encoder).Encode",
          `${GO}/encoding/json/stream.go`,
          209,
          0,
          call(
            "encoding/json.appendString[go.shape.string]",
            `${GO}/encoding/json/encode.go`,
            983,
            20,
          ),
        ),
        ...(release === REGRESSED
          ? [
            call(
              "example.com/stock/internal/sku.Normalize",
              `${STOCK}/sku/normalize.go`,
              31,
              0,
              call(
                "regexp.MustCompile",
                `${GO}/regexp/regexp.go`,
                313,
                0,
                call("regexp/syntax.(*parser).push", `${GO}/regexp/syntax/parse.go`, 341, 70),
                call("regexp.compileOnePass", `${GO}/regexp/onepass.go`, 460, 25),
              ),
            ),
          ]
          : []),
      ),
    ),
  ]).map((stack) => ({ stack, ...(SIZES[stack.frames.at(-1)?.name ?? ""] ?? SMALL) }));
}

const SMALL = { bytes: 64, kept: 0.01 };
