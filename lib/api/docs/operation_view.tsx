import { Badge, type Tone } from "../../ui/components/badge.tsx";
import { CodeBlock } from "../../ui/components/code_block.tsx";
import type { ApiDocument, ApiParameter, JsonSchema } from "../openapi.ts";
import { curlOf } from "./example.ts";
import type { DocumentedOperation } from "./nouns.ts";
import { Property, SchemaView } from "./schema_view.tsx";

const TONES: Readonly<Record<string, Tone>> = {
  GET: "info",
  POST: "ok",
  PUT: "warning",
  DELETE: "danger",
};

/** A method as a word of fixed width. */
export function MethodBadge({ method }: { readonly method: string }) {
  return (
    <Badge tone={TONES[method] ?? "neutral"} class="w-14 shrink-0 justify-center font-mono">
      {method}
    </Badge>
  );
}

interface OperationViewProps {
  readonly operation: DocumentedOperation;
  readonly document: ApiDocument;
  readonly baseUrl: string;
}

/** All that is said of one operation; its id is the anchor. */
export function OperationView({ operation, document, baseUrl }: OperationViewProps) {
  const { operationId, method, paths, summary, parameters, requestBody, responses } = operation;
  const ofPath = parameters.filter((each) => each.in === "path");
  const ofQuery = parameters.filter((each) => each.in === "query");
  return (
    <section
      id={operationId}
      aria-labelledby={`${operationId}-title`}
      class="scroll-mt-4 rounded-lg border border-line bg-surface p-4"
    >
      <h2 id={`${operationId}-title`} class="font-semibold wrap-anywhere">
        <a href={`#${operationId}`} class="hover:underline">{summary}</a>
      </h2>
      <ul class="mt-1.5 space-y-1">
        {paths.map((path) => (
          <li key={path} class="flex items-start gap-2">
            <MethodBadge method={method} />
            <code class="text-sm wrap-anywhere">/api/0{path}</code>
          </li>
        ))}
      </ul>
      <p class="mt-2 text-sm text-muted">
        <Permission operation={operation} />
      </p>
      <div class="mt-3 space-y-3">
        <Parameters title="In the address" parameters={ofPath} />
        <Parameters title="Parameters" parameters={ofQuery} />
        {Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => (
          <Shape key={type} title={`Body, ${type}`} schema={schema} />
        ))}
        {Object.entries(responses).filter(([status]) => Number(status) < 400).map((
          [status, { content = {} }],
        ) =>
          Object.keys(content).length === 0
            ? <Part key={status} title={`Answer ${status}`}>nothing</Part>
            : Object.entries(content).map(([type, { schema }]) => (
              <Shape key={status + type} title={`Answer ${status}, ${type}`} schema={schema} />
            ))
        )}
        <Part title="Refused with">
          {Object.keys(responses).filter((status) => Number(status) >= 400).join(", ")}
        </Part>
        <CodeBlock
          id={`${operationId}-curl`}
          code={curlOf(operation, document, baseUrl)}
          language="bash"
          label={`curl: ${summary}, ${method} ${paths[0] ?? ""}`}
        />
      </div>
    </section>
  );
}

function Permission({ operation: { security } }: Pick<OperationViewProps, "operation">) {
  const scope = security[0]?.userToken?.[0];
  if (scope === undefined) return <>Needs no scope.</>;
  const isForBuilds = security.some((each) => "organizationToken" in each);
  return (
    <>
      Needs the scope <code>{scope}</code>
      {isForBuilds && "; a token of the organization will do"}.
    </>
  );
}

function Part(
  { title, children }: { readonly title: string; readonly children: string },
) {
  return (
    <p class="text-sm">
      <span class="font-medium">{title}:</span> <span class="text-muted">{children}</span>
    </p>
  );
}

function Parameters(
  { title, parameters }: { readonly title: string; readonly parameters: readonly ApiParameter[] },
) {
  if (parameters.length === 0) return null;
  return (
    <div class="text-sm">
      <h3 class="font-medium">{title}</h3>
      <ul class="mt-1 border-l border-line pl-3">
        {parameters.map(({ name, required, description, schema }) => (
          <Property
            key={name}
            name={name}
            schema={schema}
            note={required ? "required" : null}
            description={description}
          />
        ))}
      </ul>
    </div>
  );
}

function Shape({ title, schema }: { readonly title: string; readonly schema: JsonSchema }) {
  return (
    <div>
      <h3 class="text-sm font-medium">{title}</h3>
      <SchemaView schema={schema} />
    </div>
  );
}
