/** Logs as OTLP: a line has those of a batch, by who wrote them. */
import { LOG_LEVELS, type LogLevel } from "../../records/mod.ts";
import { keyValues, senderAttributes } from "../../formats/otlp/write.ts";
import { behind, cursorBehind, type ExportSource, linesOf } from "./source.ts";

const ROWS = 1_000;

interface LogRow {
  readonly id: string;
  readonly at: string;
  readonly time: Date;
  readonly nanos: number;
  readonly level: LogLevel;
  readonly body: string;
  readonly logger: string;
  readonly server: string;
  readonly environment: string;
  readonly release: string;
  readonly sdk: string;
  readonly traceId: string | null;
  readonly spanId: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** OpenTelemetry's name for what tells one log record from all others. */
export const LOG_ID = "log.record.uid";

export const logs: ExportSource = {
  name: "logs",
  async next({ sql }, { projectId, since, until }, cursor) {
    const rows = await sql<LogRow[]>`
      select log_id::text as id, "timestamp"::text as at, "timestamp" as time, nanos, level, body,
        logger, server, environment, release, sdk, replace(trace_id::text, '-', '') as "traceId",
        span_id as "spanId", attributes
      from logs
      where project_id = ${projectId} and "timestamp" >= ${since} and "timestamp" < ${until}
        ${behind(sql, cursor, "log_id")}
      order by "timestamp", log_id limit ${ROWS}
    `;
    return {
      cursor: cursorBehind(rows, ROWS),
      counts: { logs: rows.length },
      pieces: rows.length === 0 ? [] : linesOf("logs.jsonl", [requestOf(rows)]),
    };
  },
};

/** `ExportLogsServiceRequest`. */
function requestOf(rows: readonly LogRow[]) {
  const senders = Map.groupBy(
    rows,
    (row) => JSON.stringify(senderAttributes({ ...row, service: serviceOf(row) })),
  );
  return {
    resourceLogs: [...senders].map(([sender, some]) => ({
      resource: { attributes: keyValues(JSON.parse(sender)) },
      scopeLogs: [...Map.groupBy(some, ({ logger }) => logger)].map(([logger, records]) => ({
        scope: logger === "" ? {} : { name: logger },
        logRecords: records.map(recordOf),
      })),
    })),
  };
}

function serviceOf({ attributes }: LogRow): string {
  const name = attributes["service.name"];
  return typeof name === "string" ? name : "";
}

function recordOf(row: LogRow) {
  const level = LOG_LEVELS.indexOf(row.level);
  const nanos = BigInt(row.time.getTime()) * 1_000_000n + BigInt(row.nanos);
  return {
    timeUnixNano: String(nanos),
    severityNumber: level * 4 + 1,
    severityText: row.level.toUpperCase(),
    body: { stringValue: row.body },
    attributes: keyValues({ ...row.attributes, [LOG_ID]: row.id.replaceAll("-", "") }),
    ...(row.traceId !== null && { traceId: row.traceId }),
    ...(row.spanId !== null && { spanId: row.spanId }),
  };
}
