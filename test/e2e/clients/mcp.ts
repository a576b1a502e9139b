/** Sentry's MCP server as a program that is spoken to in JSON-RPC, a line each. */

export interface McpServer extends AsyncDisposable {
  /** Calls a tool. @returns its text @throws {Error} with the text when the tool failed */
  call(tool: string, args: object): Promise<string>;
}

interface Answer {
  readonly id?: number;
  readonly result?: {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text?: string }[];
  };
  readonly error?: { readonly message: string };
}

/**
 * Starts the server for a Sentry at `url`, and greets it.
 *
 * @param directory where it is installed
 */
export async function startMcpServer(
  directory: URL | undefined,
  url: string,
  token: string,
): Promise<McpServer> {
  const process = new Deno.Command(
    new URL("node_modules/.bin/sentry-mcp", directory).pathname,
    {
      args: [`--access-token=${token}`, `--host=${new URL(url).host}`, "--insecure-http"],
      clearEnv: true,
      env: { PATH: Deno.env.get("PATH") ?? "" },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    },
  ).spawn();
  const writer = process.stdin.getWriter();
  const waiting = new Map<number, (answer: Answer) => void>();
  const reading = readAnswers(process.stdout, waiting);
  let lastId = 0;

  const write = (message: object) =>
    writer.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
  const ask = async (method: string, params: object) => {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    waiting.set(id, resolve);
    await write({ id, method, params });
    return await promise;
  };

  await ask("initialize", {
    protocolVersion: "2025-03-26",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  await write({ method: "notifications/initialized" });
  return {
    async call(tool, args) {
      const { result, error } = await ask("tools/call", { name: tool, arguments: args });
      const text = result?.content?.map(({ text = "" }) => text).join("\n") ?? error?.message ?? "";
      if (result === undefined || result.isError) throw new Error(`${tool}: ${text}`);
      return text;
    },
    async [Symbol.asyncDispose]() {
      await writer.close();
      process.kill("SIGTERM");
      await process.status;
      await reading;
    },
  };
}

async function readAnswers(
  stream: ReadableStream<Uint8Array>,
  waiting: Map<number, (answer: Answer) => void>,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter((text) => text.startsWith("{"))) {
      const answer: Answer = JSON.parse(line);
      waiting.get(answer.id ?? 0)?.(answer);
    }
  }
}
