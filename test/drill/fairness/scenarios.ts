/**
 * The scenarios of a noisy tenant. A scenario is a function from a number to a request, so that a separate thread can send it while the
 * main thread measures the victim.
 */
import { createKey } from "../../../core/tenant/keys.ts";

/** The resources of a noisy tenant before it begins: see `makeNoisyTenant`. */
export interface NoisyTenant {
  readonly url: string;
  readonly tenant: string;
  readonly key: string;
  readonly agent: string;
  /** A draft task; with five text files of 200 KB where the scenario needs them. */
  readonly task: string;
  /** Base URL of the recorder, whose host a hundred secrets are bound to where the scenario needs them. */
  readonly recorder: string;
  /** The address of its mail. */
  readonly mail: string;
}

export interface NoiseRequest {
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the tenant's key. Null sends none. */
  readonly key?: string | null;
  /** For streams: how many milliseconds to read before hanging up. */
  readonly listenMs?: number;
}

export interface Scenario {
  readonly name: string;
  /** Concurrent requests. */
  readonly width: number;
  /** Only in the long form: the suite runs the scenarios that blocked others longest. */
  readonly isDrillOnly?: true;
  /** The tenant's resources in addition to an agent and a task. */
  readonly needs?: "secrets" | "files";
  request(noisy: NoisyTenant, index: number): NoiseRequest;
}

const KB = 1024;
const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
};
const filled = (bytes: number): string => "lorem ipsum ".repeat(Math.ceil(bytes / 12)).slice(0, bytes);
const callTool = (name: string, given: unknown, more: object = {}): NoiseRequest => ({
  method: "POST",
  path: `/v1/tools/${name}/call`,
  body: JSON.stringify({ arguments: given, ...more }),
});
const post = (path: string, body: unknown): NoiseRequest => ({ method: "POST", path, body: JSON.stringify(body) });
/** A task of the noisy tenant's agent; the scripted model takes 20 ms for each reply. */
const task = ({ agent, recorder }: NoisyTenant, index: number, input: object): NoiseRequest =>
  post("/v1/tasks", {
    input: JSON.stringify({ drill: `noise-${index}`, paceMs: 20, keyed: recorder, ...input }),
    agent,
  });

const numbers = once(() => Array.from({ length: 120_000 }, (_, index) => index % 97));
const wideSchema = once(() => {
  const properties = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [
      `field_${index}`,
      { type: "object", properties: { a: { type: "string", maxLength: index }, b: { enum: [index, "x", null] } } },
    ]),
  );
  return { type: "object", properties, required: ["field_1"] };
});
const openApiPaths = once(() =>
  Object.fromEntries(
    Array.from({ length: 150 }, (_, index) => [
      `/items/${index}/{id}`,
      {
        get: {
          operationId: `get_${index}`,
          summary: `Reads the items of shelf ${index}.`,
          parameters: [
            { name: "id", in: "path", required: true, schema: { type: "string", pattern: "^[a-z]{1,20}-[0-9]+$" } },
            { name: "limit", in: "query", schema: { type: "integer", maximum: 100 } },
          ],
          responses: { "200": { description: "They are read." } },
        },
      },
    ]),
  ),
);
const yaml = once(
  () =>
    `name: noise\ninstructions: Work.\npermissions: [read]\ntools:\n${Array.from({ length: 12_000 }, (_, index) => `  - tool_${index}*\n`).join("")}`,
);
const markdown = once(() =>
  Array.from(
    { length: 400 },
    (_, index) => `## Part ${index}\n\n- **one** [two](https://x.example)\n- ${filled(80)}\n`,
  ).join("\n"),
);
const megabyte = once(() => new Uint8Array(1024 * KB).map((_, index) => index % 251));

export const SCENARIOS: readonly Scenario[] = [
  { name: "reads", isDrillOnly: true, width: 12, request: () => ({ path: "/v1/tasks?limit=100" }) },
  {
    name: "searches in tasks",
    isDrillOnly: true,
    width: 8,
    request: () => ({ path: "/v1/tasks?query=lorem+ipsum&limit=100" }),
  },
  { name: "audit log", isDrillOnly: true, width: 8, request: () => ({ path: "/v1/audit?limit=100" }) },
  { name: "invalid keys", isDrillOnly: true, width: 12, request: () => ({ path: "/v1/tasks", key: "otto_not_a_key" }) },
  {
    name: "unknown keys",
    isDrillOnly: true,
    width: 8,
    request: ({ tenant }) => ({
      path: "/v1/tasks",
      key: createKey(tenant, crypto.getRandomValues(new Uint8Array(64))),
    }),
  },
  {
    name: "JSON of 1 MB",
    width: 6,
    request: () => post("/v1/tasks", { input: "x", hold: true, metadata: numbers() }),
  },
  {
    name: "bodies of 10 MB",
    isDrillOnly: true,
    width: 4,
    request: (_, index) => ({
      method: "POST",
      path: "/v1/tasks",
      body: new Uint8Array(10 * 1024 * KB),
      ...(index % 2 === 0 ? { key: "otto_not_a_key" } : {}),
    }),
  },
  {
    name: "patterns",
    width: 6,
    request: (_, index) =>
      callTool("json.parse", {
        json: JSON.stringify({ a: "a".repeat(500) }),
        schema: { properties: { a: { pattern: `^(?:(?:a|b|ab){1,40}){1,${10 + (index % 10)}}$` } } },
      }),
  },
  {
    name: "schemas",
    width: 6,
    request: () => callTool("json.parse", { json: '{"field_1":{}}', schema: wideSchema() }),
  },
  {
    name: "OpenAPI imports",
    isDrillOnly: true,
    width: 4,
    request: (_, index) =>
      post("/v1/tools/import", {
        name: `noise${index}`,
        openapi: {
          openapi: "3.1.0",
          info: { title: `Noise ${index}` },
          servers: [{ url: "https://nowhere.example" }],
          paths: openApiPaths(),
        },
      }),
  },
  {
    name: "own tools",
    isDrillOnly: true,
    width: 6,
    request: (_, index) =>
      post("/v1/tools", {
        name: `noise.tool_${index}`,
        summary: "Look.",
        security: "safe",
        input: wideSchema(),
        request: { url: "https://nowhere.example/look" },
      }),
  },
  {
    name: "agents in YAML",
    width: 6,
    request: () => ({
      method: "POST",
      path: "/v1/agents",
      body: yaml(),
      headers: { "content-type": "application/yaml" },
    }),
  },
  {
    name: "equations",
    width: 6,
    request: (_, index) =>
      callTool("solve_equation", { equation: `x**${30 + (index % 7)} - 3*x**11 + sin(x)*exp(x) = 0.5` }),
  },
  {
    name: "expressions",
    isDrillOnly: true,
    width: 6,
    request: (_, index) =>
      callTool("evaluate_expression", { expression: `(${2 + (index % 7)}**997 % 10007)**401 % 1000003` }),
  },
  {
    name: "statistics",
    isDrillOnly: true,
    width: 6,
    request: () => callTool("statistics_summary", { numbers: numbers().slice(0, 10_000) }),
  },
  {
    name: "secrets and echoes",
    width: 6,
    needs: "secrets",
    request: ({ recorder, agent }, index) =>
      callTool("http_request", { url: `${recorder}/noise/large/${index % 20}/0`, method: "GET" }, { agent }),
  },
  {
    name: "documents",
    isDrillOnly: true,
    width: 4,
    request: ({ agent }) =>
      callTool("convert_markdown_to_docx", { markdown_content: markdown(), output_filename: "noise.docx" }, { agent }),
  },
  {
    name: "scripts",
    isDrillOnly: true,
    width: 4,
    request: ({ agent }) => callTool("run_command", { command: "seq 1 300000 | sort -r | tail -1" }, { agent }),
  },
  { name: "streams", isDrillOnly: true, width: 40, request: () => ({ path: "/v1/events", listenMs: 300 }) },
  {
    name: "greps",
    isDrillOnly: true,
    width: 6,
    needs: "files",
    request: ({ task: id }) => callTool("grep", { pattern: "(l|o|r)+em .*x(a|b)*y", path: "." }, { task_id: id }),
  },
  {
    name: "uploads",
    isDrillOnly: true,
    width: 4,
    request: ({ task: id }, index) => ({
      method: "PUT",
      path: `/v1/tasks/${id}/files/upload-${index % 10}.bin`,
      body: megabyte(),
      headers: { "content-type": "application/octet-stream" },
    }),
  },
  { name: "tasks", isDrillOnly: true, width: 12, request: (noisy, index) => task(noisy, index, { kind: "quick" }) },
  {
    name: "steps that compute",
    isDrillOnly: true,
    width: 4,
    request: (noisy, index) => task(noisy, index, { kind: "computes" }),
  },
  {
    name: "subtasks",
    isDrillOnly: true,
    width: 3,
    request: (noisy, index) =>
      task(noisy, index, {
        kind: "fan-out",
        children: Array.from({ length: 10 }, () => ({ role: "answers", paceMs: 20 })),
      }),
  },
  {
    name: "hooks",
    isDrillOnly: true,
    width: 8,
    request: (_, index) => ({ ...post("/webhook/generic", { event: "noise", index, text: filled(2000) }) }),
  },
  {
    name: "mail",
    isDrillOnly: true,
    width: 8,
    request: ({ mail }, index) => ({
      method: "POST",
      path: `/cdn-cgi/local/email?${new URLSearchParams({ from: "noise@example.com", to: mail }).toString()}`,
      body: [
        "From: noise@example.com",
        `To: ${mail}`,
        "Subject: Noise",
        `Message-ID: <noise-${index}@example.com>`,
        "Content-Type: text/plain",
        "",
        filled(2000),
      ].join("\r\n"),
    }),
  },
  {
    name: "memory searches",
    isDrillOnly: true,
    width: 8,
    request: () => ({ path: "/v1/memory?query=which+database+did+the+team+choose" }),
  },
  {
    name: "tool searches",
    isDrillOnly: true,
    width: 8,
    request: () => ({ path: "/v1/tools?query=read+a+document+and+write+a+file" }),
  },
  {
    name: "skills",
    isDrillOnly: true,
    width: 6,
    request: () => ({
      method: "POST",
      path: "/v1/skills/validate",
      body: `---\nname: noise\ndescription: Look.\n---\n\n${markdown().repeat(4)}`,
      headers: { "content-type": "text/markdown" },
    }),
  },
];

/** Returns the scenario of this name. Throws when it is unknown. */
export function scenarioNamed(name: string): Scenario {
  const found = SCENARIOS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no scenario ${name}: ${SCENARIOS.map((one) => one.name).join(", ")}`);
  return found;
}
