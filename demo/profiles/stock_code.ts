/** Where the Go stock service spends its time and its memory. */
import { type Call, call, stacksOf, type WeightedStack } from "./upload.ts";

const GO = "/usr/local/go/src";
const STOCK = "/src/stock/internal";
const PGX = "/go/pkg/mod/github.com/jackc/pgx/v5@v5.9.2";

/** Since then a regular expression is compiled for each item. */
export const REGRESSED = "stock@0.9.1";

/** What the process does on its processors. Routes are told apart by a label of their samples. */
export function cpuStacks(route: string, release: string): readonly WeightedStack[] {
  const handler = HANDLERS[route] ?? reserve;
  return stacksOf([served(handler(release))]);
}

/** What it does beside requests. */
export const BACKGROUND: readonly WeightedStack[] = stacksOf([
  call(
    "runtime.gcBgMarkWorker",
    `${GO}/runtime/mgc.go`,
    1502,
    0,
    call(
      "runtime.systemstack",
      `${GO}/runtime/asm_amd64.s`,
      514,
      0,
      call(
        "runtime.gcDrain",
        `${GO}/runtime/mgcmark.go`,
        1188,
        5,
        call("runtime.scanobject", `${GO}/runtime/mgcmark.go`, 1402, 9),
        call("runtime.greyobject", `${GO}/runtime/mgcmark.go`, 1567, 3),
      ),
    ),
  ),
  call(
    "runtime.mcall",
    `${GO}/runtime/asm_amd64.s`,
    459,
    0,
    call(
      "runtime.schedule",
      `${GO}/runtime/proc.go`,
      4090,
      2,
      call(
        "runtime.findRunnable",
        `${GO}/runtime/proc.go`,
        3404,
        4,
        call("runtime.futex", `${GO}/runtime/sys_linux_amd64.s`, 558, 6),
      ),
    ),
  ),
]);

type Handler = (release: string) => Call;

const reserve: Handler = (release) =>
  call(
    "example.com/stock/internal/server.(*Server).Reserve",
    `${STOCK}/server/reserve.go`,
    71,
    3,
    normalize(release, 1),
    query("example.com/stock/internal/store.(*Store).Reserve", `${STOCK}/store/reserve.go`, 38, 1),
    encodeJson(),
  );

const list: Handler = (release) =>
  call(
    "example.com/stock/internal/server.(*Server).List",
    `${STOCK}/server/list.go`,
    44,
    4,
    normalize(release, 2),
    query("example.com/stock/internal/store.(*Store).List", `${STOCK}/store/list.go`, 29, 3),
    call(
      "example.com/stock/internal/rank.ByDemand",
      `${STOCK}/rank/demand.go`,
      17,
      5,
      call(
        "slices.SortFunc[go.shape.[]example.com/stock/internal/store.Item]",
        `${GO}/slices/sort.go`,
        29,
        0,
        call(
          "slices.pdqsortCmpFunc[go.shape.struct]",
          `${GO}/slices/zsortanyfunc.go`,
          61,
          14,
          call("example.com/stock/internal/rank.ByDemand.func1", `${STOCK}/rank/demand.go`, 19, 11),
        ),
      ),
    ),
    encodeJson(),
  );

const HANDLERS: Readonly<Record<string, Handler>> = { "/reserve": reserve, "/items": list };

export const ROUTES = Object.keys(HANDLERS);

function served(handler: Call): Call {
  return call(
    "net/http.(*conn).serve",
    `${GO}/net/http/server.go`,
    2067,
    1,
    call(
      "net/http.(*conn).readRequest",
      `${GO}/net/http/server.go`,
      1079,
      1,
      call("net/textproto.(*Reader).ReadMIMEHeader", `${GO}/net/textproto/reader.go`, 501, 3),
    ),
    call(
      "net/http.serverHandler.ServeHTTP",
      `${GO}/net/http/server.go`,
      3311,
      0,
      call(
        "net/http.(*ServeMux).ServeHTTP",
        `${GO}/net/http/server.go`,
        2828,
        1,
        call("net/http.HandlerFunc.ServeHTTP", `${GO}/net/http/server.go`, 2286, 0, handler),
      ),
    ),
    call(
      "net/http.(*response).finishRequest",
      `${GO}/net/http/server.go`,
      1742,
      0,
      call(
        "bufio.(*Writer).Flush",
        `${GO}/bufio/bufio.go`,
        639,
        0,
        call(
          "syscall.write",
          `${GO}/syscall/zsyscall_linux_amd64.go`,
          964,
          0,
          call(
            "internal/runtime/syscall.Syscall6",
            `${GO}/internal/runtime/syscall/asm_linux_amd64.s`,
            36,
            9,
          ),
        ),
      ),
    ),
  );
}

function normalize(release: string, times: number): Call {
  const name = "example.com/stock/internal/sku.Normalize";
  const match = call(
    "regexp.(*Regexp).ReplaceAllString",
    `${GO}/regexp/regexp.go`,
    572,
    1,
    call("regexp.(*Regexp).doOnePass", `${GO}/regexp/exec.go`, 400, 3 * times),
  );
  if (release !== REGRESSED) return call(name, `${STOCK}/sku/normalize.go`, 24, 1, match);
  return call(
    name,
    `${STOCK}/sku/normalize.go`,
    31,
    1,
    match,
    call(
      "regexp.MustCompile",
      `${GO}/regexp/regexp.go`,
      313,
      0,
      call(
        "regexp.compile",
        `${GO}/regexp/regexp.go`,
        168,
        2 * times,
        call(
          "regexp/syntax.Parse",
          `${GO}/regexp/syntax/parse.go`,
          888,
          5 * times,
          call("regexp/syntax.(*parser).push", `${GO}/regexp/syntax/parse.go`, 341, 3 * times),
        ),
        call(
          "regexp/syntax.Compile",
          `${GO}/regexp/syntax/prog.go`,
          0,
          0,
          call("runtime.mallocgc", `${GO}/runtime/malloc.go`, 1055, 6 * times),
        ),
        call("regexp.compileOnePass", `${GO}/regexp/onepass.go`, 460, 4 * times),
      ),
    ),
  );
}

function query(name: string, file: string, line: number, rows: number): Call {
  return call(
    name,
    file,
    line,
    1,
    call(
      "github.com/jackc/pgx/v5.(*Conn).Query",
      `${PGX}/conn.go`,
      742,
      2,
      call(
        "github.com/jackc/pgx/v5/pgconn.(*ResultReader).Read",
        `${PGX}/pgconn/pgconn.go`,
        1509,
        2 * rows,
        call(
          "internal/runtime/syscall.Syscall6",
          `${GO}/internal/runtime/syscall/asm_linux_amd64.s`,
          36,
          6,
        ),
      ),
    ),
    call(
      "github.com/jackc/pgx/v5.CollectRows[go.shape.struct]",
      `${PGX}/rows.go`,
      449,
      rows,
      call("github.com/jackc/pgx/v5/pgtype.(*Map).Scan", `${PGX}/pgtype/pgtype.go`, 1218, 4 * rows),
      call("runtime.growslice", `${GO}/runtime/slice.go`, 178, 2 * rows),
    ),
  );
}

function encodeJson(): Call {
  return call(
    "encoding/json.(*Encoder).Encode",
    `${GO}/encoding/json/stream.go`,
    209,
    1,
    call(
      "encoding/json.structEncoder.encode",
      `${GO}/encoding/json/encode.go`,
      706,
      5,
      call("encoding/json.appendString[go.shape.string]", `${GO}/encoding/json/encode.go`, 983, 6),
    ),
  );
}
