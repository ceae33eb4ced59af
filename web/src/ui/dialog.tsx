/** A window above the page: the browser's own dialog, which keeps the focus inside and ends at Escape. */
import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button, IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { honestProse } from "./visible-text.ts";

interface DialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}

/** Its content lives as long as it is open, so that each opening begins afresh. */
export function Dialog({ isOpen, title, onClose, children, isWide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    if (!isOpen || dialog === null) return undefined;
    const opener = document.activeElement;
    if (!dialog.open) dialog.showModal();
    focusFirstField(dialog);
    // A window that is taken away while it is open gives the focus to nobody.
    return () => {
      if (document.activeElement !== document.body) return;
      const next = opener instanceof HTMLElement && opener.isConnected ? opener : document.getElementById("page-title");
      next?.focus({ preventScroll: true });
    };
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onClose={onClose}
      closedby="any"
      className={classes(
        "m-auto max-h-[min(90dvh,60rem)] w-[calc(100vw-1.5rem)] overflow-auto rounded-xl border border-line bg-surface p-0 text-ink shadow-2xl",
        isWide ? "max-w-4xl" : "max-w-lg",
      )}
    >
      <div className="flex flex-col gap-4 p-5">
        <div className="flex items-start justify-between gap-4">
          <h2 id={titleId} className="text-lg font-semibold">
            {honestProse(title)}
          </h2>
          <IconButton label="Close" className="-m-2" onClick={() => element.current?.close()}>
            <X aria-hidden className="size-5" />
          </IconButton>
        </div>
        {children}
      </div>
    </dialog>
  );
}

/** The browser gives the focus to what comes first, which is the button that closes. A finger is spared the keyboard on the screen. */
function focusFirstField(dialog: HTMLDialogElement): void {
  if (window.matchMedia("(pointer: coarse)").matches) return;
  dialog.querySelector<HTMLElement>("textarea, select, input:not([type=file], [type=hidden], :disabled)")?.focus();
}

interface ConfirmProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly children: ReactNode;
  /** What the button does, as a verb: "Revoke the key". */
  readonly action: string;
  /** What the other button says, where "Cancel" could be taken for the action. */
  readonly keep?: string;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be taken back. */
export function Confirm({
  isOpen,
  title,
  children,
  action,
  keep = "Cancel",
  isBusy,
  onConfirm,
  onClose,
}: ConfirmProps) {
  return (
    <Dialog {...{ isOpen, title, onClose }}>
      <div className="flex flex-col gap-3">{children}</div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{keep}</Button>
        <Button look="danger" isBusy={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
