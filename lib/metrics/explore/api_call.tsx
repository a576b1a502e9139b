import { CodeBlock } from "../../ui/components/code_block.tsx";
import { Menu } from "../../ui/components/menu.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import type { QueryForm } from "../query_form/load_query_form.ts";
import { apiCall } from "./api_call.ts";

export interface ApiCallProps {
  readonly tracing: Tracing;
  readonly form: QueryForm;
  /** Of the service. */
  readonly baseUrl: string;
}

/** The same question to the API, to be copied. */
export function ApiCall({ tracing, form, baseUrl }: ApiCallProps) {
  return (
    <Menu
      label="As an API call"
      align="right"
      buttonClass="inline-flex h-7 items-center rounded-md border border-line-strong px-2.5 text-sm hover:bg-hover"
      button="API call"
      panelClass="w-160 max-w-[calc(100vw-2rem)] p-3"
    >
      <p class="mb-2 text-sm text-muted">
        The same answer as JSON. The token is one of your organization's settings.
      </p>
      <CodeBlock
        id="api-call"
        label="API call"
        language="bash"
        code={apiCall(baseUrl, tracing, form)}
      />
    </Menu>
  );
}
