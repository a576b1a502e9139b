/** In place of figures, where there are none. */
export function NothingInTime() {
  return <p class="py-6 text-center text-sm text-muted">No data in this time</p>;
}
