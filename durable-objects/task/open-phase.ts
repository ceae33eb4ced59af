/** A hop that is under way, as the object that makes it sees it: its lines as they come, and the means to give it up. */
import { RpcTarget } from "cloudflare:workers";
import type { LineListener } from "../../core/steps/lines.ts";

export class OpenHop<Line> {
  private lines: Line[] = [];
  private readonly givenUp = Promise.withResolvers<void>();
  private more = Promise.withResolvers<void>();
  private isOver = false;
  private failure: Error | null = null;
  /** Lines whose senders wait for an answer, and how each gets it. */
  private readonly unanswered = new Map<Line, (isStored: boolean) => void>();
  private readonly isStored: (line: Line) => Promise<boolean>;

  /** `isStored` is asked of a committed line after the reader of the lines handled it. */
  constructor(isStored: (line: Line) => Promise<boolean> = async () => false) {
    this.isStored = isStored;
  }

  /** Makes the hop and gives its lines, those that came together at once. Throws when it broke. */
  async *make(
    call: (listener: LineListener<Line>) => Promise<Line | null>,
  ): AsyncGenerator<readonly Line[], void, void> {
    const listener = new Listener<Line>(
      (line) => this.take(line),
      (line) => this.commit(line),
      this.givenUp.promise,
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
        for (const line of lines) this.answer(line);
      }
      if (this.isOver) break;
      await this.more.promise;
      this.more = Promise.withResolvers<void>();
    }
    if (this.failure !== null) throw this.failure;
  }

  /** Nobody wants it any more: its work ends, and its lines with what has come. */
  giveUp(): void {
    this.givenUp.resolve();
    this.end(null, null);
    for (const answer of this.unanswered.values()) answer(false);
    this.unanswered.clear();
  }

  private take(line: Line): void {
    if (this.isOver) return;
    this.lines.push(line);
    this.more.resolve();
  }

  private async commit(line: Line): Promise<boolean> {
    if (this.isOver) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.unanswered.set(line, resolve);
    this.take(line);
    return await promise;
  }

  private answer(line: Line): void {
    const answer = this.unanswered.get(line);
    if (answer === undefined) return;
    this.unanswered.delete(line);
    this.isStored(line).then(answer, () => answer(false));
  }

  private end(last: Line | null, failure: Error | null): void {
    if (this.isOver) return;
    if (last !== null) this.take(last);
    this.failure = failure;
    this.isOver = true;
    this.more.resolve();
  }
}

/** What the step runner can call: every method of a target, and nothing else of it. */
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

  async commit(line: Line): Promise<boolean> {
    return await this.store(line);
  }

  async givenUp(): Promise<void> {
    await this.end;
  }
}
