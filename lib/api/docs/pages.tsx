import type { ComponentChildren } from "preact";
import { CodeBlock } from "../../ui/components/code_block.tsx";
import { Logo } from "../../ui/components/icon.tsx";
import { EmptyState, Panel } from "../../ui/components/panel.tsx";
import type { ApiDocument } from "../openapi.ts";
import { DOCS_PATH, found, type Noun, nounPath, nounsOf, shapesOf } from "./nouns.ts";
import { MethodBadge, OperationView } from "./operation_view.tsx";
import { SchemaView } from "./schema_view.tsx";

interface DocsView {
  readonly document: ApiDocument;
  /** Of the installation, without a slash at its end. */
  readonly baseUrl: string;
}

/** All operations by noun, or those that a search finds, and how to begin. */
export function DocsIndexPage({ document, baseUrl, query }: DocsView & { readonly query: string }) {
  const nouns = nounsOf(document);
  const shown = found(nouns, query);
  return (
    <Frame title="API" nouns={nouns} current={null}>
      <p class="max-w-3xl text-muted">{document.info.description}</p>
      <CodeBlock
        id="begin"
        code={`curl -H "Authorization: Bearer $TOKEN" "${baseUrl}/api/0/organizations/"`}
        language="bash"
        label="curl command"
      />
      <p class="max-w-3xl text-sm text-muted">
        Make tokens in the organization's settings, under API tokens. For programs the same is there
        as <a class="underline" href="/api/0/openapi.json">openapi.json</a> (OpenAPI 3.1).
      </p>
      <form method="get" action={DOCS_PATH} role="search" class="flex max-w-md gap-2">
        <input
          type="search"
          name="query"
          value={query}
          aria-label="Search addresses"
          placeholder="Search, as issues PUT"
          maxLength={100}
          class="h-9 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-3"
        />
        <button
          type="submit"
          class="h-9 rounded-md border border-line-strong bg-surface px-3 hover:bg-hover"
        >
          Search
        </button>
      </form>
      {shown.length === 0 && (
        <EmptyState icon="search" title="No address has these words">
          Try a noun, as <code>releases</code>, or{" "}
          <a class="underline" href={DOCS_PATH}>see all</a>.
        </EmptyState>
      )}
      {shown.map((noun) => <NounIndex key={noun.slug} noun={noun} />)}
    </Frame>
  );
}

function NounIndex({ noun: { name, slug, description, operations } }: { readonly noun: Noun }) {
  return (
    <Panel
      id={slug}
      title={<a class="hover:underline" href={nounPath(slug)}>{name}</a>}
      description={description}
      flush
    >
      <ul class="divide-y divide-line">
        {operations.map(({ operationId, method, paths: [path], summary }) => (
          <li key={operationId}>
            <a
              href={`${nounPath(slug)}#${operationId}`}
              class="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-1.5 hover:bg-hover"
            >
              <MethodBadge method={method} />
              <code class="text-sm wrap-anywhere">{path}</code>
              <span class="text-sm text-muted wrap-anywhere">{summary}</span>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** All that is said of the operations of a noun, and the shapes that they speak in. */
export function NounDocsPage({ document, baseUrl, noun }: DocsView & { readonly noun: Noun }) {
  const { schemas } = document.components;
  return (
    <Frame title={noun.name} nouns={nounsOf(document)} current={noun.slug}>
      <p class="max-w-3xl text-muted">{noun.description}</p>
      {noun.operations.map((operation) => (
        <OperationView
          key={operation.operationId}
          operation={operation}
          document={document}
          baseUrl={baseUrl}
        />
      ))}
      {shapesOf(noun.operations, schemas).map((name) => (
        <Panel key={name} id={`shape-${name}`} title={name} class="scroll-mt-4">
          <SchemaView schema={schemas[name] ?? {}} />
        </Panel>
      ))}
    </Frame>
  );
}

interface FrameProps {
  readonly title: string;
  readonly nouns: readonly Noun[];
  readonly current: string | null;
  readonly children: ComponentChildren;
}

/** For people with an account and without. */
function Frame({ title, nouns, current, children }: FrameProps) {
  return (
    <div class="min-h-dvh bg-canvas">
      <a href="#content" class="skip-link">Skip to the content</a>
      <header class="border-b border-line bg-surface">
        <div class="mx-auto flex max-w-6xl flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
          <Logo size={24} />
          <a href="/" class="font-semibold hover:underline">Watchpost</a>
          <a href={DOCS_PATH} class="text-muted hover:underline">API</a>
          <a href="/api/0/openapi.json" class="ml-auto text-sm text-muted hover:underline">
            openapi.json
          </a>
        </div>
      </header>
      <div class="mx-auto max-w-6xl gap-6 px-4 py-6 md:grid md:grid-cols-[14rem_1fr]">
        <nav aria-label="Nouns of the API" class="mb-4 md:mb-0">
          <ul class="flex flex-wrap gap-x-3 gap-y-1 text-sm md:block md:space-y-1">
            {nouns.map(({ name, slug, operations }) => (
              <li key={slug}>
                <a
                  href={nounPath(slug)}
                  aria-current={slug === current ? "page" : undefined}
                  class="hover:underline aria-[current=page]:font-semibold"
                >
                  {name} <span class="text-meta text-faint">{operations.length}</span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <main id="content" tabindex={-1} class="min-w-0 space-y-4 outline-none">
          <h1 class="text-xl font-semibold">{title}</h1>
          {children}
        </main>
      </div>
    </div>
  );
}
