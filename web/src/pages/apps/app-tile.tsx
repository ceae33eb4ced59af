import { getFirstLetter } from "./app-words.ts";

/** Stands for the logo of an app: pages load no pictures from elsewhere. */
export function AppTile({ title }: { readonly title: string }) {
  return (
    <span
      aria-hidden
      className="flex size-10 shrink-0 items-center justify-center rounded-md bg-accent-soft text-lg font-semibold text-accent"
    >
      {getFirstLetter(title)}
    </span>
  );
}
