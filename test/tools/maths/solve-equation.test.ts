import fc from "fast-check";
import { describe, expect, it } from "vitest";
import solveEquation from "../../../tools/maths/solve-equation.ts";
import { runTool } from "../run-tool.ts";
import { expectNear, solve } from "./solved.ts";

describe("any other equation", () => {
  it.each<[string, number[]]>([
    ["exp(x) - 2", [Math.LN2]],
    ["exp(x) - 1", [0]],
    ["e**x = 10", [Math.LN10]],
    ["2**x - 8", [3]],
    ["2**x = x**2", [-0.7666646959621231, 2, 4]],
    ["log(x)", [1]],
    ["log(x) - 50", [Math.exp(50)]],
    ["log10(x) = 100", [1e100]],
    ["log10(x) + 20", [1e-20]],
    ["log(x, 2) - 10", [1024]],
    ["log(x) = x/100", [1.0101527198538753, 647.2775124394005]],
    ["cos(x) = x", [0.7390851332151607]],
    ["exp(-x) = x", [0.5671432904097838]],
    ["x*exp(x) - 1", [0.5671432904097838]],
    ["x**x - 2", [1.5596104694623694]],
    ["exp(x) = x**20", [-0.9534461720025875, 1.054119671030927, 89.99510577046976]],
    [
      "sin(x) - x/10",
      [
        -8.423203932360492, -7.068174358095817, -2.852341894450092, 0, 2.852341894450092, 7.068174358095817,
        8.423203932360492,
      ],
    ],
    ["sqrt(x) - 2", [4]],
    ["sqrt(x)", [0]],
    ["sqrt(x - pi)", [Math.PI]],
    ["sqrt(pi - x)", [Math.PI]],
    ["sqrt(2.75/x + tan(10))", [-2.75 / Math.tan(10)]],
    ["(exp(x) - 5)**3", [Math.log(5)]],
    ["-1/log(x) - 2", [Math.exp(-0.5)]],
    ["sqrt(x) = x - 2", [4]],
    ["sqrt(x) + x", [0]],
    ["sqrt(x**2 - 2)", [-Math.SQRT2, Math.SQRT2]],
    ["x**0.5 - 3", [9]],
    ["x**(1/3) - 2", [8]],
    ["x**2.5 - 32", [4]],
    ["x**2 - pi", [-Math.sqrt(Math.PI), Math.sqrt(Math.PI)]],
    ["abs(x) - 3", [-3, 3]],
    ["abs(x - 1) + abs(x + 1) - 4", [-2, 2]],
    ["asin(x) - pi/2", [1]],
    ["acos(x) = 1", [Math.cos(1)]],
    ["atan(x) - pi/4", [1]],
    ["atan2(x, 1) - pi/4", [1]],
    ["degrees(x) - 180", [Math.PI]],
    ["radians(x) - pi", [180]],
    ["x**1000 - 1", [-1, 1]],
    ["exp(exp(x)) - 3", [Math.log(Math.log(3))]],
    ["1/(x - 1) + exp(x)", [0]],
    ["log(x)**2 - 1", [1 / Math.E, Math.E]],
    ["x**2*log(x)", [1]],
    ["x**(10**9) - 1", [-1, 1]],
  ])("%s", async (equation, solutions) => {
    const solved = await solve(equation);
    expect(solved).toEqual({ solutions: expect.anything(), method: "numeric", error: null });
    expectNear(solved.solutions, solutions, 2e-15);
  });

  it.each<[string, number[]]>([
    ["exp(x) - 1 - x", [0]],
    ["x - sin(x)", [0]],
    ["(exp(x) - 1)**4", [0]],
    ["x**2*exp(-x)", [0]],
    ["exp(2*x) - 4*exp(x) + 4", [Math.LN2]],
    ["log(x)**2", [1]],
    ["x**2 - 2*sqrt(2)*x + 2", [Math.SQRT2]],
    ["abs(exp(x) - 2)", [Math.LN2]],
    ["exp(2*x) - 3*exp(x) + 2", [0, Math.LN2]],
  ])("finds where it only touches 0: %s", async (equation, solutions) => {
    const solved = await solve(equation);
    expect([solved.error, solved.note]).toEqual([null, undefined]);
    expectNear(solved.solutions, solutions, 1e-8);
  });

  it.each([
    "exp(x)",
    "exp(-x)",
    "exp(-x**2)",
    "1/(1 + exp(-x)) - 1",
    "atan(x) - pi/2",
    "cos(x) = 1.0001",
    "sin(x) = 2",
    "exp(x) - x",
    "sqrt(x) + 1",
    "abs(x) + 0.001*exp(0)",
    "asin(x) - 2",
    "x*log(x) + 1",
    "sqrt(x - 5) + sqrt(4 - x)",
    "floor(1000*x) - 7.5",
    "x % 1e-9 - 1",
    "1/(exp(x) - 1)",
  ])("has no solution: %s", async (equation) => {
    expect(await solve(equation)).toEqual({ solutions: [], method: "numeric", error: null });
  });

  it.each([
    ["tan(x)", (x: number) => Math.sin(x)],
    ["tan(x) - 1", (x: number) => Math.sin(x) - Math.cos(x)],
    ["tan(x) - x", (x: number) => Math.sin(x) - x * Math.cos(x)],
    ["tan(x) + 1/x", (x: number) => x * Math.sin(x) + Math.cos(x)],
    ["1/sin(x) - 2", (x: number) => 1 - 2 * Math.sin(x)],
  ])("reports no pole: %s", async (equation, withoutPoles) => {
    const { solutions, note } = await solve(equation);
    expect(solutions.length).toBeGreaterThan(20);
    expect(note).toMatch(/there (may be|are) more solutions/i);
    for (const x of solutions) expect(Math.abs(withoutPoles(x)), String(x)).toBeLessThan(1e-10);
  });

  it.each([
    "1/sin(x)",
    "1/cos(x)",
    "floor(x) - 0.5",
    "floor(x/0.7) - 0.5",
    "abs(x)/x + 0*exp(x)",
    "1/(exp(x) - 1)",
    "1/log(x)",
  ])("takes no pole or jump for a solution: %s", async (equation) => {
    expect((await solve(equation)).solutions).toEqual([]);
  });

  it.each([
    ["sin(x)", Math.PI, 0],
    ["cos(x)", Math.PI, Math.PI / 2],
    ["cos(x) - 1", 2 * Math.PI, 0],
    ["tan(x)**3", Math.PI, 0],
    ["sin(x) = 1", 2 * Math.PI, Math.PI / 2],
    ["abs(sin(x))", Math.PI, 0],
    ["sin(5*x)", Math.PI / 5, 0],
    ["sin(200*x)", Math.PI / 200, 0],
    ["x % 2", 2, 0],
  ])(
    "gives at least the 45 solutions of %s that are nearest to 0, and says that there are more",
    async (equation, period, first) => {
      const { solutions, note, error } = await solve(equation);
      expect(error).toBeNull();
      expect(note).toMatch(/there are more solutions/);
      const expected = Array.from({ length: 45 }, (_, index) => first + (index - 22) * period);
      const middle = solutions.filter(
        (root) => root >= expected[0]! - period / 2 && root <= expected.at(-1)! + period / 2,
      );
      expectNear(middle, expected, 1e-12);
    },
  );

  it.each([
    ["abs(x) - x", "Every x from 0 on is a solution."],
    ["abs(x) + x", "Every x up to 0 is a solution."],
    ["floor(x) - 2", "Every x from 2 to 3 is a solution."],
    ["round(x) - 3", "Every x from 2.5 to 3.5 is a solution."],
    ["abs(x - 1) + abs(x + 1) = 2", "Every x from -1 to 1 is a solution."],
    ["sin(x)**2 + cos(x)**2 = 1", "Every x is a solution."],
    ["sin(x) - sin(x)", "Every x is a solution."],
  ])("%s holds over a stretch", async (equation, note) => {
    expect(await solve(equation)).toEqual({ solutions: [], method: "numeric", note, error: null });
  });

  it("finds the root that a function was generated with, at any position and of any slope", async () => {
    const place = fc.double({ min: -50, max: 50, noNaN: true }).filter((value) => Math.abs(value) > 1e-9);
    const slope = fc.double({ min: 0.01, max: 20, noNaN: true });
    const shapes = [
      "exp(K*(x - A)) - 1",
      "atan(K*(x - A))",
      "K*(x - A)*exp(-abs(x - A))",
      "(x - A)*sqrt(x**2 + K)",
      "log(1 + K*(x - A))",
    ];
    await fc.assert(
      fc.asyncProperty(place, slope, fc.constantFrom(...shapes), async (a, k, shape) => {
        const { solutions, error } = await solve(shape.replaceAll("A", `(${a})`).replaceAll("K", String(k)));
        expect(error).toBeNull();
        expectNear(solutions, [a], 1e-11);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    [49.24649518448411, 16.95053602670427],
    [42.2453700338667, 19.5316631338684],
    [-49.24095717764774, 19.157056082179054],
  ])("finds a root so close to the edge of a domain that one step of the grid has both: %d, %d", async (a, k) => {
    const { solutions, error } = await solve(`log(1 + ${k}*(x - (${a})))`);
    expect(error).toBeNull();
    expectNear(solutions, [a], 1e-11);
  });

  it("omits nothing where a sine crosses a line: as many solutions as changes of sign, each of them a root", async () => {
    const numbers = fc.tuple(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 2, max: 14 }),
      fc.integer({ min: -3, max: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(numbers, async ([often, flat, shift]) => {
        const { solutions, note } = await solve(`sin(${often}*x) = (x - (${shift}) - 0.123)/${flat}`);
        const value = (x: number): number => Math.sin(often * x) - (x - shift - 0.123) / flat;
        expect(note).toBeUndefined();
        for (const x of solutions) expect(Math.abs(value(x))).toBeLessThan(1e-12);
        let changes = 0;
        for (let x = -50; x < 50; x += 0.001) changes += Number(value(x) > 0 !== value(x + 0.001) > 0);
        expect(solutions.length).toBeGreaterThanOrEqual(changes);
        expect(solutions.length).toBeLessThanOrEqual(changes + 2);
      }),
      { numRuns: 20 },
    );
  });
});

describe("what is no equation in one unknown", () => {
  it.each([
    ["x + y = 1", "Unknown name: 'y': the unknown is 'x'"],
    ["a*b", "Unknown name: 'b': the unknown is 'a'"],
    ["3 = 3", "No unknown in the equation: call it x"],
    ["sin(1)", "No unknown in the equation: call it x"],
    ["sin = 0", "Unknown name: 'sin'"],
    ["", "Syntax error: it ends too early"],
    ["x =", "Syntax error: it ends too early"],
    ["x = 1 = 2", "Syntax error: unexpected '=' at character 7"],
    ["x < 2", "Operator not permitted: '<'"],
    ["x**2 ^ 2", "Operator not permitted: '^'; a power is written **"],
    ["f(x)", "Function not permitted: 'f'"],
    ["x.real", "Attribute access not permitted"],
    ["'x'", "Text not permitted: only numbers"],
    ["factorial(x) - 6", "TypeError: factorial() of an unknown is not supported: it takes whole numbers only"],
    ["sqrt(x, 2)", "TypeError: sqrt() takes 1 argument (2 given)"],
    ["log(-1)*x", "ValueError: math domain error"],
    ["x/0", "ZeroDivisionError: division by zero"],
    ["1/(x - x)", "ZeroDivisionError: division by zero"],
    ["inf*x", "OverflowError: a part without the unknown is infinite"],
  ])("%s: %s", async (equation, error) => {
    const ran = await runTool(solveEquation, { equation });
    expect(ran).toEqual({
      failure: { code: "invalid_input", message: error, field: "equation" },
      result: { solutions: [], method: "numeric", error },
    });
  });
});

describe("an equation that would take long", () => {
  const product = (count: number, factor: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => factor(index + 1)).join("*");
  it.each([
    ["900 parentheses", `${"(".repeat(900)}x${")".repeat(900)}`],
    ["a factorial", "factorial(10**9)*x"],
    ["a power of a power of a power", "(((x + 1)**100)**100)**100 - 2"],
    ["a tower of powers", "x**9**9**9 - 1"],
    ["a high power", "x**(10**9) - 1"],
    ["a dense polynomial of degree 120", `${product(60, (index) => `(x**2 - ${index})`)} - 1`],
    ["coefficients of thousands of bits", "(10**80*x**2 - 1)**30 - x**59"],
    ["roots that are hardly apart", "x**100 - 2*(10**6*x - 1)**2"],
    ["a sum of many waves", Array.from({ length: 130 }, (_, index) => `sin(${index}*x)`).join("+")],
    ["a product of many waves", product(100, (index) => `sin(${index}*x)`)],
    ["waves without end towards 0", "sin(1/x)"],
    ["waves that get shorter and shorter", "sin(exp(x))"],
    ["tangents inside one another", `${"tan(".repeat(60)}x${")".repeat(60)}`],
  ])("%s: is answered", async (_, equation) => {
    const { error, note, solutions } = await solve(equation);
    expect(error !== null || note !== undefined || solutions.length > 0).toBe(true);
  });

  it("is answered whatever its text, with finite numbers in order or with a reason", async () => {
    const parts = "0 1 2.5 1e308 3 ( ) ) x x x + - * / // % ** sqrt( log( exp( sin( tan( abs( floor( pi =".split(" ");
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(text, async (equation) => {
        const { solutions, error } = await solve(equation);
        expect(error === null || solutions.length === 0).toBe(true);
        expect(solutions.every(Number.isFinite)).toBe(true);
        expect(solutions).toEqual(solutions.toSorted((one, other) => one - other));
      }),
      { numRuns: 400 },
    );
  });

  it("takes no longer by the ones among an exponent's binary digits", async () => {
    for (const exponent of [1_023, 65_535, 524_287]) {
      const [only, ...others] = (await solve(`x**${exponent} - x**${exponent - 1} + 1`)).solutions;
      expect(others).toEqual([]);
      const root = only ?? Number.NaN;
      expect(Math.abs(root ** exponent - root ** (exponent - 1) + 1)).toBeLessThan(1e-6);
    }
  });

  it("is refused beyond 2,000 characters", async () => {
    const { failure } = await runTool(solveEquation, { equation: "(".repeat(100_000) });
    expect(failure).toMatchObject({ code: "invalid_input", field: "equation" });
  });
});

describe("what a model reads", () => {
  it.each([
    ["x**2 - 4", "Solutions: -2, 2 (symbolic)."],
    ["x**2 + 1", "No real solution (symbolic)."],
    ["abs(x) - x", "No single solution (numeric). Every x from 0 on is a solution."],
  ])("of %s", async (equation, output) => {
    expect((await runTool(solveEquation, { equation })).output).toBe(output);
  });
});
