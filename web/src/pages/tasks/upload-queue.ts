/** Uploads of a draft task: a few at once, each with its progress and its own retry. */
import type { ChosenFile } from "./upload-names.ts";

/** Sent at once. */
const AT_ONCE = 3;

export interface Upload extends ChosenFile {
  readonly state: "waiting" | "sending" | "done" | "failed";
  /** From 0 to 1. */
  readonly share: number;
  /** Why it did not arrive. */
  readonly fault: string | null;
}

/** Sends one file; rejects with an error whose message says why it did not arrive. */
export type Send = (chosen: ChosenFile, onProgress: (share: number) => void) => Promise<void>;

/** Lives beside React, so that files go on their way also while another page of the console is shown. */
export class UploadQueue {
  readonly #send: Send;
  readonly #watchers = new Set<() => void>();
  #items: readonly Upload[] = [];

  constructor(send: Send) {
    this.#send = send;
  }

  readonly items = (): readonly Upload[] => this.#items;

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  add(files: readonly ChosenFile[]): void {
    const added = files.map((chosen): Upload => ({ ...chosen, state: "waiting", share: 0, fault: null }));
    this.#set([...this.#items, ...added]);
    this.#goOn();
  }

  retryFailed(): void {
    this.#set(this.#items.map((item) => (item.state === "failed" ? { ...item, state: "waiting", fault: null } : item)));
    this.#goOn();
  }

  leaveOut(name: string): void {
    this.#set(this.#items.filter((item) => item.name !== name || item.state === "sending"));
  }

  #goOn(): void {
    const room = AT_ONCE - this.#items.filter(({ state }) => state === "sending").length;
    for (const item of this.#items.filter(({ state }) => state === "waiting").slice(0, Math.max(room, 0))) {
      this.#change(item.name, { state: "sending", share: 0 });
      void this.#sendOne(item);
    }
  }

  async #sendOne({ name, file }: ChosenFile): Promise<void> {
    try {
      await this.#send({ name, file }, (share) => this.#change(name, { share }));
      this.#change(name, { state: "done", share: 1 });
    } catch (thrown) {
      const fault = thrown instanceof Error ? thrown.message : "It did not arrive.";
      this.#change(name, { state: "failed", share: 0, fault });
    }
    this.#goOn();
  }

  #change(name: string, to: Partial<Upload>): void {
    this.#set(this.#items.map((item) => (item.name === name ? { ...item, ...to } : item)));
  }

  #set(items: readonly Upload[]): void {
    this.#items = items;
    for (const watcher of this.#watchers) watcher();
  }
}
