import { Search, X } from "lucide-react";
import { type RefObject, useEffect, useId, useState } from "react";
import { IconButton } from "./button.tsx";

/** How long one has to stop typing before a search begins. */
const PAUSE_MS = 300;

/** A field that searches while one types. `value` is what is searched for, e.g. what the address says. */
export function SearchBox({
  label,
  value,
  onSearch,
  box,
}: {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (value: string) => void;
  /** The field itself, for a key that puts the focus there. */
  readonly box?: RefObject<HTMLInputElement | null>;
}) {
  const id = useId();
  const [typed, setTyped] = useState(value);
  const [applied, setApplied] = useState(value);
  // The address changed by another way: back, or a link.
  if (applied !== value) {
    setApplied(value);
    if (typed.trim() !== value) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return undefined;
    const timer = setTimeout(() => onSearch(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);
  return (
    <div role="search" className="relative min-w-0 flex-1">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <Search aria-hidden className="pointer-events-none absolute top-3 left-3 size-4 text-quiet" />
      <input
        ref={box}
        id={id}
        type="text"
        inputMode="search"
        autoComplete="off"
        placeholder={label}
        value={typed}
        maxLength={500}
        onChange={({ target }) => setTyped(target.value)}
        // It searches while one types. Enter would send the form around it.
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        className="min-h-10 w-full rounded-md border border-edge bg-surface py-2 pr-10 pl-9 text-ink placeholder:text-quiet"
      />
      {typed === "" ? null : (
        <IconButton label="Clear the search" className="absolute top-0.5 right-0.5" onClick={() => setTyped("")}>
          <X aria-hidden className="size-4" />
        </IconButton>
      )}
    </div>
  );
}
