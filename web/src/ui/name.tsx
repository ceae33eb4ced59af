import { honestProse } from "./visible-text.ts";

/** A name or a short text of another person, isolated so that its writing direction affects nothing else. */
export function Name({ children, className }: { readonly children: string; readonly className?: string }) {
  return <bdi className={className}>{honestProse(children)}</bdi>;
}
