/**
 * `npm run bench:linear`: measures the worst known inputs of all work whose size a tenant chooses: CPU time, and how often
 * other work got a turn. Each time is also given relative to a loop of ten million additions in the same run, because
 * absolute times depend on the machine. No test asserts them.
 */
import { linearPatterns } from "../adapters/re2/patterns.ts";
import { hasLink, SearchedText } from "../core/provenance/find-text.ts";
import { judgeCarryOut } from "../core/provenance/carry-out.ts";
import { type Ground, GroundText } from "../core/provenance/ground.ts";
import { createRedactor } from "../core/web/redact-secrets.ts";
import { compileSchema } from "../core/lib/json-schema/compile.ts";
import { evaluateText } from "../core/lib/maths/evaluate.ts";
import { solveText } from "../core/lib/maths/solve.ts";
import { measureTokens } from "../core/model/tokens.ts";
import { readApiDocument } from "../core/openapi/document.ts";
import { importOpenApi } from "../core/openapi/import.ts";

const ROUNDS = 3;
const YARDSTICK_ADDITIONS = 10_000_000;

interface Row {
  readonly label: string;
  readonly run: (giveWay: () => Promise<void>) => unknown;
}

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const encoder = new TextEncoder();
const random = randomText(1_000_000);
const secrets = times(100, (index) => ({ name: `S${index}`, value: random.slice(index * 4_100, index * 4_100 + 40) }));
const longest = times(100, (index) => ({
  name: `S${index}`,
  value: random.slice(index * 4_100, index * 4_100 + 4_096),
}));
const redactor = createRedactor(secrets);
const body = (unit: string) => encoder.encode(unit.repeat(Math.ceil(1_000_000 / unit.length)).slice(0, 1_000_000));
const others = body(randomText(999_983, 7));

const words = random.split(/[-_]/);
const records = times(30, (index) => randomWords(4_000, index));
const grounds = (): Ground => ({ trusted: [], chosen: [], records: records.map(toGroundText), read: [], written: [] });
const known = grounds();
const links = times(20_000, (index) => `https://a.example/page/${index}`).join("\n");
const decoys = times(20_000, (index) => `https://a.example/last.${index}`).join("\n");

const ROWS: readonly Row[] = [
  { label: "100 secrets of 40 bytes made ready", run: () => createRedactor(secrets) },
  { label: "100 secrets of 4 KB made ready", run: () => createRedactor(longest) },
  { label: "– a reply of 2 bytes", run: () => redactor.bytes(encoder.encode("ok")) },
  { label: "– 1 MB of random letters and digits", run: () => redactor.bytes(others) },
  { label: "– 1 MB of JSON", run: () => redactor.bytes(body('{"id":17,"name":"some name"},')) },
  { label: "– 1 MB of %", run: () => redactor.bytes(body("%")) },
  { label: "– 1 MB of zeros", run: () => redactor.bytes(new Uint8Array(1_000_000)) },
  { label: "carry-out: a query against 120 KB of records", run: () => judged(grounds()) },
  { label: "– the next call of the step", run: () => judged(known) },
  { label: "carry-out: the last of 20,000 links", run: () => linked(`${links} https://a.example/last`) },
  { label: "carry-out: 20,000 links that look like it", run: () => linked(`${decoys} https://a.example/last`) },
  { label: "pattern: 1,000 characters, {1000}", run: () => linearPatterns.compile(`(?:${"ab.".repeat(325)}){1000}`) },
  {
    label: "tokens of 32 KB of prose",
    run: () => measureTokens("The cat sat on the mat, and understood it. ".repeat(762)),
  },
  {
    label: "pattern: wide ranges without case",
    run: () => linearPatterns.compile(`(?i:[${"a-\\u{ffff}".repeat(95)}])`),
  },
  { label: "pattern: as large as may be", run: () => linearPatterns.compile(`^${"\\p{L}".repeat(190)}a{700}$`) },
  { label: "schema of 6,000 properties", run: () => schema({ properties: members(6_000, { type: "string" }) }) },
  {
    label: "schema of 90 large patterns",
    run: () => schema({ properties: membersOf(90, (index) => ({ pattern: `^(?:abcdefgh${index}){150}$` })) }),
  },
  {
    label: "value: multipleOf",
    run: () =>
      check(
        { items: { multipleOf: 5e-324 } },
        times(190_000, () => 1.7e308),
      ),
  },
  {
    label: "value: unevaluatedProperties",
    run: () =>
      check(
        { allOf: times(50, () => ({ properties: members(50, {}) })), unevaluatedProperties: false },
        members(20_000, 1),
      ),
  },
  { label: "value: propertyNames", run: () => check({ propertyNames: { maxLength: 20 } }, members(100_000, 1)) },
  {
    label: "value: format ipv6",
    run: () =>
      check(
        { items: { format: "ipv6" } },
        times(190_000, () => "1:2:3:4:5:6:7:8"),
      ),
  },
  {
    label: "value: pattern",
    run: () => check({ pattern: "[ab]*a[ab]{400}c" }, random.replaceAll(/[^a]/g, "b").slice(0, 9_000)),
  },
  {
    label: "import: 60 KB of patterns",
    run: (giveWay) => imported(60, (index) => ({ pattern: `(?:${"ab.".repeat(300)}${index}){1000}` }), giveWay),
  },
  {
    label: "import: 100 operations of 20,000 readOnly members",
    run: (giveWay) => imported(100, () => ({ $ref: "#/components/schemas/S" }), giveWay),
  },
  {
    label: "import: 2,000 operations of 1,400 schemas",
    run: (giveWay) => imported(2_000, () => ({ $ref: "#/components/schemas/T" }), giveWay),
  },
  { label: "gcd of two long integers", run: () => evaluateText("gcd(7**20000, 3**30000)") },
  { label: "600 factorials", run: () => evaluateText(times(600, () => "factorial(5000)").join("-")) },
  {
    label: "equation: x*sin(1000000*x) = 0.1",
    run: (giveWay) => solveText("x*sin(1000000*x) = 0.1", giveWay).catch(() => null),
  },
  {
    label: "equation: degree 128",
    run: (giveWay) => solveText(times(128, (index) => `(x-${index})`).join("*"), giveWay),
  },
];

const yardstick = await best(() => {
  let sum = 0;
  for (let at = 0; at < YARDSTICK_ADDITIONS; at += 1) sum = (sum * 31 + at) | 0;
  return sum;
});
console.log(`A loop of ${YARDSTICK_ADDITIONS} additions: ${yardstick.ms.toFixed(0)} ms of CPU\n`);
console.log(
  "| | CPU, ms | in loops | longest without a turn of others, ms | turns of others |\n| --- | ---: | ---: | ---: | ---: |",
);
for (const { label, run } of ROWS) {
  const { ms, longest: most, turns } = await best(run);
  console.log(`| ${label} | ${ms.toFixed(1)} | ${(ms / yardstick.ms).toFixed(2)} | ${most.toFixed(1)} | ${turns} |`);
}

/** The least CPU time of some rounds, and the longest stretch of that round without a turn of others, in ms. */
async function best(
  run: Row["run"],
): Promise<{ readonly ms: number; readonly longest: number; readonly turns: number }> {
  let least = { ms: Number.POSITIVE_INFINITY, longest: 0, turns: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = cpuMs();
    let since = started;
    let longestStretch = 0;
    let turns = 0;
    await run(async () => {
      longestStretch = Math.max(longestStretch, cpuMs() - since);
      turns += 1;
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
      since = cpuMs();
    });
    longestStretch = Math.max(longestStretch, cpuMs() - since);
    if (cpuMs() - started < least.ms) least = { ms: cpuMs() - started, longest: longestStretch, turns };
  }
  return least;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function randomText(length: number, seed = 1): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  let state = seed;
  const parts: string[] = [];
  for (let at = 0; at < length; at += 1) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5 + seed;
    parts.push(letters.charAt(((state ^ (state >>> 13)) >>> 0) % letters.length));
  }
  return parts.join("");
}

function toGroundText(text: string): GroundText {
  return new GroundText(text, { at: 0, from: "memory_search", page: null, source: null });
}

function judged(ground: Ground): unknown {
  const url = `https://news.example/${encodeURIComponent(records[0]?.slice(0, 15).repeat(10) ?? "")}`;
  return judgeCarryOut({ kind: "search", query: url }, ground, { allowedDomains: null });
}

function linked(text: string): unknown {
  return hasLink(new SearchedText(text), new URL("https://a.example/last"));
}

function randomWords(length: number, seed: number): string {
  let state = seed + 1;
  let text = "";
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += `${words[(state >>> 8) % 200] ?? ""} `;
  }
  return text.slice(0, length);
}

function membersOf<T>(count: number, make: (index: number) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(times(count, (index) => [`p${index}`, make(index)]));
}

function members<T>(count: number, value: T): Readonly<Record<string, T>> {
  return membersOf(count, () => value);
}

function schema(given: object) {
  return compileSchema(structuredClone(given), linearPatterns);
}

function check(given: object, value: unknown): unknown {
  const compiled = schema(given);
  return compiled.ok ? compiled.value(value) : compiled;
}

async function imported(operations: number, schemaOf: (index: number) => object, giveWay: () => Promise<void>) {
  const paths = membersOf(operations, (index) => ({
    post: { requestBody: { content: { "application/json": { schema: schemaOf(index) } } } },
  }));
  const names = times(20_000, (index) => `p${index}`);
  const document = readApiDocument({
    openapi: "3.0.0",
    info: { title: "t" },
    components: {
      schemas: {
        S: { type: "object", required: names, properties: members(20_000, { readOnly: true }) },
        T: { anyOf: times(1_400, () => ({ type: "string" })) },
      },
    },
    paths: Object.fromEntries(Object.entries(paths).map(([name, item]) => [`/${name}`, item])),
  });
  if (!document.ok) return document;
  const options = { name: "t", url: null, baseUrl: "https://api.example.com", auth: {}, include: [] };
  return await importOpenApi(
    document.value,
    { ...options, readSecurity: "safe", security: "dangerous" },
    { patterns: linearPatterns, giveWay },
  );
}
