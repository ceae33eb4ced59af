/** A searchable list of tools, indexed in portions at the first search. */
import type { JsonSchema } from "../json-schema/json-schema.ts";
import { type SearchableTool, type Segment, SegmentBuilder } from "./segment.ts";

/** The fields of a tool in a list, named as in `Tool` and `OutsideTool`. */
export interface ListedTool {
  readonly name: string;
  readonly summary: string;
  readonly toolbox: string;
  readonly category: string;
}

export type { ToolList };

/** Tools that are indexed in one turn: some ten milliseconds. */
const PORTION = 500;

class ToolList {
  readonly tools: readonly ListedTool[];
  readonly #inputAt: (number: number) => JsonSchema;
  #builder: SegmentBuilder | null = null;
  #segment: Segment | null = null;

  constructor(tools: readonly ListedTool[], inputAt: (number: number) => JsonSchema) {
    this.tools = tools;
    this.#inputAt = inputAt;
  }

  /**
   * Returns the index. Every concurrent caller continues building it, so that none waits for one that was cancelled.
   */
  async segment(): Promise<Segment> {
    while (this.#segment === null) {
      this.#builder ??= new SegmentBuilder(this.tools.length, (number) => this.#read(number));
      if (this.#builder.add(PORTION)) this.#finish(this.#builder);
      else await yieldTurn();
    }
    return this.#segment;
  }

  #finish(builder: SegmentBuilder): void {
    this.#segment = builder.build();
    this.#builder = null;
  }

  #read(number: number): SearchableTool | null {
    const tool = this.tools[number];
    if (tool === undefined) return null;
    const { name, summary, toolbox, category } = tool;
    return { name, summary, toolbox, category, parameters: listParameters(this.#inputAt(number)) };
  }
}

/** Creates a list of tools; `getInput` reads a tool's input. */
export function createToolList<T extends ListedTool>(tools: readonly T[], getInput: (tool: T) => JsonSchema): ToolList {
  return new ToolList(tools, (number) => {
    const tool = tools[number];
    return tool === undefined ? {} : getInput(tool);
  });
}

/** Returns what the search reads of a tool's input. */
export function listParameters({ properties }: JsonSchema): SearchableTool["parameters"] {
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties).map(([name, schema]: [string, unknown]) => {
    const described =
      typeof schema === "object" && schema !== null && "description" in schema ? schema.description : "";
    return { name, description: typeof described === "string" ? described : "" };
  });
}

async function yieldTurn(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
