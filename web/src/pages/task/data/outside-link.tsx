/** A link to an address that an outside service gave. The page that it opens knows nothing of this one. */
import { visibleText } from "../../../ui/visible-text.ts";

export function OutsideLink({ url, children }: { readonly url: string; readonly children: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent underline [overflow-wrap:anywhere]"
    >
      <bdi>{visibleText(children)}</bdi>
    </a>
  );
}
