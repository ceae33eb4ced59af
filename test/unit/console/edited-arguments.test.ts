import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Arguments,
  type ArgumentsDraft,
  changedArguments,
  faultsByArgument,
  fieldText,
  readDraft,
  turnDraft,
  UNTOUCHED,
} from "../../../web/src/pending/edited-arguments.ts";

const ASKED: Arguments = {
  to: "ana@example.com",
  text: "one\r\ntwo",
  copies: 2,
  urgent: false,
  tags: ["a"],
  note: null,
};

function touch(touched: ArgumentsDraft["touched"]): ArgumentsDraft {
  return { ...UNTOUCHED, touched };
}

describe("an edit of the arguments of a call", () => {
  it("is absent until an edit", () => {
    const read = readDraft(ASKED, UNTOUCHED);
    expect(read.ok && changedArguments(ASKED, read.arguments)).toBeNull();
  });

  it("changes the edited fields, in their own types, and leaves the rest as requested", () => {
    expect(readDraft(ASKED, touch({ to: "eve@example.com", copies: "3", urgent: true, tags: '["b"]' }))).toEqual({
      ok: true,
      arguments: { ...ASKED, to: "eve@example.com", copies: 3, urgent: true, tags: ["b"] },
    });
  });

  it.each([
    ["copies", "many", "This is not a number."],
    ["copies", "100,000", "write 100000 or 100.000"],
    ["copies", "", "Write a number."],
    ["tags", "[", "This is no JSON"],
  ])("names the field that it cannot read: %s = %j", (name, typed, fault) => {
    const read = readDraft(ASKED, touch({ [name]: typed }));
    expect(read).toMatchObject({ ok: false, faults: { [name]: expect.stringContaining(fault) as string } });
  });

  it("is nothing when it was typed back", () => {
    const read = readDraft(ASKED, touch({ to: "ana@example.com", copies: "2,0" }));
    expect(read.ok && changedArguments(ASKED, read.arguments)).toBeNull();
  });

  it("retains the typed text when the form switches to JSON and back", () => {
    const json = turnDraft(ASKED, touch({ to: "eve@example.com" }));
    expect(json).toMatchObject({ view: "json" });
    const form = "view" in json ? turnDraft(ASKED, json) : json;
    expect(form).toMatchObject({ view: "form" });
    expect("view" in form && readDraft(ASKED, form)).toEqual({
      ok: true,
      arguments: { ...ASKED, to: "eve@example.com" },
    });
  });

  it("stays as it is when it cannot be read in the other view", () => {
    expect(turnDraft(ASKED, { view: "json", touched: {}, json: "{" })).toMatchObject({ ok: false });
    expect(turnDraft(ASKED, { view: "json", touched: {}, json: "[]" })).toMatchObject({
      faults: { "": "Write one JSON object: { … }." },
    });
  });

  it("can add and remove arguments as JSON", () => {
    const read = readDraft(ASKED, { view: "json", touched: {}, json: '{"to": "ana@example.com", "bcc": "b"}' });
    expect(read.ok && changedArguments(ASKED, read.arguments)).toEqual({ to: "ana@example.com", bcc: "b" });
  });

  it("reads each value of a field as the value that the field shows", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const asked = { value };
        const typed = typeof value === "boolean" ? value : fieldText(value);
        const read = readDraft(asked, touch({ value: typed }));
        // A minus zero has no text of its own in JSON.
        expect(JSON.stringify(read.ok && read.arguments)).toBe(JSON.stringify(asked));
      }),
    );
  });
});

describe("what the API finds wrong with edited arguments", () => {
  it("is listed at its argument", () => {
    const faults = faultsByArgument(
      {
        "arguments.to": "is required",
        "arguments.tags.0": "is too long",
        arguments: "are too many",
        reason: "is empty",
      },
      ["to", "tags", "t"],
    );
    expect(faults).toEqual({ to: "is required", tags: "0: is too long", "": "are too many; reason: is empty" });
  });
});
