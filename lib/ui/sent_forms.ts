/** Forms that are sent while the service is away stay where they are, with what was written. Runs in the browser. */
import { canLeave } from "./page_again.ts";

/** Sends a form that could not be sent once more. */
export type SendAgain = () => void;

/**
 * Asks whether the service is there before a form is posted: the browser's error page, from which what was written does
 * not come back, would take the place of the page. The form itself is sent by the browser as ever, with its files,
 * redirects and downloads.
 *
 * @param onAsked is told how to send the form again when the service is away, and null when it is there
 * @returns for `submit` events of the document
 */
export function askBeforeSending(
  onAsked: (again: SendAgain | null) => void,
): (event: SubmitEvent) => Promise<void> {
  const asking = new WeakSet<HTMLFormElement>();
  const answered = new WeakSet<HTMLFormElement>();
  return async (event) => {
    const { target: form, submitter } = event;
    // What an island does with a form of its own is its own matter.
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return;
    if (!isPosted(form, submitter) || answered.has(form)) return;
    event.preventDefault();
    // A second click does not send it twice.
    if (asking.has(form)) return;
    asking.add(form);
    const isThere = await canLeave();
    asking.delete(form);
    const send = () => form.requestSubmit(submitter);
    onAsked(isThere ? null : send);
    if (!isThere) return;
    answered.add(form);
    send();
    answered.delete(form);
  };
}

/** Whether it is a form that changes something, and whose answer takes the place of the page. */
function isPosted(form: HTMLFormElement, submitter: HTMLElement | null): boolean {
  // By attributes: a field of the name `method` hides the property.
  const method = submitter?.getAttribute("formmethod") ?? form.getAttribute("method");
  return method?.toLowerCase() === "post" && !form.hasAttribute("target");
}
