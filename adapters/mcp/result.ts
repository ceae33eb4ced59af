/** Converts the MCP package's results, whose form it has checked, to the port's types. */
import { ANSWERED } from "../../core/base/errors.ts";
import type { CallToolResult, ContentBlock, InputRequiredResult } from "@modelcontextprotocol/client";
import type { McpContent, McpQuestion, McpReply } from "../../core/ports/mcp.ts";
import { NoReply } from "./web-fetch.ts";

const MAX_QUESTIONS = 20;

export function readResult(result: CallToolResult, listChanged: boolean): McpReply {
  const { content, structuredContent, isError } = result;
  return {
    kind: "result",
    content: content.map(readBlock),
    structured: structuredContent,
    isError: isError === true,
    listChanged,
  };
}

function readBlock(block: ContentBlock): McpContent {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return { type: "media", mimeType: block.mimeType, data: block.data, uri: null };
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return { type: "resource", uri: resource.uri, text: resource.text };
      const { uri, mimeType = "application/octet-stream", blob } = resource;
      return { type: "media", mimeType, data: blob, uri };
    }
    case "resource_link":
      return { type: "link", uri: block.uri, name: block.name, description: block.description ?? "" };
    default:
      return { type: "other", kind: String((block as { readonly type: unknown }).type) };
  }
}

/**
 * What a server needs before it continues. Requests for a model or for folders violate Otto's declared capabilities.
 */
export function readInputRequired(server: string, { inputRequests = {}, requestState }: InputRequiredResult): McpReply {
  const entries = Object.entries(inputRequests);
  if (entries.length > MAX_QUESTIONS) throw createRefusal(server, `it asks ${entries.length} questions at once`);
  const questions = entries.map(([key, request]): [string, McpQuestion] => {
    if (request.method !== "elicitation/create") throw createRefusal(server, `it asks Otto for ${request.method}`);
    const { params } = request;
    const { message } = params;
    if (params.mode === "url") return [key, { mode: "url", message, schema: null, url: params.url }];
    return [key, { mode: "form", message, schema: { ...params.requestedSchema }, url: null }];
  });
  return { kind: "input_required", questions: Object.fromEntries(questions), state: requestState ?? null };
}

function createRefusal(server: string, why: string): NoReply {
  const message = `The MCP server ${server} requested something that Otto does not support: ${why}.`;
  return new NoReply({ code: "upstream_failed", message, cause: ANSWERED });
}
