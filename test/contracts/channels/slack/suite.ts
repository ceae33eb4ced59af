/** What every `SlackPort` does. */
import { afterEach, describe, expect, it } from "vitest";
import type { SlackPort, SlackPost } from "../../../../core/ports/slack.ts";

/**
 * A port to a workspace with the open channel `C1` (`#general`), the archived one `C2` and the person `U1`, Ana, with the
 * address ana@example.com and the zone of Lisbon.
 */
export interface SlackUnderTest {
  readonly slack: SlackPort;
  readonly team: string;
  revoke(): Promise<void>;
  close(): Promise<void>;
}

export function slackContract(name: string, open: () => Promise<SlackUnderTest>): void {
  describe(`slack: ${name}`, () => {
    let opened: SlackUnderTest | null = null;
    const start = async () => {
      opened = await open();
      return opened.slack;
    };
    const post = (more: Partial<SlackPost> = {}): SlackPost => ({
      channel: "C1",
      thread: null,
      text: "hello",
      blocks: [],
      key: "key 1",
      ...more,
    });
    const since = Date.now() - 60_000;

    afterEach(async () => {
      await opened?.close();
      opened = null;
    });

    it("posts messages that are found by their keys, in their threads", async () => {
      const slack = await start();
      const first = await slack.post(post());
      if (!first.ok) throw new Error(first.error.message);
      const { channel, ts } = first.value;
      expect(channel).toBe("C1");
      const second = await slack.post(post({ thread: ts, key: "key 2" }));
      const root = await slack.listOwnMessages({ channel, thread: null, since });
      expect(root).toMatchObject({ ok: true, value: [{ channel, ts, key: "key 1" }] });
      const thread = await slack.listOwnMessages({ channel, thread: ts, since });
      expect(thread.ok && thread.value.map(({ key }) => key)).toEqual(["key 1", "key 2"]);
      expect(second).toMatchObject({ ok: true, value: { channel } });
    });

    it("gives what was said in a thread before a message, in order", async () => {
      const slack = await start();
      const said: { channel: string; ts: string }[] = [];
      for (const text of ["first", "second", "third"]) {
        const done = await slack.post(post({ thread: said[0]?.ts ?? null, text, key: text }));
        if (!done.ok) throw new Error(done.error.message);
        said.push(done.value);
      }
      const [first, , third] = said;
      const place = { channel: "C1", thread: first?.ts ?? "", before: third?.ts ?? "" };
      const found = await slack.listMessagesBefore(place);
      expect(found.ok && found.value.map(({ text }) => text)).toEqual(["first", "second"]);
      expect(await slack.listMessagesBefore({ ...place, channel: "C9" })).toMatchObject({
        ok: false,
        error: { code: "not_found" },
      });
    });

    it("posts to a channel by its name, and says which it is", async () => {
      const slack = await start();
      expect(await slack.post(post({ channel: "#general" }))).toMatchObject({ ok: true, value: { channel: "C1" } });
      expect(await slack.findChannel("general")).toEqual({ ok: true, value: "C1" });
      expect(await slack.findChannel("nowhere")).toMatchObject({ ok: false, error: { code: "not_found" } });
    });

    it("changes its messages, and says that one is gone", async () => {
      const slack = await start();
      const posted = await slack.post(post());
      if (!posted.ok) throw new Error(posted.error.message);
      expect(await slack.update({ ...posted.value, text: "other", blocks: [] })).toEqual({
        ok: true,
        value: undefined,
      });
      const gone = await slack.update({ channel: "C1", ts: "1.000001", text: "other", blocks: [] });
      expect(gone).toMatchObject({ ok: false, error: { code: "not_found", happened: "no" } });
    });

    it.each([
      ["that is not there", "C9", "not_found"],
      ["that is archived", "C2", "conflict"],
    ])("posts nothing to a channel %s", async (_what, channel, code) => {
      const slack = await start();
      expect(await slack.post(post({ channel }))).toMatchObject({
        ok: false,
        error: { code, happened: "no" },
      });
    });

    it("knows people by id and by address, and opens a conversation with them", async () => {
      const slack = await start();
      const ana = { id: "U1", name: "Ana", email: "ana@example.com", timeZone: "Europe/Lisbon", isBot: false };
      expect(await slack.user("U1")).toMatchObject({ ok: true, value: ana });
      expect(await slack.userByEmail("ana@example.com")).toMatchObject({ ok: true, value: ana });
      expect(await slack.user("U9")).toMatchObject({ ok: false, error: { code: "not_found" } });
      expect(await slack.userByEmail("eve@example.com")).toMatchObject({ ok: false, error: { code: "not_found" } });
      const direct = await slack.openConversation("U1");
      if (!direct.ok) throw new Error(direct.error.message);
      expect(await slack.post(post({ channel: direct.value }))).toMatchObject({ ok: true });
      expect(await slack.openConversation("U9")).toMatchObject({ ok: false, error: { code: "not_found" } });
    });

    it("shares files that are found by their titles", async () => {
      const slack = await start();
      const root = await slack.post(post());
      if (!root.ok) throw new Error(root.error.message);
      const thread = root.value.ts;
      const bytes = new TextEncoder().encode("a,b\n1,2\n");
      const file = { channel: "C1", thread, name: "t.csv", title: "out/t.csv", bytes };
      expect(await slack.upload(file)).toEqual({ ok: true, value: undefined });
      const found = await slack.listOwnMessages({ channel: "C1", thread, since });
      expect(found.ok && found.value.flatMap(({ files }) => files.map(({ title }) => title))).toEqual(["out/t.csv"]);
      const refused = await slack.upload({ ...file, channel: "C2", thread: null });
      expect(refused).toMatchObject({ ok: false, error: { code: "conflict" } });
    });

    it("gives the address of a message", async () => {
      const slack = await start();
      const posted = await slack.post(post());
      if (!posted.ok) throw new Error(posted.error.message);
      const link = await slack.permalink(posted.value);
      expect(link.ok && URL.parse(link.value)?.pathname.startsWith("/archives/C1/p")).toBe(true);
    });

    it.each(["https://example.com/x", "http://slack.com.example.com/x", "https://hooks.slack.com@example.com/x"])(
      "neither fetches a file from %s nor answers there",
      async (url) => {
        const slack = await start();
        const refused = { ok: false, error: { code: "blocked_by_policy", happened: "no" } };
        expect(await slack.download(url, 1_000)).toMatchObject(refused);
        const answer = { text: "x", blocks: [], isEphemeral: true, replaces: false };
        expect(await slack.respond(url, answer)).toMatchObject(refused);
      },
    );

    it("says for whom its token speaks, and that it was taken back", async () => {
      const slack = await start();
      expect(await slack.whoAmI()).toMatchObject({ ok: true, value: { team: opened?.team } });
      await opened?.revoke();
      const refused = { ok: false, error: { code: "forbidden", happened: "no" } };
      expect(await slack.whoAmI()).toMatchObject(refused);
      expect(await slack.post(post())).toMatchObject(refused);
    });
  });
}
