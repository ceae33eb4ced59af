/** Opens the sources that a text names as `[Source 3]`. Null without sources: the names stay text. */
import { createContext } from "react";

export interface NamedSources {
  has(n: number): boolean;
  open(n: number): void;
}

export const SourceContext = createContext<NamedSources | null>(null);
