/** `deno task doctor [--json] [--send-to=ADDRESS]`: looks whether Watchpost can work here, and says what to do. */
import { examine } from "./lib/server/doctor/examine.ts";
import { exitCode, jsonReport, textReport } from "./lib/server/doctor/report.ts";

const SEND_TO = /^--send-to=([^\s@]+@[^\s@]+)$/;

const unknown = Deno.args.filter((arg) => arg !== "--json" && !SEND_TO.test(arg));
if (unknown.length > 0) {
  console.error("Usage: deno task doctor [--json] [--send-to=someone@example.com]");
  Deno.exit(2);
}
const sendTo = Deno.args.map((arg) => SEND_TO.exec(arg)?.[1]).find(Boolean) ?? null;
const findings = await examine(Deno.env.toObject(), { sendTo });
const report = Deno.args.includes("--json") ? jsonReport(findings) : textReport(findings);
await new Blob([report]).stream().pipeTo(Deno.stdout.writable);
Deno.exit(exitCode(findings));
