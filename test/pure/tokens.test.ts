import { readFileSync } from "node:fs";
import { Tiktoken } from "js-tiktoken/lite";
import cl100k from "js-tiktoken/ranks/cl100k_base";
import o200k from "js-tiktoken/ranks/o200k_base";
import { describe, expect, test } from "vitest";
import { TOOL_LIST_TOKENS } from "../../core/budget.ts";
import { buildToolset } from "../../core/gateway/toolset.ts";
import { encodingOf } from "../../core/model-table.ts";
import { estimateRequest } from "../../core/prompt/request-size.ts";
import { type Encoding, estimateTokens, measureTokens } from "../../core/prompt/tokens.ts";
import { catalogue } from "../../tools/catalogue.generated.ts";
import { drawsFrom } from "./play-task.ts";
import { factsOf } from "./task-world.ts";

const tokenizers = { o200k: new Tiktoken(o200k), cl100k: new Tiktoken(cl100k) };
const ENCODINGS: readonly Encoding[] = ["o200k", "cl100k"];
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const draw = drawsFrom(7);
const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => Math.floor(draw() * 256)));
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");

const PROSE = {
  russian:
    "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства. Каждый человек имеет право на жизнь, на свободу и на личную неприкосновенность.",
  german:
    "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen. Jeder hat das Recht auf Leben, Freiheit und Sicherheit der Person.",
  french:
    "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité. Tout individu a droit à la vie, à la liberté et à la sûreté de sa personne.",
  spanish:
    "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros. Todo individuo tiene derecho a la vida, a la libertad y a la seguridad de su persona.",
  chinese:
    "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。人人有权享有生命、自由和人身安全。任何人不得使为奴隶或奴役；一切形式的奴隶制度和奴隶买卖，均应予以禁止。",
  japanese:
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。すべて人は、生命、自由及び身体の安全に対する権利を有する。",
  korean:
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다. 모든 사람은 생명과 신체의 자유와 안전에 대한 권리를 가진다.",
  arabic:
    "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق، وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء. لكل فرد الحق في الحياة والحرية وسلامة شخصه.",
  hindi:
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।",
  greek:
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.",
};

async function toolList(): Promise<string> {
  return JSON.stringify((await buildToolset(catalogue, factsOf())).specs);
}

/** Texts of the kinds that requests are made of, at least 4,000 characters each. */
const KINDS: readonly (readonly [kind: string, text: () => string | Promise<string>])[] = [
  ["the tool list of the built-in agent", toolList],
  ["prose in English", () => read("README.md") + read("docs/architecture.md") + read("docs/deploy.md")],
  ["TypeScript", () => read("core/task.ts") + read("core/fnmatch.ts") + read("workers/steps.ts")],
  ["JSON", () => read("test/pure/__fixtures__/states-v5.json")],
  ["JSON without blanks", () => JSON.stringify(JSON.parse(read("test/pure/__fixtures__/states-v5.json")))],
  ["a table in Markdown", () => read("docs/tools.md").slice(0, 40_000)],
  ["hexadecimal digits", () => bytes(4000).toString("hex")],
  [
    "a log",
    () =>
      lines(
        80,
        (i) => `2026-11-23T12:${10 + (i % 50)}:00.${100 + i}Z INFO worker-${i % 5} GET /v1/tasks/${i * 31} 200 ${i}ms`,
      ),
  ],
  ["HTML", () => lines(60, (i) => `<li class="item"><a href="https://example.com/p/${i}">Item number ${i}</a></li>`)],
];

/** The error of an estimate, as a share of the count. */
function errorOf(text: string, encoding: Encoding): number {
  const count = tokenizers[encoding].encode(text, "all").length;
  return estimateTokens(text, encoding) / count - 1;
}

describe("an estimate of tokens", () => {
  test.each(KINDS)("of %s is within 10 % of o200k and of cl100k", async (_kind, text) => {
    const whole = await text();
    for (const encoding of ENCODINGS) expect(Math.abs(errorOf(whole, encoding))).toBeLessThanOrEqual(0.1);
  });

  test.each(Object.entries(PROSE))("of prose in %s is within 25 %, each text being short", (_language, text) => {
    for (const encoding of ENCODINGS) expect(Math.abs(errorOf(text, encoding))).toBeLessThanOrEqual(0.25);
  });

  test("of all of these languages together is within 10 %", () => {
    const text = Object.values(PROSE).join("\n");
    for (const encoding of ENCODINGS) expect(Math.abs(errorOf(text, encoding))).toBeLessThanOrEqual(0.1);
  });

  test("of a number, a code or a sign in a row is not below half of what they are", () => {
    const random = (first: number, range: number) =>
      String.fromCodePoint(...Array.from({ length: 40 }, () => first + Math.floor(draw() * range)));
    // The tokenizer takes the square of a row's length.
    const rows: readonly (() => string)[] = [
      () => bytes(45).toString("base64"),
      () => "1234567890".repeat(6),
      () => "!@#$%^&*()_+{}|:<>?[];',./",
      () => random(1, 8),
      () => random(0xe000, 6000),
      () => random(0x1f300, 600),
      () => random(97, 26),
    ];
    const hostile = rows.map((row) => lines(40, row));
    for (const encoding of ENCODINGS) for (const text of hostile) expect(errorOf(text, encoding)).toBeGreaterThan(-0.5);
  });

  test("is the sum of its pieces when a text is cut after words", () => {
    const text = read("README.md").slice(0, 4000);
    const pieces = text.match(/\s*\S+/g) ?? [];
    const sum = pieces.reduce((total, piece) => total + measureTokens(piece), 0);
    expect(Math.abs(sum / measureTokens(text) - 1)).toBeLessThan(0.1);
  });

  test("is by the encoding of the model", () => {
    const models = ["gpt-5", "gpt-4o-mini", "gpt-4.1", "some-model", "gpt-4", "gpt-4-turbo", "gpt-3.5-turbo"];
    expect(models.map(encodingOf)).toEqual(["o200k", "o200k", "o200k", "o200k", "cl100k", "cl100k", "cl100k"]);
  });
});

test("what is reserved for a tool list that was not measured is what the built-in agent's holds", async () => {
  const { specs: tools } = await buildToolset(catalogue, factsOf());
  const size = estimateRequest({ model: "gpt-5", messages: [], tools });
  expect(Math.abs(TOOL_LIST_TOKENS / size - 1)).toBeLessThan(0.1);
});
