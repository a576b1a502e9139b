/**
 * An address from an event: a link when it is http(s), text otherwise, since `javascript:` and the like
 * come from strangers. The other side learns nothing of where the click came from.
 */
export function SafeLink({ href }: { readonly href: string }) {
  if (!/^https?:\/\/\S+$/i.test(href)) return <bdi>{href}</bdi>;
  return (
    <a class="hover:underline" href={href} rel="noopener noreferrer nofollow" target="_blank">
      <bdi>{href}</bdi>
    </a>
  );
}
