import { Alert } from "../../ui/components/alert.tsx";
import { Button } from "../../ui/components/button.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { AlertChart } from "./alert_chart.tsx";
import type { FormPreview } from "./preview_form.ts";

export const PREVIEW_ID = "alert-preview";

export interface PreviewPanelProps {
  /** Null while there is nothing whole enough to look at. */
  readonly preview: FormPreview | null;
}

/** What the alert of a form would have seen and done lately. */
export function PreviewPanel({ preview }: PreviewPanelProps) {
  return (
    <Panel
      title="Preview"
      id={PREVIEW_ID}
      actions={
        <Button
          size="sm"
          icon="refresh"
          name="action"
          value="preview"
          formaction={`#${PREVIEW_ID}`}
        >
          Preview
        </Button>
      }
    >
      <Preview preview={preview} />
    </Panel>
  );
}

function Preview({ preview }: PreviewPanelProps) {
  if (preview === null) {
    return (
      <p class="text-muted">
        Choose what is watched and press Preview: the values of the last day show which levels make
        sense, and when this alert would have fired.
      </p>
    );
  }
  if (!preview.ok) {
    return <Alert kind="warning" title="There is no preview">{preview.reason}</Alert>;
  }
  const { charted, input, bands, words } = preview;
  return (
    <>
      <AlertChart
        id="preview"
        title={preview.title}
        input={input}
        charted={charted}
        bands={bands}
      />
      <p class="mt-2 text-sm text-muted">{words}</p>
    </>
  );
}
