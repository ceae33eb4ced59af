/** A server's question for a person, and the answer for the server. */
import { describe, expect, it } from "vitest";
import { readAnswer, readQuestion, formatQuestion } from "../../../core/mcp/question.ts";
import type { McpQuestion } from "../../../core/ports/mcp.ts";

const form = (properties: Record<string, unknown>, required: string[] = Object.keys(properties)): McpQuestion => ({
  mode: "form",
  message: "Please say.",
  schema: { type: "object", properties, required },
  url: null,
});

function read(question: McpQuestion, said: string | null): unknown {
  const asked = readQuestion(question);
  if (asked === null) throw new Error("it is no question");
  const answer = readAnswer(asked, said);
  return answer.ok ? answer.answer : answer.problem;
}

function toShown(question: McpQuestion) {
  const asked = readQuestion(question);
  if (asked === null) throw new Error("it is no question");
  return formatQuestion("notes", "order", question, asked, null);
}

const accepted = (content: Record<string, unknown>) => ({ action: "accept", content });

describe("a question", () => {
  it("names the server and the tool, and how to decline", () => {
    const { query, choices } = toShown(form({ name: { type: "string", title: "Name", description: "Your own" } }));
    expect(query).toMatch(/MCP server “notes” asks, for its tool order: Please say\./);
    expect(query).toMatch(/name \(text\): Name: Your own/);
    expect(query).toMatch(/Decline/);
    expect(choices).toBeNull();
  });

  it("offers the choices", () => {
    expect(toShown(form({ ok: { type: "boolean" } })).choices).toEqual(["Yes", "No", "Decline"]);
    expect(toShown(form({ size: { type: "string", enum: ["S", "M"] } })).choices).toEqual(["S", "M", "Decline"]);
    const titled = {
      type: "string",
      oneOf: [
        { const: "#f00", title: "Red" },
        { const: "#0f0", title: "Green" },
      ],
    };
    expect(toShown(form({ colour: titled })).choices).toEqual(["Red", "Green", "Decline"]);
    expect(toShown(form({})).choices).toEqual(["Accept", "Decline"]);
  });

  it("with a URL names the host, and allows web addresses only", () => {
    const go = (url: string): McpQuestion => ({ mode: "url", message: "Sign in", schema: null, url });
    expect(toShown(go("https://bank.example/in?x=1"))).toMatchObject({
      query: expect.stringMatching(/page of bank\.example: https:\/\/bank\.example\/in\?x=1/),
      choices: ["Done", "Decline"],
    });
    expect(read(go("https://bank.example/"), "done")).toEqual({ action: "accept" });
    expect(read(go("https://bank.example/"), "what?")).toMatch(/Done/);
    for (const url of ["javascript:alert(1)", "file:///etc/passwd", "no url"]) expect(readQuestion(go(url))).toBeNull();
  });

  it.each([
    { a: { type: "object", properties: {} } },
    { a: { type: "array", items: { type: "object" } } },
    { a: { type: "string", enum: [1, 2] } },
    { a: "text" },
    Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`f${index}`, { type: "string" }])),
  ])("with other than simple fields is invalid (%#)", (properties) => {
    expect(readQuestion(form(properties))).toBeNull();
  });

  it("contains no characters that hide the question", () => {
    const { query } = toShown({ ...form({}), message: "pay\u202e\u200b now" });
    expect(query).toMatch(/pay now/);
  });
});

describe("an answer", () => {
  it.each([
    [{ type: "string" }, "Ada", "Ada"],
    [{ type: "integer" }, "3", 3],
    [{ type: "number", minimum: 0 }, "2.5", 2.5],
    [{ type: "boolean" }, "yes", true],
    [{ type: "string", enum: ["S", "M"] }, "M", "M"],
    [{ type: "string", oneOf: [{ const: "#f00", title: "Red" }] }, "Red", "#f00"],
    [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, "a, b", ["a", "b"]],
    [{ type: "string", format: "email" }, "a@b.example", "a@b.example"],
    [{ type: "string" }, '{"value": "in JSON"}', "in JSON"],
  ])("to one field of %j: %j", (schema, said, value) => {
    expect(read(form({ value: schema }), said)).toEqual(accepted({ value }));
  });

  it.each([
    [{ type: "integer" }, "2.5", /whole number/],
    [{ type: "number", maximum: 3 }, "4", /up to 3/],
    [{ type: "boolean" }, "perhaps", /yes or no/],
    [{ type: "string", enum: ["S"] }, "XXL", /one of: S/],
    [{ type: "string", minLength: 3 }, "ab", /3 to/],
    [{ type: "string", format: "date" }, "2026-02-30x", /date/],
    [{ type: "array", items: { enum: ["a"] }, minItems: 1 }, "", /1 to 1/],
    [{ type: "string" }, '{"other": 1}', /no field “other”/],
  ])("that does not fit %j is requested again: %j", (schema, said, problem) => {
    expect(read(form({ value: schema }), said)).toMatch(problem);
  });

  it("to several fields is JSON or lines, with defaults for missing ones", () => {
    const asked = form(
      {
        name: { type: "string" },
        age: { type: "integer" },
        town: { type: "string", default: "Oslo" },
        note: { type: "string" },
      },
      ["name", "age"],
    );
    const content = { name: "Ada: L", age: 36, town: "Oslo" };
    expect(read(asked, '{"name": "Ada: L", "age": 36}')).toEqual(accepted(content));
    expect(read(asked, "name: Ada: L\nage: 36")).toEqual(accepted(content));
    expect(read(asked, "name: Ada")).toMatch(/“age” is missing/);
  });

  it("that declines, or is missing, has the protocol's form", () => {
    const asked = form({ name: { type: "string" } });
    expect(read(asked, " decline ")).toEqual({ action: "decline" });
    expect(read(asked, "Cancel")).toEqual({ action: "cancel" });
    expect(read(asked, null)).toEqual({ action: "cancel" });
    expect(read(form({}), "Accept")).toEqual(accepted({}));
  });

  it("ignores inherited properties", () => {
    const asked = form(JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}'));
    const answer = read(asked, '{"__proto__": "x", "constructor": "y"}') as { content: object };
    expect(Object.getPrototypeOf(answer.content)).toBe(Object.prototype);
    expect(Object.entries(answer.content)).toEqual(expect.arrayContaining([["constructor", "y"]]));
  });
});
