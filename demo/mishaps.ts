/** The ways in which the shop fails beside its traces: how often, since when, and what the SDKs send of it. */
import { DAY_MS } from "../lib/core/time.ts";
import { newId, type Random } from "./chance.ts";
import { errors } from "./code.ts";
import { sceneAt } from "./scene.ts";
import { commonFields, exceptionOf, type Fields } from "./sentry.ts";
import type { ServiceName } from "./shop.ts";

/** `Random.filled()` fills the gaps in its texts. */
interface Mishap {
  readonly service: ServiceName;
  /** Occurrences over the whole two weeks. */
  readonly times: number;
  /** Days ago that it began, and that it ended; 0 = still going on. */
  readonly since: number;
  readonly until?: number;
  readonly isOfStaging?: boolean;
  readonly server?: string;
  /** The method and the address that were asked for, or a page. */
  readonly request?: readonly [method: string, url: string];
  /** What was sent with it. */
  readonly data?: unknown;
  readonly transaction?: string;
  readonly isHandled?: boolean;
  /** In the language of `errors()`. */
  readonly thrown?: string;
  /** What is its own beside all that, as fields of the event. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** What went before it, with seconds. */
  readonly crumbs?: readonly (readonly [secondsBefore: number, crumb: Fields])[];
}

const SITE = "https://shop.example.com";
const BUTTON = "main > form.checkout > button[type=submit]";
const CLICKS = [
  [14, { category: "navigation", data: { from: "/", to: "/checkout" } }],
  [6, {
    category: "fetch",
    type: "http",
    data: { method: "GET", url: "/api/cart", status_code: 200 },
  }],
  [2, { category: "ui.click", message: BUTTON }],
] as const;
const CHARGES = "https://payments.example.net/v2/charges";
const QUERIES = [
  [0.42, {
    category: "query",
    message: "SELECT * FROM carts WHERE id = $1",
    data: { "db.system": "postgresql" },
  }],
  [0.11, {
    category: "http",
    type: "http",
    data: { url: CHARGES, method: "POST", status_code: 502 },
  }],
  [0.01, { category: "console", level: "warning", message: "charge refused, no retry left" }],
] as const;

const web = { service: "web", isOfStaging: true, crumbs: CLICKS } as const;
const api = {
  service: "api",
  isOfStaging: true,
  server: "api-<1..6>",
  data: { coupon: "<SUMMER||FRIEND>", quantity: "<1..5>" },
  crumbs: QUERIES,
} as const;
/** What the API's SDK knows of every request. */
const CALLED = { modules: { express: "5.1.0", pg: "8.16.3", ioredis: "5.7.0" } };

const MISHAPS: readonly Mishap[] = [
  {
    ...web,
    times: 1_420,
    since: 9.2,
    request: ["GET", `${SITE}/checkout`],
    transaction: "/checkout",
    fields: { tags: { locale: "<en|de|pt>", experiment: "<one-page|classic>" } },
    thrown: `
TypeError: Cannot read properties of undefined (reading 'currency')
  commitRoot @ webpack:///node_modules/preact/dist/preact.mjs:1:9120
  Summary @ webpack:///src/checkout/Summary.tsx:41:18
    | export function Summary({ cart }: Props) {
    |   const items = cart.items;
    >   const total = formatTotal(items, cart.price);
    |   return (
    |     <section class="summary">
  formatTotal @ webpack:///src/money/format.ts:12:29
    | /** Sums the items and writes the total in the buyer's currency. */
    | export function formatTotal(items: Item[], price?: Price) {
    >   const formatter = formatterFor(price.currency);
    |   return formatter.format(sum(items));
    | }`,
  },
  {
    ...web,
    times: 260,
    since: 4.5,
    request: ["GET", `${SITE}/account/orders`],
    transaction: "/account/orders",
    thrown: `
ChunkLoadError: Loading chunk <2..40> failed. (error: ${SITE}/assets/chunk-<hex8>.js)
  openRoute @ webpack:///src/router.ts:88:11
    |   const load = routes.get(path);
    >   const { default: Page } = await load();
    |   mount(Page);
  onScriptError @ webpack:///webpack/runtime/load script:40:8`,
  },
  {
    ...web,
    times: 96,
    since: 13,
    until: 5,
    request: ["GET", `${SITE}/checkout/pay`],
    transaction: "/checkout/pay",
    fields: {
      level: "warning",
      message: "Payment form closed after <2..90> s without answer",
      tags: { provider: "<adyen|stripe>" },
    },
  },
  {
    ...api,
    times: 780,
    since: 13.5,
    request: ["POST", "https://api.example.com/orders/<1000..9999>/charge"],
    transaction: "POST /orders/:id/charge",
    fields: {
      ...CALLED,
      tags: { provider: "<adyen|stripe>", region: "<eu-1|us-1>", plan: "<free|team|business>" },
    },
    thrown: `
PaymentError: Cannot charge order <10000..99999>: provider does not answer
  Layer.handleRequest @ /app/node_modules/router/lib/layer.js:152:17
  chargeOrder @ /app/src/orders/charge.ts:64:11
    |   for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    |     const charge = await provider.charge(order, attempt);
    |     if (charge.accepted) return charge;
    |   }
    >   throw new PaymentError(\`Cannot charge order \${order.id}: provider does not answer\`, { cause });
    | }
    |
    | /** Refunds what was charged for a cancelled order. */
    = orderId <10000..99999>
    = attempt 3
    = amount 129.00 EUR
caused by SocketError: other side closed
  onSocketEnd @ node:internal/deps/undici/undici:7432:20`,
  },
  {
    ...api,
    isOfStaging: false,
    times: 340,
    since: 2.1,
    request: ["GET", "https://api.example.com/products/<1000..9999>"],
    transaction: "GET /products/:id",
    fields: { ...CALLED, level: "fatal", tags: { region: "eu-1" } },
    thrown: `
Error: timeout exceeded when trying to connect after <5000..5100> ms
  Layer.handleRequest @ /app/node_modules/router/lib/layer.js:152:17
  withClient @ /app/src/db/pool.ts:23:24
    | export async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
    >   const client = await pool.connect();
    |   try {
    |     return await work(client);
  Pool.connect @ /app/node_modules/pg-pool/index.js:45:11`,
  },
  {
    ...api,
    times: 410,
    since: 12,
    request: ["PUT", "https://api.example.com/carts/<1000..9999>"],
    transaction: "PUT /carts/:id",
    fields: {
      ...CALLED,
      level: "warning",
      logentry: {
        message: "Stock below %s for item %s",
        formatted: "Stock below 10 for item <100..999>",
        params: ["10", "?"],
      },
    },
  },
  {
    service: "worker",
    isOfStaging: true,
    times: 520,
    since: 11,
    server: "worker-<1..3>",
    transaction: "imports.tasks.import_rows",
    crumbs: [[0, { category: "redis", message: "BLPOP 'imports'", level: "info" }]],
    fields: {
      tags: { celery_task_id: "<hex12>", queue: "<imports|imports-slow>" },
      extra: {
        "celery-job": {
          task_name: "imports.tasks.import_rows",
          kwargs: { file: "rows-<1..60>.csv" },
        },
      },
    },
    thrown: `
ImportFailed: row <2..9000> cannot be imported
  trace_task @ /usr/local/lib/python3.13/site-packages/celery/app/trace.py:453
    >             R = retval = fun(*args, **kwargs)
  import_rows @ /srv/imports/tasks.py:58
    >         raise ImportFailed(f"row {number} cannot be imported") from error
    = number 17
    = path '/data/rows.csv'
caused by KeyError: 'amount'
  parse_row @ /srv/imports/rows.py:31
    >     amount = Decimal(row["amount"])
    = row {'id': '17', 'price': '9.90'}`,
  },
  {
    service: "backoffice",
    times: 210,
    since: 14,
    until: 1.5,
    request: ["GET", "https://office.example.com/reports/2026-<1..12>"],
    transaction: "/reports/{month}",
    thrown: String.raw`
Illuminate\Database\QueryException: SQLSTATE[40001]: Serialization failure: 1213 Deadlock found when trying to get lock (Connection: mysql, SQL: update reports set total = <1..99999> where id = <1..99>)
  Illuminate\Routing\Controller::callAction @ /srv/vendor/laravel/framework/src/Illuminate/Routing/Controller.php:54
  App\Http\Controllers\ReportController::show @ /srv/app/Http/Controllers/ReportController.php:37
    |     public function show(string $month): View
    |     {
    >         $report = Report::refresh($month);
    |         return view('reports.show', compact('report'));
    |     }`,
  },
  {
    service: "stock",
    isOfStaging: true,
    times: 640,
    since: 6.8,
    server: "stock-<1..4>",
    isHandled: true,
    fields: { tags: { warehouse: "<north|south|harbour>" } },
    thrown: `
*fmt.wrapError: cannot reserve item <100..999>: dial error
  net/http.HandlerFunc.ServeHTTP @ /usr/local/go/src/net/http/server.go:2294
  example.com/stock/internal/server.(*Server).Reserve @ /src/internal/server/reserve.go:71
    | \tif err != nil {
    > \t\treturn fmt.Errorf("cannot reserve item %d: %w", item, err)
    | \t}
caused by *pgconn.ConnectError: failed to connect to \`host=stock-db user=stock database=stock\`: dial error`,
  },
  {
    // A nightly job that failed for a while and was mended.
    service: "worker",
    times: 34,
    since: 13,
    until: 7,
    server: "worker-1",
    transaction: "billing.jobs.send_invoices",
    isHandled: true,
    thrown: `
SMTPServerDisconnected: Connection unexpectedly closed
  send_invoices @ /srv/billing/jobs.py:22
    >         mailer.send(invoice)
    = invoice <Invoice <1..900>>
  getreply @ /usr/local/lib/python3.13/smtplib.py:405
    >                 raise SMTPServerDisconnected("Connection unexpectedly closed")`,
  },
];

/** Events of all that went wrong in the two weeks up to `now`, oldest first. */
export function mishaps(random: Random, now: Date): Fields[] {
  return MISHAPS.flatMap((mishap) =>
    Array.from({ length: mishap.times }, () => {
      const { since, until = 0 } = mishap;
      return { ago: until + random.next() * (since - until), mishap };
    })
  ).sort((a, b) => b.ago - a.ago).map(({ ago, mishap }) =>
    tell(random.filled(mishap), random, now, ago * DAY_MS)
  );
}

function tell(mishap: Mishap, random: Random, now: Date, agoMs: number): Fields {
  const { service, server = "", request, transaction = "", thrown, crumbs, fields = {} } = mishap;
  const isStaged = mishap.isOfStaging === true && random.chance(0.1);
  const scene = sceneAt(random, now, agoMs, isStaged ? "staging" : "production");
  const timestamp = scene.at.getTime() / 1000;
  const trace = { trace_id: random.hex(32), span_id: random.hex(16) };
  const [method, url] = request ?? [];
  const common = commonFields(scene, {
    service,
    server,
    transaction,
    http: method === undefined || url === undefined
      ? undefined
      : { method, url, data: mishap.data },
    trace,
  });
  return {
    event_id: newId(),
    timestamp,
    level: "error",
    ...common,
    ...fields,
    ...(crumbs && {
      breadcrumbs: crumbs.map(([before, crumb]) => ({ timestamp: timestamp - before, ...crumb })),
    }),
    ...(thrown && { exception: exceptionOf(service, errors(thrown), mishap.isHandled) }),
  };
}
