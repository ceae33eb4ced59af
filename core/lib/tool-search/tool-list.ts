/** A list of tools that can be searched. It is indexed when it is searched first, in portions. */
import type { JsonSchema } from "../json-schema/json-schema.ts";
import { type SearchableTool, type Segment, SegmentBuilder } from "./segment.ts";

/** What a list knows of a tool: the names of `Tool` and `OutsideTool`. */
export interface ListedTool {
  readonly name: string;
  readonly summary: string;
  readonly toolbox: string;
  readonly category: string;
}

export type { ToolList };

/** Tools that are indexed between two turns of others: some ten milliseconds. */
const PORTION = 250;

class ToolList {
  readonly tools: readonly ListedTool[];
  readonly #inputAt: (number: number) => JsonSchema;
  #builder: SegmentBuilder | null = null;
  #segment: Segment | null = null;

  constructor(tools: readonly ListedTool[], inputAt: (number: number) => JsonSchema) {
    this.tools = tools;
    this.#inputAt = inputAt;
  }

  /** The index. Whoever asks while it is being built builds on, so that nobody waits for somebody who is gone. */
  async segment(): Promise<Segment> {
    while (this.#segment === null) {
      this.#builder ??= new SegmentBuilder(this.tools.length, (number) => this.#read(number));
      if (this.#builder.add(PORTION)) this.#finish(this.#builder);
      else await giveWay();
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
    return { name, summary, toolbox, category, parameters: parametersOf(this.#inputAt(number)) };
  }
}

/** A list of tools whose input is read by `inputOf`. */
export function toolList<T extends ListedTool>(tools: readonly T[], inputOf: (tool: T) => JsonSchema): ToolList {
  return new ToolList(tools, (number) => {
    const tool = tools[number];
    return tool === undefined ? {} : inputOf(tool);
  });
}

function parametersOf({ properties }: JsonSchema): SearchableTool["parameters"] {
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties).map(([name, schema]: [string, unknown]) => {
    const described =
      typeof schema === "object" && schema !== null && "description" in schema ? schema.description : "";
    return { name, description: typeof described === "string" ? described : "" };
  });
}

async function giveWay(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
