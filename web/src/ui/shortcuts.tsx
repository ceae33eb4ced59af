/**
 * Keys that do something by themselves. They can be switched off, as a voice that dictates, or a slip, must not press them
 * (WCAG 2.1.4, https://www.w3.org/TR/WCAG22/#character-key-shortcuts).
 */
import { Keyboard } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { CheckField } from "./field.tsx";

export interface Shortcut {
  /** As `KeyboardEvent.key` names them; any of them. */
  readonly keys: readonly string[];
  /** What it does, for the list of keys. */
  readonly does: string;
  /** False: the key was not for it, and goes its own way. */
  readonly run: (event: KeyboardEvent) => boolean | void;
}

const STORED = "otto.shortcuts";
const WRITING = "input, textarea, select, [contenteditable], dialog";

/** Listens while the page is there. Nothing happens while one writes, in a dialog, or with Ctrl, Alt or Cmd held. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || !areShortcutsOn()) return;
      if (event.target instanceof Element && event.target.closest(WRITING) !== null) return;
      const shortcut = current.current.find(({ keys }) => keys.includes(event.key));
      if (shortcut !== undefined && shortcut.run(event) !== false) event.preventDefault();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

/** A button that lists the keys of a page and switches them; `?` opens it. */
export function ShortcutsButton({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  const [isOpen, setOpen] = useState(false);
  const [areOn, setOn] = useState(areShortcutsOn);
  const help: Shortcut = { keys: ["?"], does: "Show these keys", run: () => setOpen(true) };
  useShortcuts([help]);
  return (
    <>
      {/* A phone has no keys to press. */}
      <span className="hidden sm:block">
        <IconButton label="Keyboard shortcuts" onClick={() => setOpen(true)}>
          <Keyboard aria-hidden className="size-5" />
        </IconButton>
      </span>
      <Dialog isOpen={isOpen} title="Keyboard shortcuts" onClose={() => setOpen(false)}>
        <dl className="flex flex-col gap-2">
          {[...shortcuts, help].map(({ keys, does }) => (
            <div key={does} className="flex items-baseline gap-4">
              <dt className="flex w-28 shrink-0 flex-wrap gap-1">
                {keys.map((key) => (
                  <kbd key={key} className="rounded border border-edge bg-sunken px-1.5 font-mono text-sm">
                    {formatKey(key)}
                  </kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <CheckField
          label="Use these keys"
          hint="Switch them off when you dictate, or press them by mistake. Everything has a button too."
          checked={areOn}
          onChange={({ target }) => {
            switchShortcuts(target.checked);
            setOn(target.checked);
          }}
        />
      </Dialog>
    </>
  );
}

const SHOWN: Readonly<Record<string, string>> = { ArrowDown: "↓", ArrowUp: "↑", " ": "Space" };

function formatKey(key: string): string {
  return SHOWN[key] ?? key;
}

function areShortcutsOn(): boolean {
  try {
    return localStorage.getItem(STORED) !== "off";
  } catch {
    return true;
  }
}

function switchShortcuts(areOn: boolean): void {
  try {
    if (areOn) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, "off");
  } catch {
    // Storage is switched off: the keys stay on.
  }
}
