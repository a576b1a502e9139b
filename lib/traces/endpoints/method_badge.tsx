/** An HTTP method, as wide as most of them are. */
export function MethodBadge({ method }: { readonly method: string }) {
  return (
    <span class="inline-block min-w-12 shrink-0 rounded-sm bg-sunken px-1.5 text-center font-mono text-meta font-medium text-muted">
      {method}
    </span>
  );
}
