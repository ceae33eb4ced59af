import { useState } from "react";
import { getFirstLetter } from "./app-words.ts";

interface TileProps {
  readonly title: string;
  /** Where Otto serves the logo; null without one. */
  readonly logo: string | null;
}

/** The logo of an app. Its first letter takes the same room without a logo, and until it is there. */
export function AppTile({ title, logo }: TileProps) {
  const [loaded, setLoaded] = useState<string | null>(null);
  const isShown = logo !== null && loaded === logo;
  return (
    <span
      aria-hidden
      className="relative flex size-10 shrink-0 items-center justify-center overflow-hidden rounded-md bg-accent-soft text-lg font-semibold text-accent"
    >
      {isShown ? null : getFirstLetter(title)}
      {logo === null ? null : (
        <img
          src={logo}
          alt=""
          width={40}
          height={40}
          loading="lazy"
          decoding="async"
          onLoad={() => setLoaded(logo)}
          className={`absolute inset-0 size-full bg-plate object-contain p-0.5 ${isShown ? "" : "opacity-0"}`}
        />
      )}
    </span>
  );
}
