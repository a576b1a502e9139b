/** What a server's certificate says, and why a client would not trust it. */
import { isIP } from "node:net";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import { DAY_MS } from "../../core/time.ts";
import { plainAddress } from "../../core/addresses.ts";
import type { Certificate } from "./result.ts";

/** No public chain is longer; hostile ones may be. */
const MAX_CHAIN = 10;
const MAX_NAMES = 100;

/**
 * Reads the certificate of a connection that was made without asking for trust.
 *
 * @param name host or address that it must be for
 * @param at when the check began
 * @returns null when there is none
 */
export function readCertificate(socket: TLSSocket, name: string, at: Date): Certificate | null {
  const chain = readChain(socket.getPeerCertificate(true));
  const [leaf] = chain;
  if (leaf === undefined) return null;
  const own = chain.filter((each, place) => place === 0 || !isRoot(each));
  const validTo = new Date(Math.min(...own.map((each) => Date.parse(each.valid_to))));
  const validFrom = new Date(leaf.valid_from);
  const names = namesOf(leaf);
  return {
    subject: wordsOf(leaf.subject),
    issuer: wordsOf(leaf.issuer),
    names: names.slice(0, MAX_NAMES),
    validFrom,
    validTo,
    daysLeft: Math.floor((validTo.getTime() - at.getTime()) / DAY_MS),
    fingerprint: leaf.fingerprint256,
    protocol: socket.getProtocol() ?? "",
    problem: problemOf(socket, { leaf, chain, name, names, at }),
  };
}

/** Leaf first. The last is its own issuer, or the next one is missing. */
function readChain(leaf: DetailedPeerCertificate): DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  const seen = new Set<string>();
  let next: DetailedPeerCertificate | undefined = leaf;
  while (next?.fingerprint256 && !seen.has(next.fingerprint256) && chain.length < MAX_CHAIN) {
    seen.add(next.fingerprint256);
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}

function isRoot({ subject, issuer }: DetailedPeerCertificate): boolean {
  return wordsOf(subject) === wordsOf(issuer);
}

/** As `CN=example.com, O=Example`. */
function wordsOf(name: DetailedPeerCertificate["subject"]): string {
  return Object.entries(name ?? {}).map(([key, value]) => `${key}=${value}`).join(", ");
}

function namesOf({ subjectaltname = "" }: DetailedPeerCertificate): string[] {
  return [...subjectaltname.matchAll(/(?:DNS|IP Address):([^,]+)/g)].map(([, name]) =>
    name?.trim() ?? ""
  );
}

interface Judged {
  readonly leaf: DetailedPeerCertificate;
  readonly chain: readonly DetailedPeerCertificate[];
  readonly name: string;
  readonly names: readonly string[];
  readonly at: Date;
}

/** Deno and Node call the same fault by other codes: what a date, a name or the chain tells is told from those. */
function problemOf(socket: TLSSocket, judged: Judged): string | null {
  const { leaf, chain, name, names } = judged;
  const late = problemOfDates(judged);
  const isFor = isForName(socket, name);
  // Said after the chain was found good; an address is judged right here alone.
  const isTrusted = socket.authorized ||
    String(socket.authorizationError).includes("ALTNAME_INVALID");
  if (isTrusted && isFor) return null;
  if (late !== null) return late;
  if (!isFor) {
    return `The certificate is for another host: ${
      names.slice(0, 3).join(", ") || "it has no names"
    }${names.length > 3 ? ` and ${names.length - 3} more` : ""}, not ${name}.`;
  }
  if (isRoot(leaf)) return "The certificate is self-signed.";
  const last = chain.at(-1);
  if (last !== undefined && isRoot(last)) {
    return `The certificate comes from an authority that is not trusted: ${wordsOf(last.subject)}.`;
  }
  return `The chain of certificates ends before a trusted authority: nobody vouches for ${
    wordsOf(last?.issuer ?? leaf.issuer)
  }. The server may not send the certificates in between.`;
}

function problemOfDates({ leaf, chain, at }: Judged): string | null {
  if (Date.parse(leaf.valid_from) > at.getTime()) {
    return `The certificate is not valid before ${day(leaf.valid_from)}.`;
  }
  const over = chain.find((each) => Date.parse(each.valid_to) <= at.getTime());
  if (over === undefined) return null;
  return over === leaf
    ? `The certificate expired on ${day(over.valid_to)}.`
    : `A certificate of the chain (${wordsOf(over.subject)}) expired on ${day(over.valid_to)}.`;
}

function day(date: string): string {
  return new Date(date).toISOString().slice(0, 10);
}

function isForName(socket: TLSSocket, name: string): boolean {
  const certificate = socket.getPeerX509Certificate();
  const address = isIP(name) === 0 ? null : plainAddress(name);
  const found = address === null
    ? certificate?.checkHost(name.replace(/\.$/, ""))
    : certificate?.checkIP(address);
  return found !== undefined;
}
