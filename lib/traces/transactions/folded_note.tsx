import type { Folded } from "../../store/stats/folded_names.ts";
import { OTHER_TRANSACTIONS } from "../../store/stats/name_caps.ts";
import { Alert } from "../../ui/components/alert.tsx";
import { formatCount, formatExact } from "../../ui/format.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { transactionHref } from "../../ui/tracing_paths.ts";

/** Tells that names were folded into one, how many, and what to do about it. */
export function FoldedNote({ tracing, folded }: { tracing: Tracing; folded: Folded }) {
  const { project, scope } = tracing;
  const { transactions, names, example } = folded;
  return (
    <Alert kind="warning" title="Too many names" class="mt-3">
      {formatExact(transactions)} transactions of about {formatCount(names)}{" "}
      names are counted together as{" "}
      <a class="link" href={transactionHref(project.id, scope, OTHER_TRANSACTIONS)}>
        {OTHER_TRANSACTIONS}
      </a>: a project has 2,000 names an hour. One of them is{" "}
      <code class="wrap-anywhere">{example}</code>. Name transactions after routes, such as{" "}
      <code>GET /orders/:id</code>, not after what was asked for.
    </Alert>
  );
}
