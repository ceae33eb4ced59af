import { useEffect, useState } from "react";

/** Ctrl+K, or Cmd+K, opens the command palette and closes it. While a dialog is open, the keys are that dialog's. */
export function useCommandPalette(): { readonly isOpen: boolean; readonly setOpen: (isOpen: boolean) => void } {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || event.altKey || event.shiftKey || event.ctrlKey === event.metaKey) return;
      const isBusy = !isOpen && document.querySelector("dialog[open]") !== null;
      if (isBusy) return;
      event.preventDefault();
      setOpen(!isOpen);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [isOpen]);
  return { isOpen, setOpen };
}
