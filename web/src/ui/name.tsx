import { honestProse } from "./visible-text.ts";

/** A name, or a few words, that somebody else chose: it turns nothing around, neither what stands beside it nor itself. */
export function Name({ children, className }: { readonly children: string; readonly className?: string }) {
  return <bdi className={className}>{honestProse(children)}</bdi>;
}
