/** Shares which calls of a timeline are open. The address names the one that was opened last. */
import { createContext, useContext } from "react";

export interface OpenCalls {
  readonly open: ReadonlySet<string>;
  readonly toggle: (callId: string) => void;
}

export const OpenCallsContext = createContext<OpenCalls>({ open: new Set(), toggle: () => undefined });

export function useOpenCalls(callId: string): { readonly isOpen: boolean; readonly toggle: () => void } {
  const { open, toggle } = useContext(OpenCallsContext);
  return { isOpen: open.has(callId), toggle: () => toggle(callId) };
}
