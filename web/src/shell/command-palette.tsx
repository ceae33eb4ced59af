/** Finds a page or an action by its name: the field filters, the arrow keys choose, Enter goes there. */
import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useState } from "react";
import { classes } from "../ui/classes.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type Command, findCommands } from "./navigation.ts";

interface CommandPaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CommandPalette({ isOpen, onClose }: CommandPaletteProps) {
  return (
    <Dialog isOpen={isOpen} title="Go to" onClose={onClose}>
      <Finder onClose={onClose} />
    </Dialog>
  );
}

/** A combobox with its list always shown (WAI-ARIA APG, https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). */
function Finder({ onClose }: Pick<CommandPaletteProps, "onClose">) {
  const router = useRouter();
  const listId = useId();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const found = findCommands(text);
  const chosen = found[at] ?? null;
  const open = ({ to }: Command): void => {
    onClose();
    router.history.push(to);
  };
  const press = (event: KeyboardEvent): void => {
    const moved = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: found.length - 1 }[event.key];
    if (moved !== undefined) {
      event.preventDefault();
      const next = found.length === 0 ? 0 : (moved + found.length) % found.length;
      setAt(next);
      document.getElementById(`${listId}-${next}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing && chosen !== null) {
      event.preventDefault();
      open(chosen);
    }
  };
  return (
    <div className="flex flex-col gap-3">
      <input
        type="text"
        role="combobox"
        aria-label="Page or action"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={chosen === null ? undefined : `${listId}-${at}`}
        autoComplete="off"
        placeholder="Page or action"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={press}
        className="min-h-10 w-full rounded-md border border-edge bg-surface px-3 py-2 text-ink placeholder:text-quiet"
      />
      <div id={listId} role="listbox" aria-label="Pages and actions" className="max-h-80 overflow-y-auto">
        {found.map((command, index) => (
          <div
            key={`${command.group} ${command.label}`}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            className={classes(
              "flex min-h-9 cursor-pointer items-center justify-between gap-3 rounded-md px-3",
              index === at ? "bg-accent-soft text-accent" : "hover:bg-hover",
            )}
            onClick={() => open(command)}
            onKeyDown={press}
          >
            <span>{command.label}</span>
            <span className={classes("text-sm", index !== at && "text-quiet")}>{command.group}</span>
          </div>
        ))}
      </div>
      <p role="status" className={classes("text-sm text-quiet", found.length > 0 && "sr-only")}>
        {found.length === 0 ? "No matching page or action" : `${found.length} found`}
      </p>
    </div>
  );
}
