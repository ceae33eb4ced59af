import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DETECTED_TYPES } from "../../../core/results/detect-type.ts";
import { forPage } from "../../../core/results/for-page.ts";
import {
  countedName,
  DATA_TYPES,
  isPlain,
  savedPathOf,
  toolDataOf,
  webAddressOf,
} from "../../../web/src/pages/task/data/tool-data.ts";
import { applyEvents, EMPTY_TIMELINE } from "../../../web/src/pages/task/timeline/timeline.ts";
import { APP_RESULTS } from "../results/app-results.ts";

describe("the data of a call on its page", () => {
  test("has the types of the API", () => {
    expect([...DATA_TYPES].toSorted()).toEqual([...DETECTED_TYPES].toSorted());
  });

  test.each(Object.keys(APP_RESULTS))("has every entry of %s", (name) => {
    const page = forPage(name, APP_RESULTS[name]);
    const data = toolDataOf({ ...page });
    const content = data?.content;
    const entries = content?.kind === "table" ? content.rows : content?.kind === "list" ? content.entries : [];
    expect(data).toMatchObject({ type: page.detected_type, count: page.count });
    expect(entries).toHaveLength(page.count);
  });

  test.each([
    ["apps/googledrive/team.txt", true],
    ["apps/gmail/a b.pdf", true],
    ["see apps/gmail/a.pdf", false],
    ["apps/gmail/a/b.pdf", false],
    ["apps/../secret", false],
    ["apps/gmail/", false],
    ["/apps/gmail/a.pdf", false],
  ])("names a saved file by %s: %s", (text, isSaved) => {
    expect(savedPathOf(text)).toBe(isSaved ? text : null);
  });

  test("belongs to its call, and an event of no call stays a line of its own", () => {
    const page = forPage("run_command", { stdout: "hi", stderr: "", returncode: 1 });
    const events = [
      ["step.started", { step: 1, attempt: 1 }],
      ["call.started", { step: 1, call_id: "call_1", tool: "run_command" }],
      ["call.completed", { step: 1, call_id: "call_1", ok: true, state: "confirmed", result: 1 }],
      ["tool-data", { step: 1, call_id: "call_1", ...page }],
      ["tool-data", { step: 1, call_id: "call_2", ...page }],
      ["tool-data", { step: 1, call_id: "call_1", detected_type: "of a later release" }],
    ] as const;
    const timeline = applyEvents(
      EMPTY_TIMELINE,
      events.map(([event, data], at) => ({ id: String(at + 1), event, data })),
    );
    const [call, ...others] = timeline.steps.flatMap(({ items }) => items);
    expect(call).toMatchObject({
      kind: "call",
      data: { type: "terminal_output", content: { outputs: [{ stdout: "hi", stderr: "", exitCode: 1 }] } },
    });
    expect(others.map(({ kind }) => kind)).toEqual(["other", "other"]);
  });

  test("of any shape is read", () => {
    fc.assert(
      fc.property(fc.constantFrom(...DATA_TYPES), fc.jsonValue(), fc.jsonValue(), (type, value, count) => {
        const data = toolDataOf({ detected_type: type, [type]: value, count });
        expect(data?.type).toBe(type);
        if (data !== null) expect(typeof isPlain(data)).toBe("boolean");
      }),
    );
  });

  test("is left to the result itself when it is one text", () => {
    const read = (value: unknown) => toolDataOf({ ...forPage("t", value) });
    expect([read("Only text."), read(null)].map((data) => data !== null && isPlain(data))).toEqual([true, true]);
    expect(
      [read({ a: 1 }), read([{ title: "a", url: "https://a.example", text: "b" }])].map(
        (data) => data !== null && isPlain(data),
      ),
    ).toEqual([false, false]);
  });

  test("links to addresses of the web alone", () => {
    expect(webAddressOf("https://a.example/b")).toBe("https://a.example/b");
    expect(["javascript:alert(1)", "//a.example", "https://", null].map(webAddressOf)).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect([countedName("emails", 1), countedName("table_data", 2)]).toEqual(["email", "rows"]);
  });
});
