/** Erases a task: first what is outside its object, then the object. */
import type { Env } from "../../adapters/env/bindings.ts";
import { getExpiry } from "../../core/task/task.ts";
import type { Alarm } from "../base/alarm.ts";
import { eraseOutside } from "./erasing.ts";
import type { StoredTask, TaskStore } from "./store.ts";
import type { TaskWatchers } from "./watchers.ts";

interface Parts {
  readonly store: TaskStore;
  readonly watchers: TaskWatchers;
  readonly alarm: Alarm;
}

export class TaskEraser {
  private readonly env: Env;
  private readonly storage: DurableObjectStorage;
  private readonly parts: Parts;

  constructor(env: Env, storage: DurableObjectStorage, parts: Parts) {
    this.env = env;
    this.storage = storage;
    this.parts = parts;
  }

  /** Erases the task. The erasure is recorded first, so that the alarm repeats it after a crash or failure. */
  async erase({ state: { facts } }: StoredTask, retainsSummary = false): Promise<void> {
    const { store, alarm } = this.parts;
    store.markErasing(facts, retainsSummary);
    alarm.ensureBy(store.erasing.computeRetryAt(Date.now()));
    await this.finish();
  }

  /** Erases an expired task. False if it has not expired. */
  async eraseExpired(): Promise<boolean> {
    const stored = this.parts.store.load();
    if (stored === null || (getExpiry(stored.state) ?? Number.POSITIVE_INFINITY) > Date.now()) return false;
    await this.erase(stored);
    return true;
  }

  /** Finishes a recorded erasure. Idempotent. False if none was recorded. */
  async finish(): Promise<boolean> {
    const { store, watchers, alarm } = this.parts;
    const erasing = store.erasing.find();
    if (erasing === null) return false;
    await eraseOutside(this.env, erasing);
    alarm.set(null);
    await this.storage.deleteAll();
    store.dropCache();
    watchers.closeAll("erased");
    return true;
  }
}
