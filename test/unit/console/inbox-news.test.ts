import { describe, expect, it } from "vitest";
import { type Known, newsOf } from "../../../web/src/shell/inbox-news.ts";

type Look = Parameters<typeof newsOf>[1];
type Waiting = Look["newest"][number];

const SECRET = "the password is hunter2";

/** A question of the given second; the later, the newer. */
function question(second: number): Waiting & { readonly task: unknown } {
  const minutes = String(Math.floor(second / 60)).padStart(2, "0");
  const since = `2026-11-21T10:${minutes}:${String(second % 60).padStart(2, "0")}.000Z`;
  return { task: { title: SECRET }, pending: { kind: "question", id: `qst_${second}` }, since };
}

/** All that waits: the questions of the first seconds. */
function many(count: number): Look {
  return { newest: Array.from({ length: count }, (_, index) => question(index)).toReversed(), isCut: false };
}

/** The newest ten of what waits. */
function newestOf({ newest }: Look): Look {
  return { newest: newest.slice(0, 10), isCut: newest.length > 10 };
}

/** What is known after these were read. */
function knowing(look: Look, at = 0): Known {
  return newsOf(null, look, at).known;
}

describe("the news of the inbox", () => {
  it("is nothing at the first look, whatever waits", () => {
    expect(newsOf(null, many(50), 0).news).toEqual([]);
  });

  it("is each new entry, once, with the way to it", () => {
    const { known, news } = newsOf(knowing(many(1)), many(2), 30_000);
    expect(news).toMatchObject([{ title: "A task needs an answer", entry: "qst_1" }]);
    expect(newsOf(known, many(2), 60_000).news).toEqual([]);
  });

  it("is notified once even if an entry disappears for a moment", () => {
    const { known } = newsOf(knowing(many(1)), many(0), 30_000);
    expect(newsOf(known, many(1), 60_000).news).toEqual([]);
  });

  it("is one line for many at once", () => {
    expect(newsOf(knowing(many(0)), many(4), 30_000).news).toEqual([
      { tag: "otto inbox", title: "4 things wait for you", entry: null },
    ]);
  });

  it("is one line for what gathered while the server was away", () => {
    expect(newsOf(knowing(many(0)), many(2), 600_000).news).toHaveLength(1);
  });

  it("is notified however many wait already, but not if an entry only moved into view", () => {
    const { known, news } = newsOf(knowing(newestOf(many(30))), newestOf(many(31)), 30_000);
    expect(news).toMatchObject([{ entry: "qst_30" }]);
    // The newest are settled: others come into sight that have waited all the time.
    expect(newsOf(known, newestOf(many(25)), 60_000).news).toEqual([]);
    const all = newsOf(known, many(5), 60_000);
    expect(all.news).toEqual([]);
    expect(newsOf(all.known, many(6), 90_000).news).toMatchObject([{ entry: "qst_5" }]);
  });

  it("says where it cannot say how many", () => {
    expect(newsOf(knowing(newestOf(many(30))), newestOf(many(60)), 30_000).news).toMatchObject([
      { title: "10 things or more wait for you" },
    ]);
  });

  it("contains no question and no name", () => {
    expect(JSON.stringify(newsOf(knowing(many(0)), many(2), 1_000).news)).not.toContain("hunter2");
  });
});
