/** What the bench compares: Otto as a user starts it, the two floors, and a peer. */
import type { Job } from "../job.ts";

/** Files that a contender keeps in R2, to be searched. */
export interface BenchFiles {
  put(path: string, text: string): Promise<void>;
  /** Counts the matching lines of every file. The floor reads every file and counts the files. */
  search(pattern: string): Promise<number>;
}

/** A compared system. The model sees when a task asks and when it ends. */
export interface Contender {
  readonly name: string;
  /** A peer is measured only in sections that say so. */
  readonly isPeer: boolean;
  /** Sends a task; resolves when the request is answered, which is early or late as the contender has it. */
  start(task: string, job: Job): Promise<void>;
  /** Creates a task, opens this number of streams of its events, and returns what starts it. Null: it has no such streams. */
  readonly openWatched: ((task: string, job: Job, watchers: number) => Promise<() => Promise<void>>) | null;
  /** Waits until the task waits with a question, and gives what answers it. */
  question(task: string): Promise<() => Promise<void>>;
  /** Makes one call of `evaluate_expression` outside of every task and gives its reply; null: it knows no such calls. */
  readonly call: ((name: string, expression: string) => Promise<string>) | null;
  /**
   * Restarts the process that runs the tasks, and creates these tasks, which `start` starts. They may make the number of steps of their
   * job. Null: `start` alone does so.
   */
  readonly createLong: ((tasks: readonly string[], job: Job) => Promise<void>) | null;
  /** All of its processes. */
  pids(): readonly number[];
  /** The process that its tasks run in. */
  runtimePid(): number;
  /** Where the runtime keeps the objects of its tasks; null: there are none. */
  objectsFolder(): string | null;
  /** What is uploaded of it, in KiB of gzip; null: nothing is. */
  bundleKib(): number | null;
  /** Null: it has no store for files. */
  readonly files: BenchFiles | null;
  /** Restarts the process that runs the tasks. Tasks held only in memory are lost. */
  restart(): Promise<void>;
  close(): Promise<void>;
}
