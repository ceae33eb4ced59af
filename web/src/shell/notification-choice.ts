/** Whether this browser is to tell of what waits. Kept in the browser: it is the choice of a person at a machine. */
import { useSyncExternalStore } from "react";

const STORED = "otto.notifications";
const watchers = new Set<() => void>();

export type NotificationChoice = "on" | "off" | "denied" | "unable";

/** `denied`: the browser was told never to; `unable`: it has none, or the address is not secure. */
export function useNotificationChoice(): NotificationChoice {
  return useSyncExternalStore(watch, read);
}

/** Requests the browser's permission if it was never decided. Call it when the switch is pressed. */
export async function wantNotifications(): Promise<void> {
  if (typeof Notification === "undefined") return;
  const permission = await Notification.requestPermission();
  store(permission === "granted" ? "on" : null);
}

export function stopNotifications(): void {
  store(null);
}

function read(): NotificationChoice {
  if (typeof Notification === "undefined" || !window.isSecureContext) return "unable";
  if (Notification.permission === "denied") return "denied";
  try {
    return Notification.permission === "granted" && localStorage.getItem(STORED) === "on" ? "on" : "off";
  } catch {
    return "unable";
  }
}

function store(value: "on" | null): void {
  try {
    if (value === null) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, value);
  } catch {
    // Storage is switched off: the choice cannot be kept, and `read` says so.
  }
  for (const watcher of watchers) watcher();
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  // The switch of another window.
  window.addEventListener("storage", watcher);
  return () => {
    watchers.delete(watcher);
    window.removeEventListener("storage", watcher);
  };
}
