/** A window for an address that is still being fetched. Browsers open one only at a press, so it opens before. */

/** A window that shows nothing yet. */
export interface NewWindow {
  /** Goes to an address of the web. False if the browser opened no window, or for another address. */
  readonly go: (address: string) => boolean;
  readonly close: () => void;
  /** Waits for a value. If it fails, the window closes. */
  readonly closeIfFailed: <Value>(value: Promise<Value>) => Promise<Value>;
}

/** Opens a window that knows nothing of this one. Call it in the handler of the press. */
export function openWindow(): NewWindow {
  const opened = window.open("", "_blank");
  if (opened !== null) opened.opener = null;
  return {
    go: (address) => {
      const target = toWebAddress(address, window.location.href);
      if (opened === null || target === null) return false;
      opened.location.replace(target);
      return true;
    },
    close: () => opened?.close(),
    closeIfFailed: async (value) => {
      try {
        return await value;
      } catch (thrown) {
        opened?.close();
        throw thrown;
      }
    },
  };
}

/** The whole form of an address; null unless it is one of the web. */
export function toWebAddress(address: string, base: string): string | null {
  const target = URL.parse(address, base);
  return target !== null && /^https?:$/.test(target.protocol) ? target.href : null;
}
