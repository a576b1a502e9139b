/** One check of one target: what was seen, and what that means. */
import { connect, secure } from "./connect.ts";
import { probeDns } from "./dns.ts";
import { ProbeFailure } from "./failure.ts";
import { probeHttp } from "./http.ts";
import { Observation, type ProbeOptions } from "./observation.ts";
import { probePing } from "./ping.ts";
import type { ProbeResult } from "./result.ts";
import type { Target, TcpTarget, TlsTarget } from "./target.ts";

export type { AddressPolicy } from "./policy.ts";
export type { DnsTarget, HttpTarget, PingTarget, Target, TcpTarget, TlsTarget } from "./target.ts";

export type { Certificate, Phases, ProbeProblem, ProbeResult, Problem } from "./result.ts";
export { PROBLEMS } from "./result.ts";
export type { ProbeOptions } from "./observation.ts";

/** Checks a target once. Never throws: whatever happens is a result. */
export async function probe(target: Target, options: ProbeOptions): Promise<ProbeResult> {
  const seen = new Observation(target.timeoutMs, options);
  try {
    await look(target, seen, options.traceparent);
    return seen.result({ slowMs: target.slowMs });
  } catch (error) {
    if (error instanceof ProbeFailure) return seen.result(error);
    const sentence = "The check itself failed, which says nothing about the target.";
    return seen.result(new ProbeFailure("stopped", sentence, { cause: error }));
  }
}

async function look(target: Target, seen: Observation, traceparent?: string): Promise<void> {
  switch (target.kind) {
    case "http":
      return await probeHttp(target, seen, traceparent);
    case "tcp":
      return await probeTcp(target, seen);
    case "tls":
      return await probeTls(target, seen);
    case "dns":
      return await probeDns(target, seen);
    case "ping":
      return await probePing(target, seen);
  }
}

async function probeTcp(target: TcpTarget, seen: Observation): Promise<void> {
  (await connect({ ...target, refusesMail: true }, seen)).destroy();
}

async function probeTls(target: TlsTarget, seen: Observation): Promise<void> {
  const socket = await connect({ ...target, refusesMail: false }, seen);
  try {
    const name = target.servername ?? target.host;
    (await secure(socket, { name, protocols: [] }, seen)).destroy();
  } finally {
    socket.destroy();
  }
  const problem = seen.certificate === null
    ? "The server shows no certificate."
    : seen.certificate.problem;
  if (problem !== null) throw new ProbeFailure("tls", problem);
}
