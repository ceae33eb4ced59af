import { describe, expect, test } from "vitest";
import { z } from "zod";
import "../../../core/base/describe-issue.ts";
import { invalidInput } from "../../../core/base/invalid-input.ts";

const CANARY = "sk-canary-5f3a";
const NUMBER_CANARY = 4_929_553_141_708;
/** Values that hold a secret, by kind. */
const SECRETS: readonly unknown[] = [CANARY, NUMBER_CANARY, BigInt(NUMBER_CANARY), [CANARY], { key: CANARY }];
const SCHEMAS: readonly z.ZodType[] = [
  z.string().min(1_000),
  z.string().max(3),
  z.number(),
  z.number().max(5),
  z.number().min(Number.MAX_SAFE_INTEGER),
  z.number().multipleOf(7.5),
  z.int().lt(5),
  z.bigint().max(5n),
  z.boolean(),
  z.null(),
  z.never(),
  z.undefined(),
  z.array(z.number()),
  z.array(z.string()).max(0),
  z.tuple([z.number()]),
  z.object({ key: z.number() }),
  z.strictObject({ other: z.string() }),
  z.record(z.string(), z.boolean()),
  z.record(z.string().max(1), z.string()),
  z.map(z.string(), z.string()),
  z.set(z.string()),
  z.date(),
  z.enum(["one", "two"]),
  z.literal([5, null, true]),
  z.literal("only"),
  z.union([z.number().max(1), z.boolean(), z.object({ key: z.boolean() })]),
  z.discriminatedUnion("key", [z.object({ key: z.literal("a") }), z.object({ key: z.literal("b") })]),
  z.email(),
  z.url(),
  z.uuid(),
  z.iso.date(),
  z.ipv4(),
  z.string().regex(/^x$/),
  z.string().startsWith("x"),
  z.string().endsWith("x"),
  z.string().includes("x"),
  z.json().refine(() => false),
];

test("a secret value never comes back, for any expected type", () => {
  let refused = 0;
  for (const schema of SCHEMAS)
    for (const secret of SECRETS) {
      const parsed = schema.safeParse(secret);
      if (parsed.success) continue;
      refused += 1;
      const text = JSON.stringify(parsed.error.issues, (_, part: unknown) =>
        typeof part === "bigint" ? `${part}n` : part,
      );
      expect(text).not.toContain(CANARY);
      expect(text).not.toContain(String(NUMBER_CANARY));
    }
  expect(refused).toBeGreaterThan(120);
});

describe("the kind of the value is named instead", () => {
  test.each([
    [z.object({}), CANARY, "has to be an object, not a text"],
    [z.array(z.string()), CANARY, "has to be a list, not a text"],
    [z.string(), NUMBER_CANARY, "has to be a text, not a number"],
    [z.boolean(), { key: CANARY }, "has to be true or false, not an object"],
    [z.enum(["one", "two"]), { key: CANARY }, 'has to be "one" or "two", not an object'],
    [z.enum(["one", "two"]), CANARY, 'has to be "one" or "two"'],
    [z.enum(["one", "two"]), "twoo", 'has to be "one" or "two"; did you mean "two"?'],
    [z.literal([5, true]), CANARY, "has to be 5 or true, not a text"],
    [z.discriminatedUnion("kind", [z.object({ kind: z.literal("file") })]), { kind: "fil" }, /did you mean "file"\?$/],
    [z.discriminatedUnion("kind", [z.object({ kind: z.literal("file") })]), {}, 'is missing; give "file"'],
    [z.url(), CANARY, "has to be a full URL such as https://example.com/page"],
  ])("%#", (schema, value, message) => {
    const [issue] = schema.safeParse(value).error?.issues ?? [];
    expect(issue?.message).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
  });
});

test("issues are bounded in number and in length", () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `${at}${"n".repeat(2_000)}`);
  const given = Object.fromEntries(names.map((name) => [name, 1]));
  const [unknown] = z.strictObject({}).safeParse(given).error?.issues ?? [];
  expect(unknown?.message.length).toBeLessThan(3_000);
  const failure = invalidInput(names.map((field) => ({ field, message: "m".repeat(5_000) })));
  expect(failure.fields?.length).toBe(50);
  expect(failure.field?.length).toBe(300);
  expect(JSON.stringify(failure).length).toBeLessThan(100_000);
  expect(failure.message.length).toBe(2_000);
});
