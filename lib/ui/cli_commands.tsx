/** Commands of `sentry-cli` on a page of a project: with whom they speak to, and where their token is made. */
import { rich } from "../core/language/translate.ts";
import { CodeBlock } from "./components/code_block.tsx";
import { tokensPath } from "./links.ts";

/** What a build has to know of this server. */
export interface CliClient {
  /** Address of the service, without a slash at its end. */
  readonly url: string;
  /** Slug. */
  readonly organization: string;
  /** Slug. */
  readonly project: string;
  readonly mayMakeTokens: boolean;
}

interface CliCommandsProps {
  /** Unique on the page. */
  readonly id: string;
  readonly label: string;
  readonly client: CliClient;
  /** `""` for the settings alone, where the commands stand beside them. */
  readonly commands: string;
}

/** Commands with the settings that they need before them, to paste once the token is filled in. */
export function CliCommands({ id, label, client, commands }: CliCommandsProps) {
  const { url, organization, project, mayMakeTokens } = client;
  const settings = `export SENTRY_URL=${url}
export SENTRY_ORG=${organization} SENTRY_PROJECT=${project}
export SENTRY_AUTH_TOKEN=…`;
  const values = { token: <code>SENTRY_AUTH_TOKEN</code>, scope: <code>release:write</code> };
  return (
    <div class="min-w-0 text-left">
      <CodeBlock
        id={id}
        label={label}
        language="bash"
        code={commands === "" ? settings : `${settings}\n\n${commands}`}
      />
      <p class="mt-2 text-sm text-muted">
        {mayMakeTokens
          ? rich(
            "{token} is a token of the organization, or one with the scope {scope}: <a>make one</a>.",
            {
              ...values,
              a: (words) => <a class="link" href={tokensPath(organization)}>{words}</a>,
            },
          )
          : rich(
            "{token} is a token of the organization, or one with the scope {scope}. Members can make one.",
            values,
          )}
      </p>
    </div>
  );
}
