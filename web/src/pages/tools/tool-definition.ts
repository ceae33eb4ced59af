/** An HTTP tool as one writes it down: JSON, in the form of `POST /v1/tools`. */
import type { paths } from "../../api/types.generated.ts";

export type ToolDefinition = paths["/v1/tools"]["post"]["requestBody"]["content"]["application/json"];

/** What one begins with. */
export const DEFINITION_START: ToolDefinition = {
  name: "weather.now",
  summary: "Tell the weather of a place as it is now.",
  security: "cautious",
  input: {
    type: "object",
    properties: { place: { type: "string", description: "A town" } },
    required: ["place"],
  },
  request: { method: "GET", url: "https://api.example.com/weather/{place}" },
};
