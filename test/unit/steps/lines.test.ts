import { describe, expect, test } from "vitest";
import { type LineListener, sendLines } from "../../../core/steps/lines.ts";

/** A listener that records the lines, and whose `over` the test settles. It stores every line but `unstored`. */
function listen(onLine: (line: string) => void = () => undefined, unstored: string | null = null) {
  const received: string[] = [];
  const open = Promise.withResolvers<void>();
  const listener: LineListener<string> = {
    async hear(line) {
      received.push(line);
      onLine(line);
    },
    async hearAll(lines) {
      received.push(lines.join("+"));
      for (const line of lines) onLine(line);
    },
    async commit(line) {
      received.push(`committed ${line}`);
      return line !== unstored;
    },
    givenUp: () => open.promise,
  };
  return { heard: received, listener, giveUp: open.resolve, break: open.reject };
}

/** A hop that tells a line and works on until it is aborted; `ended` notes how it came out. */
function endless(ended: string[]) {
  return async function* work(signal: AbortSignal): AsyncGenerator<string, string | null> {
    try {
      yield "begun";
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
        if (signal.aborted) resolve();
      });
      ended.push("aborted");
      return null;
    } finally {
      ended.push("closed");
    }
  };
}

describe("a runner call", () => {
  test("sends its lines in order, each received before the next, and returns the last", async () => {
    const order: string[] = [];
    const { listener } = listen((line) => order.push(`heard ${line}`));
    const last = await sendLines<string>(listener, async function* work() {
      for (const line of ["a", "b", "c"]) {
        order.push(`made ${line}`);
        yield line;
      }
      return "last";
    });
    expect(last).toBe("last");
    expect(order).toEqual(["made a", "heard a", "made b", "heard b", "made c", "heard c"]);
  });

  test("commits the lines that must be stored, and resumes with the answer for each", async () => {
    const { heard: received, listener } = listen(undefined, "c!");
    const answers: boolean[] = [];
    await sendLines<string>(
      listener,
      async function* work(): AsyncGenerator<string, null, boolean> {
        yield "a";
        answers.push(yield "b!");
        answers.push(yield "c!");
        return null;
      },
      { mustBeStored: (line) => line.endsWith("!") },
    );
    expect(received).toEqual(["a", "committed b!", "committed c!"]);
    expect(answers).toEqual([true, false]);
  });

  test("without a last line returns null, and is not aborted before it is cancelled", async () => {
    const { heard: received, listener } = listen();
    const aborted: boolean[] = [];
    const last = await sendLines<string>(listener, async function* work(signal) {
      yield "only";
      await new Promise((resolve) => setTimeout(resolve, 5));
      aborted.push(signal.aborted);
      return null;
    });
    expect([last, received, aborted]).toEqual([null, ["only"], [false]]);
  });

  test.each(["given up", "left by the one who listened"] as const)("that is %s is aborted and closed", async (how) => {
    const ended: string[] = [];
    const one = listen(() => {
      if (how === "given up") one.giveUp();
      else one.break(new Error("the object is gone"));
    });
    expect(await sendLines(one.listener, endless(ended))).toBeNull();
    expect([one.heard, ended]).toEqual([["begun"], ["aborted", "closed"]]);
  });

  test("whose listener fails sends no more lines, is closed, and fails", async () => {
    const made: string[] = [];
    const { listener } = listen(() => {
      throw new Error("nobody is there");
    });
    const telling = sendLines<string>(listener, async function* work() {
      try {
        for (const line of ["a", "b"]) {
          made.push(line);
          yield line;
        }
        return "last";
      } finally {
        made.push("closed");
      }
    });
    await expect(telling).rejects.toThrow("nobody is there");
    expect(made).toEqual(["a", "closed"]);
  });

  test("that breaks fails with what broke it", async () => {
    const { heard: received, listener } = listen();
    const telling = sendLines<string>(listener, async function* work() {
      yield "a";
      throw new Error("the model's server is on fire");
    });
    await expect(telling).rejects.toThrow("on fire");
    expect(received).toEqual(["a"]);
  });

  test.each(["ended", "breaks"] as const)("that came to its end is not aborted when the call to it %s", async (how) => {
    const one = listen();
    const signals: AbortSignal[] = [];
    await sendLines<string>(one.listener, async function* work(signal) {
      signals.push(signal);
      yield "only";
      return null;
    });
    if (how === "ended") one.giveUp();
    else one.break(new Error("the object is gone"));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  test("that failed is aborted when its listener is lost, because its work may still run", async () => {
    const one = listen(() => {
      throw new Error("nobody is there");
    });
    const signals: AbortSignal[] = [];
    const telling = sendLines<string>(one.listener, async function* work(signal) {
      signals.push(signal);
      yield "a";
      return null;
    });
    await expect(telling).rejects.toThrow("nobody is there");
    one.break(new Error("the object is gone"));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe("a runner call whose lines are joined", () => {
  const giveTurn = async () => await new Promise<void>((resolve) => setTimeout(resolve, 0));

  test("sends the lines that are ready after a turn together, and meanwhile continues", async () => {
    const { heard: received, listener } = listen();
    const last = await sendLines<string>(
      listener,
      async function* work() {
        yield* ["a", "b", "c"];
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield* ["d", "e"];
        return "last";
      },
      { giveTurn },
    );
    expect([last, received]).toEqual(["last", ["a+b+c", "d+e"]]);
  });

  test("returns a line that is alone at the end, so that it needs no call", async () => {
    const { heard: received, listener } = listen();
    const last = await sendLines<string>(
      listener,
      async function* work() {
        yield "a";
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield "b";
        return null;
      },
      { giveTurn },
    );
    expect([last, received]).toEqual(["b", ["a"]]);
  });

  test("sends what is ready before it commits a line", async () => {
    const { heard: received, listener } = listen();
    await sendLines<string>(
      listener,
      async function* work(): AsyncGenerator<string, null, boolean> {
        yield* ["a", "b"];
        yield "c!";
        return null;
      },
      { giveTurn, mustBeStored: (line) => line.endsWith("!") },
    );
    expect(received).toEqual(["a+b", "committed c!"]);
  });

  test("aborts its phase when the listener fails, and fails", async () => {
    const { listener } = listen(() => {
      throw new Error("nobody is there");
    });
    const ended: string[] = [];
    await expect(sendLines(listener, endless(ended), { giveTurn })).rejects.toThrow("nobody is there");
    expect(ended).toEqual(["aborted", "closed"]);
  });

  test("waits for a slow listener once many lines are unsent", async () => {
    let produced = 0;
    const heard: number[] = [];
    const { listener } = listen();
    await sendLines<string>(
      {
        ...listener,
        async hearAll(lines) {
          heard.push(produced);
          await giveTurn();
          expect(lines.length).toBeLessThanOrEqual(64);
        },
      },
      async function* work() {
        for (; produced < 1000; produced += 1) yield "line";
        return null;
      },
      { giveTurn },
    );
    expect(heard[0]).toBeLessThanOrEqual(64);
  });
});
