import { describe, expect, it } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { Turns } from "../../../core/base/turns.ts";
import { evaluateText } from "../../../core/lib/maths/evaluate.ts";
import { solveText } from "../../../core/lib/maths/solve.ts";
import { compileSchema } from "../../../core/lib/json-schema/compile.ts";
import { readApiDocument } from "../../../core/openapi/document.ts";
import { importOpenApi } from "../../../core/openapi/import.ts";
import { IMPORT_OPTIONS } from "../openapi/import-options.ts";

/** Counts how often others had their turn. */
function counted() {
  const turns = { given: 0 };
  const giveWay = async () => {
    turns.given += 1;
  };
  return { turns, giveWay };
}

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

it("ends a turn when its units are spent, and starts the next one with all of them", async () => {
  const { turns, giveWay } = counted();
  const work = new Turns(giveWay, 10);
  work.spend(10);
  expect(work.isUsedUp).toBe(false);
  work.spend(1);
  expect(work.isUsedUp).toBe(true);
  await work.next();
  expect([work.isUsedUp, turns.given]).toEqual([false, 1]);
  work.spend(10);
  expect(work.isUsedUp).toBe(false);
});

describe("an equation gives others their turn", () => {
  it.each([
    ["of many parts", times(130, (index) => `sin(${index}*x)`).join("+")],
    ["of a high degree", times(128, (index) => `(x-${index})`).join("*")],
    ["with roots that are close together", "x**120 - 2*(1000000*x - 1)**2 = 0"],
  ])("%s", async (_, equation) => {
    const { turns, giveWay } = counted();
    await solveText(equation, giveWay).catch(() => null);
    expect(turns.given).toBeGreaterThanOrEqual(3);
  });

  it("only where it takes long", async () => {
    const { turns, giveWay } = counted();
    expect(await solveText("x**2 - 5*x + 6", giveWay)).toMatchObject({ solutions: [2, 3] });
    expect(turns.given).toBe(0);
  });
});

it("a divisor of two long integers is refused for its work", () => {
  expect(evaluateText("gcd(7**20000, 3**30000)")).toMatchObject({ ok: false, error: { kind: "refused" } });
  expect(evaluateText("gcd(6**2000, 10**2000)")).toMatchObject({ ok: true, value: 2n ** 2000n });
});

describe("an imported document", () => {
  const options = { ...IMPORT_OPTIONS, baseUrl: "https://api.example.com" };
  const S = "#/components/schemas/S";

  async function imported(schema: object, operations: number, include: readonly string[] = []) {
    const content = { "application/json": { schema: { $ref: S } } };
    const paths = Object.fromEntries(
      times(operations, (index) => [`/p${index}`, { post: { operationId: `o${index}`, requestBody: { content } } }]),
    );
    const document = readApiDocument({
      openapi: "3.0.0",
      info: { title: "t" },
      components: { schemas: { S: schema } },
      paths,
    });
    if (!document.ok) throw new Error(document.error.message);
    const { turns, giveWay } = counted();
    const made = await importOpenApi(document.value, { ...options, include }, { patterns: linearPatterns, giveWay });
    return { made, turns };
  }

  it("gives others their turn between operations", async () => {
    const properties = Object.fromEntries(times(100, (index) => [`p${index}`, { type: "string" }]));
    const { made, turns } = await imported({ type: "object", properties }, 300);
    expect(made.ok && made.value.tools.length).toBe(300);
    expect(turns.given).toBeGreaterThanOrEqual(6);
  });

  it("gives others their turn while its operations are chosen", async () => {
    const include = times(200, (index) => `*a*b*c*${index}`);
    const { turns } = await imported({}, 500, include);
    expect(turns.given).toBeGreaterThanOrEqual(20);
  });

  it("is refused when its operations lead to too many members", async () => {
    const names = times(20_000, (index) => `p${index}`);
    const readOnly = Object.fromEntries(names.map((name) => [name, { readOnly: true }]));
    const wide = await imported({ type: "object", required: names, properties: readOnly }, 12);
    expect(wide.made).toMatchObject({ ok: false, error: { code: "too_large" } });
  });

  it("writes a list of values that all operations refer to once", async () => {
    const values = times(40_000, (index) => `value${index}`);
    let written = 0;
    const list = Object.assign(values, {
      toJSON() {
        written += 1;
        return [...values];
      },
    });
    await imported({ enum: list }, 10);
    expect(written).toBe(1);
  });
});

describe("a run of a schema ends by its work", () => {
  const properties = Object.fromEntries(times(50, (index) => [`k${index}`, {}]));
  const members = Object.fromEntries(times(20_000, (index) => [`k${index}`, 1]));
  it.each([
    ["what others have looked at", { allOf: times(50, () => ({ properties })), unevaluatedProperties: false }, members],
    ["numbers beyond all digits", { items: { multipleOf: 1e-300 } }, times(190_000, () => 1.7e308)],
    ["names one by one", { propertyNames: { enum: ["a"] } }, Object.fromEntries(times(60_000, (at) => [`k${at}`, 1]))],
  ])("%s", (_, schema, value) => {
    const check = compileSchema(schema, linearPatterns);
    if (!check.ok) throw new Error(check.error.message);
    expect(check.value(value).map(({ message }) => message)).toContain(
      "Checking it against the schema takes too much work",
    );
  });
});
