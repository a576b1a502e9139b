/** Where the shop's programs spend their time and memory. */
import { program } from "./code.ts";

/**
 * The storefront, Node. Its newest release no longer finds prices in the cache, and sorts their history for every cart.
 */
export const storefrontCode = program(
  `
serve:
  1 processTicksAndRejections @ node:internal/process/task_queues:85
    1 handle @ MODULES/router/lib/layer.js:152
      2 session @ APP/middleware/session.ts:18
        5 verify @ MODULES/jsonwebtoken/verify.js:71
      +route
      1 json @ MODULES/express/lib/response.js:249
        9 stringify @ MODULES/express/lib/response.js:1020
GET /api/products:
  3 listProducts @ APP/products/list.ts:22
    +cache 4
    8 toCards @ APP/products/cards.ts:14
      6 formatPrice @ APP/prices/format.ts:7
GET /api/products/:id:
  2 showProduct @ APP/products/show.ts:31
    +query 3
    3 loadReviews @ APP/reviews/load.ts:26
      +query 9
      2 renderMarkdown @ APP/reviews/markdown.ts:12
        14 parse @ MODULES/marked/lib/marked.esm.js:2401
GET /api/search:
  2 search @ APP/search/search.ts:19
    +query 4
    12 highlight @ APP/search/highlight.ts:11
GET /api/cart:
  2 showCart @ APP/cart/show.ts:21
    +cache 3
    1 currentPrices @ APP/prices/current.ts:15
      +cache 2
GET /api/cart storefront@5.3.0:
  2 showCart @ APP/cart/show.ts:21
    +cache 3
    4 currentPrices @ APP/prices/history.ts:40
      +query 22
      9 sortByValidity @ APP/prices/history.ts:58
        44 parseISO @ MODULES/date-fns/parseISO.js:39
POST /api/cart:
  2 addToCart @ APP/cart/add.ts:28
    +query 4
    +cache 2
POST /api/checkout:
  2 placeOrder @ APP/checkout/place.ts:77
    1 validate @ APP/checkout/schema.ts:9
      8 parse @ MODULES/zod/v4/core/parse.js:11
    4 fetch @ node:internal/deps/undici/undici:13512
cache:
  1 get @ APP/cache/redis.ts:33
    1* sendCommand @ MODULES/ioredis/built/Redis.js:354
query:
  2 query @ MODULES/pg/lib/client.js:545
    1 handleDataRow @ MODULES/pg/lib/query.js:94
      1* parseRow @ MODULES/pg/lib/result.js:55
beside:
  60 (idle)
  0 Node.js
    7 Garbage Collection
    5 Non JS threads activity
`,
  { APP: "/app/src", MODULES: "/app/node_modules" },
);

/** The stock service, Go. Its newest release compiles a regular expression for each item. */
export const stockCode = program(
  `
serve:
  1 net/http.(*conn).serve @ GO/net/http/server.go:2067
    1 net/http.(*conn).readRequest @ GO/net/http/server.go:1079
      3 net/textproto.(*Reader).ReadMIMEHeader @ GO/net/textproto/reader.go:501
    0 net/http.serverHandler.ServeHTTP @ GO/net/http/server.go:3311
      1 net/http.(*ServeMux).ServeHTTP @ GO/net/http/server.go:2828
        0 net/http.HandlerFunc.ServeHTTP @ GO/net/http/server.go:2286
          +route
    0 net/http.(*response).finishRequest @ GO/net/http/server.go:1742
      0 bufio.(*Writer).Flush @ GO/bufio/bufio.go:639
        0 syscall.write @ GO/syscall/zsyscall_linux_amd64.go:964
          9 internal/runtime/syscall.Syscall6 @ GO/internal/runtime/syscall/asm_linux_amd64.s:36
/reserve:
  3 example.com/stock/internal/server.(*Server).Reserve @ STOCK/server/reserve.go:71
    +normalize 1
    1 example.com/stock/internal/store.(*Store).Reserve @ STOCK/store/reserve.go:38
      +rows 1
    +json
/items:
  4 example.com/stock/internal/server.(*Server).List @ STOCK/server/list.go:44
    +normalize 2
    1 example.com/stock/internal/store.(*Store).List @ STOCK/store/list.go:29
      +rows 3
    5 example.com/stock/internal/rank.ByDemand @ STOCK/rank/demand.go:17
      0 slices.SortFunc[go.shape.[]example.com/stock/internal/store.Item] @ GO/slices/sort.go:29
        14 slices.pdqsortCmpFunc[go.shape.struct] @ GO/slices/zsortanyfunc.go:61
          11 example.com/stock/internal/rank.ByDemand.func1 @ STOCK/rank/demand.go:19
    +json
normalize:
  1 example.com/stock/internal/sku.Normalize @ STOCK/sku/normalize.go:24
    1 regexp.(*Regexp).ReplaceAllString @ GO/regexp/regexp.go:572
      3* regexp.(*Regexp).doOnePass @ GO/regexp/exec.go:400
normalize stock@0.9.1:
  1 example.com/stock/internal/sku.Normalize @ STOCK/sku/normalize.go:31
    1 regexp.(*Regexp).ReplaceAllString @ GO/regexp/regexp.go:572
      3* regexp.(*Regexp).doOnePass @ GO/regexp/exec.go:400
    0 regexp.MustCompile @ GO/regexp/regexp.go:313
      2* regexp.compile @ GO/regexp/regexp.go:168
        5* regexp/syntax.Parse @ GO/regexp/syntax/parse.go:888
          3* regexp/syntax.(*parser).push @ GO/regexp/syntax/parse.go:341
        0 regexp/syntax.Compile @ GO/regexp/syntax/prog.go:0
          6* runtime.mallocgc @ GO/runtime/malloc.go:1055
        4* regexp.compileOnePass @ GO/regexp/onepass.go:460
rows:
  2 github.com/jackc/pgx/v5.(*Conn).Query @ PGX/conn.go:742
    2* github.com/jackc/pgx/v5/pgconn.(*ResultReader).Read @ PGX/pgconn/pgconn.go:1509
      6 internal/runtime/syscall.Syscall6 @ GO/internal/runtime/syscall/asm_linux_amd64.s:36
  1* github.com/jackc/pgx/v5.CollectRows[go.shape.struct] @ PGX/rows.go:449
    4* github.com/jackc/pgx/v5/pgtype.(*Map).Scan @ PGX/pgtype/pgtype.go:1218
    2* runtime.growslice @ GO/runtime/slice.go:178
json:
  1 encoding/json.(*Encoder).Encode @ GO/encoding/json/stream.go:209
    5 encoding/json.structEncoder.encode @ GO/encoding/json/encode.go:706
      6 encoding/json.appendString[go.shape.string] @ GO/encoding/json/encode.go:983
beside:
  0 runtime.gcBgMarkWorker @ GO/runtime/mgc.go:1502
    0 runtime.systemstack @ GO/runtime/asm_amd64.s:514
      5 runtime.gcDrain @ GO/runtime/mgcmark.go:1188
        9 runtime.scanobject @ GO/runtime/mgcmark.go:1402
        3 runtime.greyobject @ GO/runtime/mgcmark.go:1567
  0 runtime.mcall @ GO/runtime/asm_amd64.s:459
    2 runtime.schedule @ GO/runtime/proc.go:4090
      4 runtime.findRunnable @ GO/runtime/proc.go:3404
        6 runtime.futex @ GO/runtime/sys_linux_amd64.s:558
allocate:
  0 net/http.(*conn).serve @ GO/net/http/server.go:2067
    0 net/http.newBufioReader @ GO/net/http/server.go:851
      3 bufio.NewReaderSize @ GO/bufio/bufio.go:57
    0 example.com/stock/internal/server.(*Server).List @ STOCK/server/list.go:44
      0 example.com/stock/internal/store.(*Store).List @ STOCK/store/list.go:29
        40 example.com/stock/internal/store.scanItem @ STOCK/store/scan.go:12
        6 example.com/stock/internal/cache.(*Cache).Put @ STOCK/cache/cache.go:58
      0 encoding/json.(*Encoder).Encode @ GO/encoding/json/stream.go:209
        20 encoding/json.appendString[go.shape.string] @ GO/encoding/json/encode.go:983
      +compile
compile:
compile stock@0.9.1:
  0 example.com/stock/internal/sku.Normalize @ STOCK/sku/normalize.go:31
    0 regexp.MustCompile @ GO/regexp/regexp.go:313
      70 regexp/syntax.(*parser).push @ GO/regexp/syntax/parse.go:341
      25 regexp.compileOnePass @ GO/regexp/onepass.go:460
`,
  {
    GO: "/usr/local/go/src",
    STOCK: "/src/stock/internal",
    PGX: "/go/pkg/mod/github.com/jackc/pgx/v5@v5.9.2",
  },
);

/** The payment service, Python: a block for each kind of work, at its beginning and later on. */
export const paymentsCode = program(
  `
serve:
  SyncWorker.handle_request @ SITE/gunicorn/workers/sync.py:184
    Flask.wsgi_app @ SITE/flask/app.py:1511
      Flask.full_dispatch_request @ SITE/flask/app.py:917
        Flask.dispatch_request @ SITE/flask/app.py:902
          create_charge @ /srv/payments/views.py:47
            +route
db begins:
  Store.run @ /srv/payments/store.py:40
    Session.execute @ SITE/sqlalchemy/orm/session.py:2365
      1 SQLCompiler.visit_select @ SITE/sqlalchemy/sql/compiler.py:4891
db goes on:
  Store.run @ /srv/payments/store.py:40
    Session.execute @ SITE/sqlalchemy/orm/session.py:2365
      Cursor.execute @ SITE/psycopg/cursor.py:97
        1 wait_epoll @ SITE/psycopg/waiting.py:301
http.client begins:
  authorize @ /srv/payments/network.py:29
    Session.send @ SITE/requests/sessions.py:724
      HTTPConnectionPool.urlopen @ SITE/urllib3/connectionpool.py:787
        1 SSLSocket.do_handshake @ LIBRARY/ssl.py:1319
http.client goes on:
  authorize @ /srv/payments/network.py:29
    Session.send @ SITE/requests/sessions.py:724
      HTTPConnectionPool.urlopen @ SITE/urllib3/connectionpool.py:787
        HTTPResponse.begin @ LIBRARY/http/client.py:331
          1 SSLSocket.read @ LIBRARY/ssl.py:1140
http.server begins:
  score @ /srv/payments/fraud.py:33
    1 distance @ /srv/payments/fraud.py:58
http.server goes on:
  dump_charge @ /srv/payments/schemas.py:21
    1 Schema.dump @ SITE/marshmallow/schema.py:552
`,
  { SITE: "/usr/local/lib/python3.13/site-packages", LIBRARY: "/usr/local/lib/python3.13" },
);
