import { type Random, source, type Story } from "../story.ts";

/** A Python worker. */
const python: Story = {
  times: 520,
  since: 11,
  until: 0,
  releases: ["worker@1.12.0", "worker@1.13.0"],
  environments: ["production", "staging"],
  event: (random, at) => ({
    platform: "python",
    sdk: {
      name: "sentry.python.celery",
      version: "2.68.0",
      integrations: ["celery", "redis", "sqlalchemy"],
    },
    server_name: `worker-${random.integer(1, 3)}`,
    transaction: "imports.tasks.import_rows",
    tags: { celery_task_id: random.hex(12), queue: random.pick(["imports", "imports-slow"]) },
    contexts: {
      runtime: { name: "CPython", version: "3.13.2" },
      trace: { trace_id: random.hex(32), span_id: random.hex(16), op: "queue.process" },
    },
    extra: {
      "celery-job": {
        task_name: "imports.tasks.import_rows",
        kwargs: { file: `rows-${random.integer(1, 60)}.csv` },
      },
    },
    breadcrumbs: {
      values: [{
        timestamp: at.toISOString(),
        category: "redis",
        message: "BLPOP 'imports'",
        level: "info",
      }],
    },
    exception: {
      values: [
        {
          type: "KeyError",
          value: "'amount'",
          module: null,
          mechanism: {
            type: "chained",
            handled: true,
            source: "__cause__",
            exception_id: 1,
            parent_id: 0,
          },
          stacktrace: {
            frames: [
              frame(
                "imports/rows.py",
                "imports.rows",
                "parse_row",
                31,
                '    amount = Decimal(row["amount"])',
                { row: "{'id': '17', 'price': '9.90'}" },
              ),
            ],
          },
        },
        {
          type: "ImportFailed",
          value: `row ${random.integer(2, 9000)} cannot be imported`,
          module: "imports.errors",
          mechanism: { type: "celery", handled: false, exception_id: 0 },
          stacktrace: {
            frames: [
              {
                ...frame(
                  "celery/app/trace.py",
                  "celery.app.trace",
                  "trace_task",
                  453,
                  "            R = retval = fun(*args, **kwargs)",
                ),
                in_app: false,
              },
              frame(
                "imports/tasks.py",
                "imports.tasks",
                "import_rows",
                58,
                '        raise ImportFailed(f"row {number} cannot be imported") from error',
                { number: "17", path: "'/data/rows.csv'" },
              ),
            ],
          },
        },
      ],
    },
  }),
};

/** A PHP back office. */
const php: Story = {
  times: 210,
  since: 14,
  until: 1.5,
  releases: ["backoffice@5.3.0"],
  environments: ["production"],
  event: (random) => ({
    platform: "php",
    sdk: { name: "sentry.php.laravel", version: "4.29.0" },
    transaction: "/reports/{month}",
    tags: [],
    request: {
      method: "GET",
      url: `https://office.example.com/reports/2026-${random.integer(1, 12)}`,
      headers: { Accept: ["text/html"] },
    },
    contexts: { runtime: { name: "php", version: "8.4.6" }, os: { name: "Linux" } },
    exception: {
      values: [{
        type: "Illuminate\\Database\\QueryException",
        value:
          `SQLSTATE[40001]: Serialization failure: 1213 Deadlock found when trying to get lock (Connection: mysql, SQL: update reports set total = ${
            random.integer(1, 99_999)
          } where id = ${random.integer(1, 99)})`,
        mechanism: { type: "generic", handled: false },
        stacktrace: {
          frames: [{
            filename: "/vendor/laravel/framework/src/Illuminate/Routing/Controller.php",
            function: "Illuminate\\Routing\\Controller::callAction",
            lineno: 54,
            in_app: false,
          }, {
            filename: "/app/Http/Controllers/ReportController.php",
            abs_path: "/srv/app/Http/Controllers/ReportController.php",
            function: "App\\Http\\Controllers\\ReportController::show",
            lineno: 37,
            in_app: true,
            ...source(
              ["    public function show(string $month): View", "    {"],
              "        $report = Report::refresh($month);",
              ["        return view('reports.show', compact('report'));", "    }"],
            ),
          }],
        },
      }],
    },
  }),
};

/** A Go stock service. */
const go: Story = {
  times: 640,
  since: 6.8,
  until: 0,
  releases: ["stock@0.9.0", "stock@0.9.1"],
  environments: ["production", "staging"],
  event: (random) => ({
    platform: "go",
    sdk: { name: "sentry.go", version: "0.47.0" },
    server_name: `stock-${random.integer(1, 4)}`,
    tags: { warehouse: random.pick(["north", "south", "harbour"]) },
    contexts: {
      runtime: { name: "go", version: "go1.26.8" },
      device: { arch: "arm64", num_cpu: 2 },
    },
    exception: [
      {
        type: "*pgconn.ConnectError",
        value: "failed to connect to `host=stock-db user=stock database=stock`: dial error",
        mechanism: { type: "chained", exception_id: 1, parent_id: 0, source: "Unwrap" },
      },
      {
        type: "*fmt.wrapError",
        value: `cannot reserve item ${random.integer(100, 999)}: dial error`,
        mechanism: { type: "generic", handled: true, exception_id: 0 },
        stacktrace: {
          frames: [{
            function: "HandlerFunc.ServeHTTP",
            module: "net/http",
            filename: "server.go",
            abs_path: "/usr/local/go/src/net/http/server.go",
            lineno: 2294,
            in_app: false,
          }, {
            function: "(*Server).Reserve",
            module: "example.com/stock/internal/server",
            filename: "reserve.go",
            abs_path: "/src/internal/server/reserve.go",
            lineno: 71,
            in_app: true,
            ...source(
              ["\tif err != nil {"],
              '\t\treturn fmt.Errorf("cannot reserve item %d: %w", item, err)',
              ["\t}"],
            ),
          }],
        },
      },
    ],
  }),
};

/** A nightly job that failed for a while and was mended. */
const invoices: Story = {
  times: 34,
  since: 13,
  until: 7,
  releases: ["worker@1.12.0"],
  environments: ["production"],
  event: (random: Random) => ({
    platform: "python",
    sdk: { name: "sentry.python", version: "2.68.0" },
    server_name: "worker-1",
    transaction: "billing.jobs.send_invoices",
    exception: {
      values: [{
        type: "SMTPServerDisconnected",
        value: "Connection unexpectedly closed",
        module: "smtplib",
        mechanism: { type: "generic", handled: true },
        stacktrace: {
          frames: [
            frame(
              "billing/jobs.py",
              "billing.jobs",
              "send_invoices",
              22,
              "        mailer.send(invoice)",
              { invoice: `<Invoice ${random.integer(1, 900)}>` },
            ),
            {
              ...frame(
                "smtplib.py",
                "smtplib",
                "getreply",
                405,
                '                raise SMTPServerDisconnected("Connection unexpectedly closed")',
              ),
              in_app: false,
            },
          ],
        },
      }],
    },
  }),
};

function frame(
  filename: string,
  module: string,
  name: string,
  lineno: number,
  line: string,
  vars: Record<string, string> = {},
): Record<string, unknown> {
  return {
    filename,
    abs_path: `/srv/${filename}`,
    module,
    function: name,
    lineno,
    in_app: true,
    vars,
    ...source([], line, []),
  };
}

export const serverStories: readonly Story[] = [python, php, go, invoices];
