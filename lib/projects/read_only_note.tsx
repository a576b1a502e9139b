import { Alert } from "../ui/components/alert.tsx";

/** Over a form that the viewer's role may read but not send. */
export function ReadOnlyNote({ what }: { readonly what: string }) {
  return (
    <Alert kind="info">
      You can look at {what}, not change them. Owners and administrators of the organization can.
    </Alert>
  );
}
