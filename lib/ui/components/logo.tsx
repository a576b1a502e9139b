/** The mark: a W like the trace of a pulse, and the light of the post above it. */
export function Logo({ size = 24 }: { readonly size?: 20 | 24 | 40 }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" class="shrink-0">
      <rect width="32" height="32" rx="7" class="fill-accent-fill" />
      <path
        d="M6 11l4.5 13L16 14.5 21.5 24 26 11"
        fill="none"
        stroke="#fff"
        stroke-width="2.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
      <circle cx="16" cy="8" r="2.4" fill="#ffd166" />
    </svg>
  );
}
