/** A hop that is under way, as the object that makes it sees it: its lines as they come, and the means to give it up. */
import { RpcTarget } from "cloudflare:workers";
import type { HopListener } from "../core/hop-lines.ts";

export class OpenHop<Line> {
  private lines: Line[] = [];
  private readonly givenUp = Promise.withResolvers<void>();
  private more = Promise.withResolvers<void>();
  private isOver = false;
  private failure: Error | null = null;

  /** Makes the hop and gives its lines, those that came together at once. Throws when it broke. */
  async *make(
    call: (listener: HopListener<Line>) => Promise<Line | null>,
  ): AsyncGenerator<readonly Line[], void, void> {
    const listener = new Listener<Line>((line) => this.take(line), this.givenUp.promise);
    call(listener).then(
      (last) => this.end(last, null),
      (thrown: unknown) => this.end(null, new Error("the step runner failed", { cause: thrown })),
    );
    for (;;) {
      while (this.lines.length > 0) {
        const lines = this.lines;
        this.lines = [];
        yield lines;
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
  }

  private take(line: Line): void {
    if (this.isOver) return;
    this.lines.push(line);
    this.more.resolve();
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
class Listener<Line> extends RpcTarget implements HopListener<Line> {
  private readonly take: (line: Line) => void;
  private readonly end: Promise<void>;

  constructor(take: (line: Line) => void, end: Promise<void>) {
    super();
    this.take = take;
    this.end = end;
  }

  async hear(line: Line): Promise<void> {
    this.take(line);
  }

  async givenUp(): Promise<void> {
    await this.end;
  }
}
