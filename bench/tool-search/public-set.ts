/** The public development set of tool retrieval, read where it lies: the folder that `TOOL_DATA` names. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { SearchableTool } from "../../core/lib/tool-search/segment.ts";

/** A request, and the tools that it needs: one of each group, by number in its list. */
export interface NumberedRequest {
  readonly text: string;
  readonly groups: readonly (readonly number[])[];
}

export interface PublicSet {
  /** Of all collections, merged. */
  readonly tools: readonly SearchableTool[];
  readonly requests: ReadonlyMap<string, readonly NumberedRequest[]>;
}

interface CorpusLine {
  readonly id: string;
  readonly app?: string;
  readonly name: string;
  readonly category?: string;
  readonly description?: string;
  readonly params?: readonly { readonly n: string; readonly d?: string }[];
  readonly input_schema?: { readonly properties?: Readonly<Record<string, { readonly description?: string }>> };
}

interface QueryLine {
  readonly query: string;
  readonly relevant?: readonly string[];
  readonly relevant_any?: readonly (readonly string[])[];
}

const CORPUS = ".corpus.jsonl.gz";
const QUERIES = ".queries.jsonl.gz";

export function readPublicSet(folder: string): PublicSet {
  const files = readdirSync(folder).sort();
  const tools: SearchableTool[] = [];
  const numbers = new Map<string, number>();
  for (const file of files.filter((name) => name.endsWith(CORPUS))) {
    for (const line of linesOf<CorpusLine>(join(folder, file))) {
      numbers.set(`${file.slice(0, -CORPUS.length)} ${line.id}`, tools.length);
      tools.push(toTool(line));
    }
  }
  const requests = new Map<string, NumberedRequest[]>();
  for (const file of files.filter((name) => name.endsWith(QUERIES))) {
    const collection = file.slice(0, -QUERIES.length);
    const lines = linesOf<QueryLine>(join(folder, file));
    const numberOf = (id: string) => numbers.get(`${collection} ${id}`) ?? -1;
    requests.set(
      collection,
      lines.map(({ query, relevant = [], relevant_any: groups = relevant.map((id) => [id]) }) => {
        return { text: query, groups: groups.map((group) => group.map(numberOf)) };
      }),
    );
  }
  return { tools, requests };
}

function toTool({ app = "", name, category = "", description = "", params, input_schema }: CorpusLine): SearchableTool {
  const parameters =
    params?.map(({ n, d = "" }) => ({ name: n, description: d })) ??
    Object.entries(input_schema?.properties ?? {}).map(([key, value]) => ({
      name: key,
      description: value.description ?? "",
    }));
  return { name, summary: description, toolbox: app, category, parameters };
}

function linesOf<T>(path: string): T[] {
  const text = gunzipSync(readFileSync(path)).toString();
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}
