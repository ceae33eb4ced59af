/** Tools that a tenant brought, as tools like any other. How their calls are made depends on where they come from. */
import { z } from "zod";
import type { ToolPorts } from "../ports.ts";
import type { Tool, ToolContext, ToolOutcome } from "../tool.ts";
import { nameKey, type OutsideOrigin, type OutsideTool } from "../tool-source.ts";

type Kind = OutsideOrigin["kind"];

/** A tool whose calls are made in one way. */
type ToolOf<K extends Kind> = OutsideTool & { readonly origin: Extract<OutsideOrigin, { kind: K }> };

/** How calls of tools of one kind of origin are made. */
export interface OutsideCaller<K extends Kind, Need extends keyof ToolPorts> {
  readonly needs: readonly Need[];
  /** `given` fits the tool's input. Gives what can be expected to go wrong as a failure. */
  call(
    tool: ToolOf<K>,
    given: Readonly<Record<string, unknown>>,
    context: ToolContext<Need>,
  ): Promise<ToolOutcome<unknown>>;
}

/** The caller of each kind that this release knows; a tool of another kind answers `not_available`. */
export type OutsideCallers = { readonly [K in Kind]?: OutsideCaller<K, keyof ToolPorts> };

/**
 * The tools of a tenant's sources for the gateway, in their order. One whose name a built-in tool has, or one before it, is
 * left out: a name means one tool, and a later release may bring a name that a tenant took before.
 */
export function outsideTools(
  found: readonly OutsideTool[],
  builtIn: readonly Pick<Tool, "name">[],
  callers: OutsideCallers,
): Tool[] {
  const taken = new Set(builtIn.map(({ name }) => nameKey(name)));
  const tools: Tool[] = [];
  for (const tool of found) {
    const key = nameKey(tool.name);
    if (taken.has(key)) continue;
    taken.add(key);
    tools.push(outsideTool(tool, callers));
  }
  return tools;
}

function outsideTool(tool: OutsideTool, callers: OutsideCallers): Tool {
  const { name, summary, toolbox, category, permissions, security, timeoutMs, origin } = tool;
  const caller: OutsideCaller<Kind, keyof ToolPorts> | undefined = callers[origin.kind];
  return {
    name,
    summary,
    toolbox,
    category,
    permissions,
    security,
    // Nobody can look up whether a call of it happened.
    effect: tool.effect === "probe" ? "once" : tool.effect,
    needs: caller?.needs ?? [],
    aliases: {},
    timeoutMs,
    steers: false,
    wholeResult: false,
    input: z.record(z.string(), z.json()),
    output: z.json(),
    written: { input: tool.input, output: tool.output },
    async run(given, context) {
      if (caller === undefined) return notAvailable(name, origin.kind);
      return await caller.call(tool, given, context);
    },
    show: (result: unknown) => (typeof result === "string" ? result : JSON.stringify(result)),
    examples: [],
  };
}

function notAvailable(name: string, kind: string): ToolOutcome<never> {
  const message = `${name} cannot be called here: tools of the kind ${kind} are not available.`;
  return { kind: "failure", failure: { code: "not_available", message } };
}
