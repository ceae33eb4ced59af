/**
 * A running call of the step runner, as the task's object sees it: its lines as they arrive, and a way to abandon it.
 */
import { RpcTarget } from "cloudflare:workers";
import type { LineListener } from "../../core/steps/lines.ts";

export class RunnerCall<Line> {
  private lines: Line[] = [];
  private readonly abandoned = Promise.withResolvers<void>();
  private more = Promise.withResolvers<void>();
  private hasEnded = false;
  private failure: Error | null = null;
  /** Lines whose senders wait for a reply. */
  private readonly pendingReplies = new Map<Line, (isStored: boolean) => void>();
  private readonly isStored: (line: Line) => Promise<boolean>;

  /** `isStored` is called for a committed line after the reader processed it. */
  constructor(isStored: (line: Line) => Promise<boolean> = async () => false) {
    this.isStored = isStored;
  }

  /** Makes the call and yields its lines, those that arrived together at once. Throws when the call failed. */
  async *run(
    call: (listener: LineListener<Line>) => Promise<Line | null>,
  ): AsyncGenerator<readonly Line[], void, void> {
    const listener = new Listener<Line>(
      (line) => this.receive(line),
      (line) => this.commit(line),
      this.abandoned.promise,
    );
    call(listener).then(
      (last) => this.end(last, null),
      (thrown: unknown) => this.end(null, new Error("the step runner failed", { cause: thrown })),
    );
    for (;;) {
      while (this.lines.length > 0) {
        const lines = this.lines;
        this.lines = [];
        yield lines;
        for (const line of lines) this.reply(line);
      }
      if (this.hasEnded) break;
      await this.more.promise;
      this.more = Promise.withResolvers<void>();
    }
    if (this.failure !== null) throw this.failure;
  }

  /** Ends the runner's work, and the lines with those that have arrived. */
  abandon(): void {
    this.abandoned.resolve();
    this.end(null, null);
    for (const answer of this.pendingReplies.values()) answer(false);
    this.pendingReplies.clear();
  }

  private receive(line: Line): void {
    if (this.hasEnded) return;
    this.lines.push(line);
    this.more.resolve();
  }

  private async commit(line: Line): Promise<boolean> {
    if (this.hasEnded) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.pendingReplies.set(line, resolve);
    this.receive(line);
    return await promise;
  }

  private reply(line: Line): void {
    const answer = this.pendingReplies.get(line);
    if (answer === undefined) return;
    this.pendingReplies.delete(line);
    this.isStored(line).then(answer, () => answer(false));
  }

  private end(last: Line | null, failure: Error | null): void {
    if (this.hasEnded) return;
    if (last !== null) this.receive(last);
    this.failure = failure;
    this.hasEnded = true;
    this.more.resolve();
  }
}

/** What the step runner can call: an `RpcTarget` exposes exactly its methods. */
class Listener<Line> extends RpcTarget implements LineListener<Line> {
  private readonly take: (line: Line) => void;
  private readonly store: (line: Line) => Promise<boolean>;
  private readonly end: Promise<void>;

  constructor(take: (line: Line) => void, store: (line: Line) => Promise<boolean>, end: Promise<void>) {
    super();
    this.take = take;
    this.store = store;
    this.end = end;
  }

  async hear(line: Line): Promise<void> {
    this.take(line);
  }

  async hearAll(lines: readonly Line[]): Promise<void> {
    for (const line of lines) this.take(line);
  }

  async commit(line: Line): Promise<boolean> {
    return await this.store(line);
  }

  async givenUp(): Promise<void> {
    await this.end;
  }
}
