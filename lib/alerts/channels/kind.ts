/** What a type of channel is: its words and fields, what of it is secret, and how it sends. */
import { z } from "zod";
import { type Config, VERSION } from "../../core/config.ts";
import type { Resolver } from "../../core/addresses.ts";
import type { IconName } from "../../ui/components/icon.tsx";
import type { Sql } from "../../store/database.ts";
import type { Message } from "./message.ts";
import { type HttpRequest, type Outcome, post } from "./post.ts";
import { type Message as Text, t } from "../../core/language/translate.ts";

export interface ChannelKind<Settings> {
  readonly label: Text;
  /** One line for the choice of a type. */
  readonly summary: Text;
  /** Where to find what the form asks for. */
  readonly help: Text;
  readonly icon: IconName;
  /** What is entered; a signing secret is made. */
  readonly fields: readonly ChannelField[];
  /** Its requests are signed by a `secret` among its settings. @default false */
  readonly isSigned?: true;
  /** A message is one notice, never several. @default false */
  readonly isSingle?: true;
  /** A message may take longer than one request does. @default false */
  readonly isSlow?: true;
  /** Messages that it may send a minute; machines read faster than people. @default 10 */
  readonly perMinute?: number;
  /** Where it leads as far as it may be shown to whoever reads the project. */
  targetOf(settings: Settings): string;
  /** Texts that no answer, log line or page may repeat. */
  secretsOf(settings: Settings): readonly string[];
  /** Makes one attempt; never throws for what a receiver does. */
  send(settings: Settings, message: Message, tools: SendTools): Promise<Outcome>;
}

/** What a channel has to be told. Its name is that in the form, in the API and in what is sealed. */
export interface ChannelField {
  readonly name: string;
  readonly label: Text;
  readonly help: Text;
  readonly placeholder: string;
  /** Never shown again; empty keeps it. */
  readonly isSecret: boolean;
  /** What can be chosen, in place of a text. */
  readonly options?: readonly { readonly value: string; readonly label: Text }[];
  /** Several lines. */
  readonly rows?: number;
  /** Checks what was entered, without outer blanks, and makes of it what is kept. */
  readonly schema: z.ZodType<string | string[], string>;
  /** How the API takes it, read as the form has it. @default a text */
  readonly body?: z.ZodType<string>;
}

/** What sending needs beside the message. */
export interface SendTools {
  readonly config: Pick<Config, "smtp" | "baseUrl" | "allowPrivateWebhooks">;
  /** Where owners of issues are found. */
  readonly stores?: { readonly kv: Deno.Kv; readonly sql: Sql };
  /** Ends what is under way; the outcome is `stopped`. */
  readonly signal?: AbortSignal;
  readonly resolver?: Resolver;
  /** Addresses of services that are the same for all. */
  readonly endpoints?: Endpoints;
  readonly now?: () => Date;
}

export interface Endpoints {
  readonly telegram: string;
  readonly pagerDuty: string;
}

export const ENDPOINTS: Endpoints = {
  telegram: "https://api.telegram.org",
  pagerDuty: "https://events.pagerduty.com",
};

interface HttpKind<Settings> extends Omit<ChannelKind<Settings>, "send"> {
  /** The requests of a message, of which each is sent when the one before was taken. */
  requestsOf(settings: Settings, message: Message, tools: SendTools): readonly HttpRequest[];
}

/** A type of channel that takes HTTP requests. */
export function httpKind<Settings>(kind: HttpKind<Settings>): ChannelKind<Settings> {
  return {
    ...kind,
    async send(settings, message, tools) {
      const { config, signal, resolver } = tools;
      let outcome: Outcome = { kind: "stopped" };
      for (const request of kind.requestsOf(settings, message, tools)) {
        const headers = { "user-agent": `Watchpost/${VERSION}`, ...request.headers };
        outcome = await post({ ...request, headers }, {
          allowsPrivate: config.allowPrivateWebhooks,
          ...signal === undefined ? {} : { signal },
          ...resolver === undefined ? {} : { resolver },
        }, kind.secretsOf(settings));
        if (outcome.kind !== "sent") break;
      }
      return outcome;
    },
  };
}

/** Of services that take a message at an address which is the secret itself. */
export interface HookSettings<Type extends string> {
  readonly type: Type;
  readonly url: string;
}

interface HookKind extends Pick<ChannelKind<never>, "label" | "summary" | "help" | "icon"> {
  readonly placeholder: string;
  requestOf(url: string, message: Message): HttpRequest;
}

/** A type of channel that is an address and nothing else. */
export function hookKind<Type extends string>(
  { placeholder, requestOf, ...words }: HookKind,
): ChannelKind<HookSettings<Type>> {
  return httpKind({
    ...words,
    fields: [
      hookField(placeholder, "Whoever has it can post to the channel, so it is kept sealed."),
    ],
    targetOf: ({ url }) => maskedUrl(url),
    secretsOf: ({ url }) => secretParts(url),
    requestsOf: ({ url }, message) => [requestOf(url, message)],
  });
}

const MAX_URL_LENGTH = 2_000;
const NO_ADDRESS = () => t("Enter an address that starts with https:// or http://.");

const webAddress = z.string().max(MAX_URL_LENGTH, { error: NO_ADDRESS })
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), { error: NO_ADDRESS })
  .transform((text) => new URL(text))
  .refine(
    ({ username, password }) => username === "" && password === "",
    { error: () => t("Enter an address without a user name and a password.") },
  )
  .transform(({ href }) => href);

/** The field of an address that messages are posted to. */
export function hookField(placeholder: string, help: Text): ChannelField {
  return {
    name: "url",
    label: "Webhook address",
    help,
    placeholder,
    isSecret: true,
    schema: webAddress,
  };
}

export function maskedUrl(text: string): string {
  const { host, pathname, search } = new URL(text);
  const rest = pathname + search;
  return rest.length > 12 ? `${host}/…${rest.slice(-4)}` : `${host}/…`;
}

/** A server may repeat the address, or the part of it that it knows. */
export function secretParts(text: string): string[] {
  const { href, pathname, search } = new URL(text);
  const parts = [href, pathname + search, pathname, ...pathname.split("/"), search.slice(1)];
  return [text, ...parts].filter((part) => part.length >= 8);
}
