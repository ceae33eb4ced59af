import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { SandboxRules } from "../../../core/sandbox/rules.ts";
import { validateArguments, type ValidatedTool } from "../../../core/gateway/validate.ts";

const RULES: SandboxRules = { allowedPaths: null, deniedPatterns: ["private"], extensions: null, allowWrite: true };

function makeTool(shape: z.ZodRawShape, refersTo: ValidatedTool["refersTo"] = {}): ValidatedTool {
  return { name: "example", aliases: {}, toolbox: "example", input: z.strictObject(shape), refersTo };
}

describe("arguments as JSON text inside JSON text", () => {
  const tool = makeTool({ value: z.unknown() });

  test("are read to a bounded depth", () => {
    const nested = (depth: number) => `{"value":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(validateArguments(tool, nested(60)).ok).toBe(true);
    expect(validateArguments(tool, nested(100_000))).toMatchObject({
      ok: false,
      error: {
        code: "invalid_input",
        field: "arguments",
        message: expect.stringContaining("nested more than 64 deep"),
      },
    });
  });
});

describe("paths among the arguments", () => {
  const path = z
    .string()
    .refine((one) => !one.startsWith("-"), "must not begin with -")
    .default("./");
  const tool = makeTool({ path, count: z.number().optional() }, { path: "directory" });

  test("are canonical for the schema and in the result, defaults too", () => {
    expect(validateArguments(tool, { path: "/workspace/a/" }, { rules: RULES })).toEqual({
      ok: true,
      value: { path: "a" },
    });
    expect(validateArguments(tool, {}, { rules: RULES })).toEqual({ ok: true, value: { path: "" } });
    expect(validateArguments(tool, { path: "./-x" }, { rules: RULES })).toMatchObject({
      error: { field: "path", message: "path: must not begin with -" },
    });
    expect(validateArguments(tool, { path: "./private/" }, { rules: RULES })).toMatchObject({
      error: { code: "sandbox_denied", message: "File access denied by sandbox: ./private/" },
    });
  });

  test("stay as they were written without an agent's rules", () => {
    expect(validateArguments(tool, { path: "./private/" })).toEqual({ ok: true, value: { path: "./private/" } });
  });

  test("are validated once, changed or not", () => {
    const check = vi.fn<() => boolean>(() => true);
    const counted = makeTool({ path: z.string().refine(check) }, { path: "read" });
    for (const given of ["a", "./a"]) validateArguments(counted, { path: given }, { rules: RULES });
    expect(check).toHaveBeenCalledTimes(2);
  });

  test("are not judged beyond the most that a list can have", () => {
    const many = makeTool({ files: z.array(z.string()) }, { files: "read" });
    const files = Array.from({ length: 1_001 }, () => "private");
    expect(validateArguments(many, { files }, { rules: RULES })).toMatchObject({
      error: { code: "invalid_input", field: "files", message: "files: has more than 1000 paths" },
    });
  });
});

test("an error names at most fifty fields, each cut, and all together in 2,000 characters", () => {
  const given = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`${at}${"x".repeat(500)}`, 1]));
  const refused = validateArguments(makeTool({ value: z.string() }), given);
  const error = refused.ok ? undefined : refused.error;
  expect(error).toMatchObject({ code: "invalid_input", field: "value" });
  expect(error?.fields?.length).toBe(50);
  expect(error?.message.length).toBeLessThanOrEqual(2_000);
  expect(JSON.stringify(error).length).toBeLessThan(100_000);
});
