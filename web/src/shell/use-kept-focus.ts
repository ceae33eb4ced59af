/**
 * An element that is taken away takes the focus with it: the browser gives it to nobody, and who works by keyboard would begin
 * at the top of the window. The page's title takes it over unless something else did.
 */
import { useEffect } from "react";

export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    const onFocus = ({ target }: FocusEvent): void => {
      last = target instanceof Element && target.closest("main") !== null ? target : null;
    };
    const onBlur = ({ target }: FocusEvent): void => {
      // Who presses beside everything lets go of the focus on purpose; what is still there then was not taken away.
      setTimeout(() => {
        if (target === last && last?.isConnected === true && document.activeElement !== last) last = null;
      });
    };
    const hand = (): void => {
      if (last === null || last.isConnected) return;
      last = null;
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body || document.querySelector("dialog[open]") !== null) return;
        document.getElementById("page-title")?.focus({ preventScroll: true });
      });
    };
    const observer = new MutationObserver(hand);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("focusin", onFocus);
    document.addEventListener("focusout", onBlur);
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("focusout", onBlur);
    };
  }, []);
}
