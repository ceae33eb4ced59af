/** Short words on what was just done, read out by screen readers, gone by themselves. */
import { X } from "lucide-react";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from "react";
import { IconButton } from "./button.tsx";
import { honestProse } from "./visible-text.ts";

type Say = (text: string) => void;

const SayContext = createContext<Say>(() => undefined);
const SHOWN_MS = 6_000;

/** Says `text` in the corner of the window. */
export function useToast(): Say {
  return useContext(SayContext);
}

export function Toasts({ children }: { readonly children: ReactNode }) {
  const [shown, setShown] = useState<readonly { readonly id: number; readonly text: string }[]>([]);
  const next = useRef(0);
  const dismiss = useCallback((id: number) => setShown((all) => all.filter((one) => one.id !== id)), []);
  const say = useCallback<Say>(
    (text) => {
      const id = next.current++;
      setShown((all) => [...all.slice(-2), { id, text }]);
      setTimeout(() => dismiss(id), SHOWN_MS);
    },
    [dismiss],
  );
  const list = useMemo(
    () =>
      shown.map(({ id, text }) => (
        <div
          key={id}
          className="flex items-center gap-2 rounded-lg border border-line bg-surface py-1.5 pr-1.5 pl-4 shadow-lg"
        >
          <span className="flex-1">{honestProse(text)}</span>
          <IconButton label="Dismiss" onClick={() => dismiss(id)}>
            <X aria-hidden className="size-4" />
          </IconButton>
        </div>
      )),
    [shown, dismiss],
  );
  return (
    <SayContext value={say}>
      {children}
      <div
        role="status"
        aria-live="polite"
        className="fixed inset-x-4 bottom-4 z-40 flex flex-col items-stretch gap-2 sm:left-auto sm:w-96"
      >
        {list}
      </div>
    </SayContext>
  );
}
