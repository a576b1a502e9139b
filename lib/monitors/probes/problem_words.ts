/** What checks found, as it is stored in English, in the reader's language. */
import { storedWords } from "../../core/language/stored_words.ts";
import { type Message, message, t } from "../../core/language/translate.ts";
import type { ProbeProblem } from "./result.ts";

const REASONS: Readonly<Record<ProbeProblem, Message>> = {
  timeout: message("timeout@@problem"),
  dns: message("dns@@problem"),
  connection: message("connection@@problem"),
  tls: message("tls@@problem"),
  redirect: message("redirect@@problem"),
  status: message("status@@problem"),
  keyword: message("keyword@@problem"),
  json: message("json@@problem"),
  record: message("record@@problem"),
  slow: message("slow@@problem"),
  refused: message("refused@@problem"),
  unsupported: message("unsupported@@problem"),
  broken: message("broken@@problem"),
  stopped: message("stopped@@problem"),
};

/** The kind of a problem in words; an unknown one stands for itself. */
export function reasonWords(reason: string): string {
  const known = Object.entries(REASONS).find(([each]) => each === reason);
  return known === undefined ? reason : t(known[1]);
}

/** The sentences are made where checks fail; the narrower ones stand first. */
export const probeWords = storedWords([
  message("The certificate is for another host: {names} and {n} more, not {name}."),
  message("The certificate is for another host: it has no names, not {name}."),
  message("The certificate is for another host: {names}, not {name}."),
  message("The certificate is self-signed."),
  message("The certificate comes from an authority that is not trusted: {name}."),
  message(
    "The chain of certificates ends before a trusted authority: nobody vouches for {name}. The server may not send the certificates in between.",
  ),
  message("The certificate is not valid before {day}."),
  message("The certificate expired on {day}."),
  message("A certificate of the chain ({name}) expired on {day}."),
  message("The certificate cannot be read."),
  message("No secure connection: {reason}."),
  message("The host has no IPv{family} address."),
  message("Within {seconds} s no connection was made."),
  message("Within {seconds} s no TLS handshake was made."),
  message("Within {seconds} s the response did not end."),
  message("Within {seconds} s no response came."),
  message("The host refuses the connection: nothing listens there."),
  message("There is no way to the host's network from here."),
  message("The host takes no connection ({code})."),
  message("There is no record of type {type} for {name}."),
  message("The name server does not respond to the question."),
  message("The records are not the expected ones: found none; expected {wanted}."),
  message("The records are not the expected ones: found others; expected {wanted}."),
  message("The records are not the expected ones: found {found}; expected {wanted}."),
  message("There were more than {n} redirects."),
  message("A redirect leads to no address of http or https."),
  message("A redirect leads from https to http."),
  message("The server shows no certificate."),
  message("The response's headers have more than {n} bytes."),
  message("What came back is no HTTP."),
  message("The connection broke before the response was whole: {reason}."),
  message("The response has status {status}; expected is {expected}."),
  message("The response has the text that must not be there."),
  message("The response does not have the text that is looked for."),
  message(
    "The response does not have the text that is looked for. Only the first {size} MiB of it were looked at.",
  ),
  message("The response is no JSON."),
  message("The response is no JSON. Only the first {size} MiB of it were looked at."),
  message("The response has nothing at {path}."),
  message("The response has nothing at {path}. Only the first {size} MiB of it were looked at."),
  message("At {path} the response has another value; expected is {wanted}."),
  message("At {path} the response has {found}; expected is {wanted}."),
  message("The check was stopped."),
  message("It took {time} ms; above {limit} ms is slow."),
  message("This instance cannot send pings: its system has no ping command."),
  message("This instance cannot send pings: its system does not allow them."),
  message("The host does not respond to pings."),
  message("The name of the host cannot be resolved."),
  message("The host has no address."),
  message(
    "The address leads into a private or reserved network, or to this service's own stores, which the operator of this instance has not allowed for monitors (SERVICE_MONITOR_ALLOW).",
  ),
  message("Mail ports (25, 465, 587) of public hosts are not checked by this kind of monitor."),
  message("The check itself failed, which says nothing about the target."),
  message("The check failed."),
  message("Watchpost was not running, or was too busy: {n} check was left out."),
  message("Watchpost was not running, or was too busy: {n} checks were left out."),
  message(
    "The monitor's secrets cannot be read: SERVICE_SECRET_KEY has changed. Enter them again.",
  ),
]);
