/** What every `ToolSourcesPort` does. Runs in Node for the fake and in workerd for Postgres with the bucket. */
import { describe, expect, it } from "vitest";
import type { Result } from "../../../core/base/errors.ts";
import {
  MAX_APP_SOURCES,
  MAX_SOURCE_BYTES,
  MAX_SOURCES,
  type OutsideTool,
  type ToolSourcesPort,
} from "../../../core/tool/source.ts";

/** A tool that reads from an address. */
export function outsideToolOf(name: string, change: Partial<OutsideTool> = {}): OutsideTool {
  return {
    name,
    summary: `Read ${name}.`,
    toolbox: "custom",
    category: "api",
    permissions: ["network"],
    security: "safe",
    effect: "none",
    timeoutMs: 30_000,
    input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    output: null,
    origin: {
      kind: "http",
      request: {
        method: "GET",
        url: "https://weather.example/now",
        headers: {},
        places: {},
        contentType: "application/json",
        resultAt: null,
      },
    },
    ...change,
  };
}

/** A tool of an app of the catalogue. */
function appToolOf(action: string, change: Partial<OutsideTool> = {}): OutsideTool {
  const origin = { kind: "app", provider: "composio", app: "gmail", action, version: "1" } as const;
  return outsideToolOf(`composio_${action}`, {
    origin: { ...origin, capabilities: ["email.read"], isDestructive: false },
    ...change,
  });
}

/** `open` gives the port and two tenants that have no sources. */
export function toolSourcesContract(
  name: string,
  open: () => Promise<{ sources: ToolSourcesPort; a: string; b: string }>,
): void {
  const publish = async (port: ToolSourcesPort, tenant: string, source: string, ...tools: OutsideTool[]) =>
    await port.publish(tenant, { name: source, tools }, null);
  const valueOf = <T>(result: Result<T>): T => {
    if (!result.ok) throw new Error(JSON.stringify(result.error));
    return result.value;
  };

  describe(`tool sources: ${name}`, () => {
    it("retain the content that was published under a hash, even after another publication", async () => {
      const { sources, a } = await open();
      const one = valueOf(await publish(sources, a, "custom", outsideToolOf("weather.now")));
      const two = valueOf(await publish(sources, a, "custom", outsideToolOf("weather.now", { summary: "Other." })));
      expect([one.version, two.version, one.hash === two.hash]).toEqual([1, 2, false]);
      expect(await sources.present(a)).toEqual({ ok: true, value: [{ name: "custom", hash: two.hash }] });
      expect(valueOf(await sources.read(a, one.hash ?? ""))).toEqual([outsideToolOf("weather.now")]);
      expect(valueOf(await sources.read(a, two.hash ?? ""))[0]?.summary).toBe("Other.");
    });

    it("change nothing when the same content is published again", async () => {
      const { sources, a } = await open();
      const one = valueOf(await publish(sources, a, "custom", outsideToolOf("one")));
      expect(valueOf(await publish(sources, a, "custom", outsideToolOf("one")))).toEqual(one);
    });

    it("disappear with their last tool, and continue their version numbers when they reappear", async () => {
      const { sources, a } = await open();
      valueOf(await publish(sources, a, "mcp:git", outsideToolOf("git_log")));
      const gone = valueOf(await publish(sources, a, "mcp:git"));
      expect(gone).toMatchObject({ hash: null, tools: 0, version: 2 });
      expect(await sources.present(a)).toEqual({ ok: true, value: [] });
      expect(valueOf(await publish(sources, a, "other", outsideToolOf("git_log"))).version).toBe(1);
      expect(valueOf(await sources.all(a)).map((record) => [record.name, record.tools])).toEqual([
        ["mcp:git", 0],
        ["other", 1],
      ]);
    });

    it("refuse a name that is registered twice, in one source or in two, with dots or with underscores", async () => {
      const { sources, a } = await open();
      const refused = { ok: false, error: { code: "conflict", field: "name" } };
      const [dotted, plain] = [outsideToolOf("fs.look"), outsideToolOf("fs_look")];
      expect(await publish(sources, a, "custom", dotted, plain)).toMatchObject(refused);
      valueOf(await publish(sources, a, "custom", dotted, outsideToolOf("free")));
      expect(await publish(sources, a, "mcp:one", plain)).toMatchObject(refused);
      expect(valueOf(await sources.all(a)).map((record) => record.name)).toEqual(["custom"]);
      valueOf(await publish(sources, a, "custom", outsideToolOf("free")));
      valueOf(await publish(sources, a, "mcp:one", plain));
    });

    it("change only from the version that their maker has seen", async () => {
      const { sources, a } = await open();
      const at = (ifVersion: number, tool: string) =>
        sources.publish(a, { name: "custom", tools: [outsideToolOf(tool)], ifVersion }, null);
      expect(valueOf(await at(0, "one")).version).toBe(1);
      expect(await at(0, "two")).toMatchObject({ ok: false, error: { code: "conflict", field: "ifVersion" } });
      expect(valueOf(await at(1, "two")).version).toBe(2);
      expect(valueOf(await sources.read(a, valueOf(await sources.present(a))[0]?.hash ?? ""))[0]?.name).toBe("two");
    });

    it("are all there when many are published at once", async () => {
      const { sources, a } = await open();
      const names = Array.from({ length: 8 }, (_, index) => `mcp:${index}`);
      await Promise.all(
        names.map(async (source, i) => valueOf(await publish(sources, a, source, outsideToolOf(`t${i}`)))),
      );
      expect(valueOf(await sources.present(a)).map((pinned) => pinned.name)).toEqual(names);
    });

    it("are refused over their size", async () => {
      const { sources, a } = await open();
      const large = outsideToolOf("large", { input: { description: "é".repeat(MAX_SOURCE_BYTES / 2) } });
      expect(await publish(sources, a, "custom", large)).toMatchObject({ ok: false, error: { code: "too_large" } });
      expect(await sources.present(a)).toEqual({ ok: true, value: [] });
    });

    it("are rejected beyond the tenant's total, and fit again after a removal", async () => {
      const { sources, a, b } = await open();
      const large = (tool: string) => outsideToolOf(tool, { input: { description: "x".repeat(7_600_000) } });
      const refused = { ok: false, error: { code: "quota_exceeded" } };
      valueOf(await publish(sources, a, "one", large("first")));
      expect(await publish(sources, a, "two", large("second"))).toMatchObject(refused);
      valueOf(await publish(sources, b, "two", large("second")));
      valueOf(await publish(sources, a, "one"));
      valueOf(await publish(sources, a, "two", large("second")));
    });

    it("have a limit, and those below it can change when it is reached", async () => {
      const { sources, a } = await open();
      for (let i = 0; i < MAX_SOURCES; i += 1) valueOf(await publish(sources, a, `s${i}`, outsideToolOf(`t${i}`)));
      const refused = { ok: false, error: { code: "quota_exceeded" } };
      expect(await publish(sources, a, "more", outsideToolOf("more"))).toMatchObject(refused);
      expect(valueOf(await publish(sources, a, "s7", outsideToolOf("other"))).version).toBe(2);
      valueOf(await publish(sources, a, "s7"));
      valueOf(await publish(sources, a, "more", outsideToolOf("more")));
    });

    it("belong to their tenant: another sees neither them, nor their names, nor the content under their hash", async () => {
      const { sources, a, b } = await open();
      const mine = valueOf(await publish(sources, a, "custom", outsideToolOf("one")));
      expect(await sources.present(b)).toEqual({ ok: true, value: [] });
      expect(await sources.all(b)).toEqual({ ok: true, value: [] });
      expect(await sources.read(b, mine.hash ?? "")).toMatchObject({ ok: false, error: { code: "not_found" } });
      const theirs = valueOf(await publish(sources, b, "custom", outsideToolOf("one", { summary: "Theirs." })));
      expect(theirs.version).toBe(1);
      expect(valueOf(await sources.read(a, valueOf(await sources.present(a))[0]?.hash ?? ""))).toEqual([
        outsideToolOf("one"),
      ]);
      expect(await sources.read(a, theirs.hash ?? "")).toMatchObject({ ok: false, error: { code: "not_found" } });
    });

    it("of apps have one content for all tenants, and disappear for each alone", async () => {
      const { sources, a, b } = await open();
      const tool = appToolOf("GMAIL_LIST");
      const [mine, theirs] = [
        valueOf(await publish(sources, a, "app:gmail", tool)),
        valueOf(await publish(sources, b, "app:gmail", tool)),
      ];
      expect(mine.hash).toBe(theirs.hash);
      valueOf(await publish(sources, a, "app:gmail"));
      expect(valueOf(await sources.present(a))).toEqual([]);
      expect(valueOf(await sources.present(b))).toEqual([{ name: "app:gmail", hash: mine.hash }]);
      for (const tenant of [a, b]) expect(valueOf(await sources.read(tenant, mine.hash ?? ""))).toEqual([tool]);
      expect(await publish(sources, b, "custom", outsideToolOf("composio_GMAIL_LIST"))).toMatchObject({
        ok: false,
        error: { code: "conflict", field: "name" },
      });
    });

    it("say how large a pinned source is, and have the search index of an app's actions", async () => {
      const { sources, a } = await open();
      const tool = appToolOf("GMAIL_LIST", { summary: "Lists é." });
      const app = valueOf(await publish(sources, a, "app:gmail", tool));
      const own = valueOf(await publish(sources, a, "custom", outsideToolOf("one")));
      for (const { name, hash, bytes } of [app, own])
        expect(valueOf(await sources.open(a, { name, hash: hash ?? "" }))).toMatchObject({ bytes });
      expect(valueOf(await sources.open(a, { name: "app:gmail", hash: app.hash ?? "" })).tools).toEqual([tool]);
      expect(await sources.open(a, { name: "app:gmail", hash: own.hash ?? "" })).toMatchObject({
        error: { code: "not_found" },
      });
      const index = valueOf(await sources.readIndex(app.hash ?? ""));
      expect(index?.names).toEqual(["GMAIL_LIST"]);
      expect([...(index?.segment.terms.keys() ?? [])]).toContain("list");
      expect(await sources.readIndex(own.hash ?? "")).toEqual({ ok: true, value: null });
    });

    it("of apps leave the room of other sources as it is, and have a room of their own", async () => {
      const { sources, a } = await open();
      const large = (tool: string, bytes: number) => outsideToolOf(tool, { input: { description: "x".repeat(bytes) } });
      const refused = { ok: false, error: { code: "quota_exceeded" } };
      valueOf(await publish(sources, a, "app:one", large("first", 7_900_000)));
      expect(await publish(sources, a, "app:two", large("second", 200_000))).toMatchObject(refused);
      valueOf(await publish(sources, a, "one", large("third", 7_900_000)));
      valueOf(await publish(sources, a, "two", large("fourth", 7_000_000)));
      valueOf(await publish(sources, a, "app:one"));
      valueOf(await publish(sources, a, "app:two", large("second", 200_000)));
    });

    it("of apps do not count as other sources, and have a limit of their own", async () => {
      const { sources, a } = await open();
      const refused = { ok: false, error: { code: "quota_exceeded" } };
      for (let i = 0; i < MAX_APP_SOURCES; i += 1)
        valueOf(await publish(sources, a, `app:${i}`, appToolOf(`GMAIL_${i}`)));
      expect(await publish(sources, a, "app:more", appToolOf("GMAIL_MORE"))).toMatchObject(refused);
      valueOf(await publish(sources, a, "custom", outsideToolOf("own")));
      valueOf(await publish(sources, a, "app:7"));
      valueOf(await publish(sources, a, "app:more", appToolOf("GMAIL_MORE")));
    });
  });
}
