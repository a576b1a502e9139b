/** Programs of the OpenTelemetry project that come out of Go's module proxy. Each is built once and kept. */
import { freePort } from "../../support/server.ts";
import { keptFolder } from "./cache.ts";
import { type Program, runProgram, type Service, startService } from "./services.ts";

const CONFIG = new URL("./otel_collector/", import.meta.url);
/** That of builder.yaml as well. */
const VERSION = "v0.161.0";
/** That of builder_hosts.yaml. */
const HOST_VERSION = "v0.149.0";
const TELEMETRYGEN =
  `github.com/open-telemetry/opentelemetry-collector-contrib/cmd/telemetrygen@${VERSION}`;
const BUILDER = "go.opentelemetry.io/collector/cmd/builder";

/** `telemetrygen`, to be run with arguments; or null after a line that says why not. */
export function telemetrygen(): Promise<Program | null> {
  return tool(`telemetrygen_${VERSION}`, "telemetrygen", (directory) =>
    runProgram(
      { command: "go", args: ["install", TELEMETRYGEN], directory },
      { GOBIN: directory.pathname },
    ));
}

/** The OpenTelemetry Collector, or null after a line that says why not. It takes a minute to build. */
export function collector(): Promise<Program | null> {
  return distribution("otel_collector", VERSION, "builder.yaml", "config.yaml");
}

/** One that measures its host, or null after a line that says why not. */
export function hostCollector(): Promise<Program | null> {
  return distribution("otel_collector_hosts", HOST_VERSION, "builder_hosts.yaml", "hosts.yaml");
}

async function distribution(
  name: string,
  version: string,
  builder: string,
  config: string,
): Promise<Program | null> {
  const program = await tool(`${name}_${version}`, "built/otelcol", (directory) => {
    const { pathname } = new URL(builder, CONFIG);
    const args = ["run", `${BUILDER}@${version}`, "--config", pathname];
    return runProgram({ command: "go", args, directory });
  });
  return program && { ...program, args: ["--config", new URL(config, CONFIG).pathname] };
}

/** Where a collector passes on what it takes, and how. */
export interface Forwarding {
  /** Without a path. */
  readonly url: string;
  readonly publicKey: string;
  readonly encoding: "proto" | "json";
}

/** Starts a collector on a free port; its address takes both encodings, without a key. */
export function startCollector(
  program: Program,
  { url, publicKey, encoding }: Forwarding,
): Promise<Service> {
  const port = String(freePort());
  const env = {
    RECEIVER_PORT: port,
    WATCHPOST_URL: url,
    WATCHPOST_KEY: publicKey,
    ENCODING: encoding,
  };
  return startService(
    program,
    env,
    (output) => output.includes("Everything is ready") ? `http://127.0.0.1:${port}` : undefined,
  );
}

async function tool(
  name: string,
  binary: string,
  build: (directory: URL) => Promise<void>,
): Promise<Program | null> {
  try {
    return { command: `./${binary}`, args: [], directory: await keptFolder(name, build) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    console.warn(`skipped: ${name} cannot be built here (${reason})`);
    return null;
  }
}
