import type { Delivery } from "../deliveries/deliveries.ts";
import { Button } from "../../ui/components/button.tsx";
import { RelativeTime } from "../../ui/components/relative_time.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatQuantity } from "../../ui/format.ts";
import { DeliveryBadge } from "./delivery_badge.tsx";

export interface DeliveryTableProps {
  readonly deliveries: readonly Delivery[];
  readonly mayWrite: boolean;
}

const STATE_WORDS = {
  firing: "Firing",
  resolved: "Resolved",
  no_data: "No data",
  test: "Test",
} as const;

/** The deliveries of a channel: what was sent, what came of it, and a button to send it again. */
export function DeliveryTable({ deliveries, mayWrite }: DeliveryTableProps) {
  return (
    <Table
      caption="Deliveries"
      density="comfortable"
      columns={[
        { label: "Notice" },
        { label: "State" },
        { label: "Answer" },
        ...mayWrite ? [{ label: "Actions" }] : [],
      ]}
    >
      {deliveries.map((delivery) => (
        <Row key={delivery.deliveryId}>
          <Cell class="min-w-40 py-1.5">
            <StateWord {...delivery} />
            <a class="link wrap-anywhere" href={delivery.notice.url}>{delivery.notice.title}</a>
            <p class="text-sm text-muted">
              <RelativeTime date={delivery.createdAt} />
            </p>
          </Cell>
          <Cell>
            <DeliveryBadge state={delivery.state} />
          </Cell>
          <Cell class="min-w-40 py-1.5">
            <AnswerOf {...delivery} />
          </Cell>
          {mayWrite && (
            <Cell>
              <SendAgain {...delivery} />
            </Cell>
          )}
        </Row>
      ))}
    </Table>
  );
}

/** What kind of notice it is, unless its title begins so. */
function StateWord({ notice: { state, title } }: Delivery) {
  const word = `${STATE_WORDS[state]}:`;
  return title.startsWith(word) ? null : <span class="text-muted">{`${word} `}</span>;
}

function SendAgain({ deliveryId, state, notice }: Delivery) {
  const label = state === "waiting" ? "Try now" : "Send again";
  return (
    <form method="post">
      <input type="hidden" name="delivery" value={deliveryId} />
      <Button size="sm" name="action" value="resend" aria-label={`${label}: ${notice.title}`}>
        {label}
      </Button>
    </form>
  );
}

function AnswerOf({ state, status, answer, attempts, dueAt }: Delivery) {
  const said = [status, answer].filter((part) => part !== null && part !== "").join(" ");
  return (
    <>
      {said !== "" && <code class="line-clamp-3 text-sm wrap-anywhere" title={answer}>{said}</code>}
      <p class="text-sm text-muted">
        {attempts === 0 ? "Not tried yet" : formatQuantity(attempts, "attempt")}
        {state === "waiting" && attempts > 0 && (
          <>
            , next <RelativeTime date={dueAt} />
          </>
        )}
      </p>
    </>
  );
}
